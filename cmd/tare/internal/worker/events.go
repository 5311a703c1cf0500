package worker

import (
	"errors"
	"fmt"
	"strconv"
	"time"
)

// ErrNotHeld is returned when a worker could not take events over, or could
// not stop them: what they counted is not what was timed.
var ErrNotHeld = errors.New("the test process cannot stop its events")

// Leader is the leader of a group of events (perf_event_open).
type Leader struct {
	// Thread is the worker's thread that it counts.
	Thread int
	// Fd is the descriptor.
	Fd int
}

// Hold hands over the leaders of what counts the worker. From now on the
// groups stand still while the timer does; on and off are the ioctl(2)
// requests for that. Each start and stop of the timer then costs a system call
// a leader: time nothing after it.
func (w *Worker) Hold(leaders []Leader, on, off uint, timeout time.Duration) error {
	command := fmt.Sprintf("events %d %d", on, off)
	for _, l := range leaders {
		command += " " + strconv.Itoa(l.Thread)
	}
	if err := w.command(command); err != nil {
		return err
	}
	for _, l := range leaders {
		if err := sendDescriptor(w.events, l.Fd); err != nil {
			return fmt.Errorf("hand over events: %w", err)
		}
	}
	return w.ready(len(leaders), timeout)
}

// Empty lets the worker time n empty intervals, in which its events count what
// starting and stopping costs. After an interval that could not be stopped, in
// this or an earlier slice, the error wraps [ErrNotHeld].
func (w *Worker) Empty(n int64, timeout time.Duration) error {
	if err := w.command("empty " + strconv.FormatInt(n, 10)); err != nil {
		return err
	}
	return w.ready(-1, timeout)
}

// ready waits for the answer to a command about events: how many leaders the
// worker has (any number when want is negative), and how often one failed.
func (w *Worker) ready(want int, timeout time.Duration) error {
	m, err := w.Answer(timeout)
	switch {
	case err != nil:
		return err
	case m.Kind != ready:
		return fmt.Errorf("hand over events: unexpected %q from the worker", m.Kind)
	case m.refused > 0 || want >= 0 && m.held != want:
		return fmt.Errorf("%w: %d of %d held, %d requests failed", ErrNotHeld, m.held, max(want, m.held), m.refused)
	}
	return nil
}

// CountedSlice is a slice whose events were handed over. Where the benchmark
// resets its timer, forget is called while it waits.
func (w *Worker) CountedSlice(n int64, forget func() error, timeout time.Duration) (Message, error) {
	m, err := w.Slice(n, Unread, timeout)
	for err == nil && m.Kind == reset {
		if err = errors.Join(forget(), w.command("go")); err == nil {
			m, err = w.Answer(timeout)
		}
	}
	return m, err
}
