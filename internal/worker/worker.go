package worker

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tarebench/tare/internal/process"
)

// ErrTimeout is returned when a worker does not answer in time; its Output
// then holds the goroutine dump.
var ErrTimeout = errors.New("no answer in time")

// ErrGone is returned when a worker ended before it answered.
var ErrGone = errors.New("the test process ended")

// Config says what to start.
type Config struct {
	// Path is the test binary, Dir the folder to run it in.
	Path, Dir string
	// Env is the whole environment.
	Env []string
	// Bench is the -test.bench pattern; see [Pattern] for one benchmark.
	Bench string
	// Skip is the -test.skip pattern, empty for none.
	Skip string
	// Procs is GOMAXPROCS; 0 leaves it to the environment.
	Procs int
	// Args go to the test binary after ours.
	Args []string
}

// Worker is a live test process. Its methods are for one goroutine.
type Worker struct {
	cmd      *exec.Cmd
	commands *os.File
	results  *os.File
	// events is a socket for descriptors, nil where there is none.
	events  *os.File
	lines   *bufio.Reader
	output  *tail
	exited  chan struct{}
	waitErr error
}

// The descriptors lie high, out of the way of benchmarks that use the low
// ones. Those that they use without asking, 3 and 4, are the null device: else
// the runtime's poller would be there, and closing it ends the process.
const commandFd, resultFd, eventFd = 60, 61, 62

// Start starts a worker. It is killed when ctx ends.
func Start(ctx context.Context, c Config) (*Worker, error) {
	var ours, theirs [3]*os.File // commands, results, events
	var null *os.File
	started := false
	defer func() {
		for i := range theirs {
			theirs[i].Close()
			if !started {
				ours[i].Close()
			}
		}
		null.Close()
	}()
	var errs [4]error
	theirs[0], ours[0], errs[0] = os.Pipe()
	ours[1], theirs[1], errs[1] = os.Pipe()
	ours[2], theirs[2], errs[2] = eventSocket()
	null, errs[3] = os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err := errors.Join(errs[:]...); err != nil {
		return nil, fmt.Errorf("start worker: %w", err)
	}
	args := []string{"-test.run=^$", "-test.bench=" + c.Bench, "-test.count=1", "-test.timeout=0", "-test.benchtime=1s"}
	if c.Skip != "" {
		args = append(args, "-test.skip="+c.Skip)
	}
	if c.Procs > 0 {
		args = append(args, "-test.cpu="+strconv.Itoa(c.Procs))
	}
	cmd := process.Command(ctx, time.Second, c.Path, append(args, c.Args...)...)
	cmd.Dir = c.Dir
	line := fmt.Sprintf("TARE_WORKER=%d,%d", commandFd, resultFd)
	if theirs[2] != nil {
		line += fmt.Sprintf(",%d", eventFd)
	}
	cmd.Env = append(append([]string{}, c.Env...), line)
	if c.Procs > 0 {
		// The benchmark's first iteration, and all of a b.Loop, run before
		// -test.cpu takes effect.
		cmd.Env = append(cmd.Env, "GOMAXPROCS="+strconv.Itoa(c.Procs))
	}
	cmd.ExtraFiles = make([]*os.File, eventFd-2)
	cmd.ExtraFiles[0], cmd.ExtraFiles[1] = null, null // descriptors 3 and 4
	cmd.ExtraFiles[commandFd-3], cmd.ExtraFiles[resultFd-3], cmd.ExtraFiles[eventFd-3] = theirs[0], theirs[1], theirs[2]
	out := new(tail)
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start worker: %w", err)
	}
	started = true
	// Blocking reads: the runtime's poller takes two more system calls and
	// often wakes a second thread, all of it between two slices.
	ours[1].Fd()
	w := &Worker{
		cmd: cmd, commands: ours[0], results: ours[1], events: ours[2],
		lines: bufio.NewReader(ours[1]), output: out,
		exited: make(chan struct{}),
	}
	go func() {
		w.waitErr = process.Ended(cmd.Wait())
		close(w.exited)
	}()
	return w, nil
}

// Next waits up to timeout for the next message, as long as it takes when
// timeout is 0. io.EOF says that the worker ended, having nothing more to say;
// after the timeout the error wraps [ErrTimeout].
func (w *Worker) Next(timeout time.Duration) (Message, error) {
	intime := func() bool { return true }
	if timeout > 0 {
		dumped := make(chan bool)
		timer := time.AfterFunc(timeout, func() {
			w.dump() // its end ends the read
			close(dumped)
		})
		intime = func() bool {
			if timer.Stop() {
				return true
			}
			<-dumped
			return false
		}
	}
	line, err := w.lines.ReadString('\n')
	switch {
	case !intime():
		return Message{}, fmt.Errorf("wait for worker: %w (%s)", ErrTimeout, timeout)
	case errors.Is(err, io.EOF):
		return Message{}, io.EOF
	case err != nil:
		return Message{}, fmt.Errorf("wait for worker: %w", err)
	}
	return parse(strings.TrimSuffix(line, "\n"))
}

// Reading says in how many timed intervals of a slice the allocation counters
// are read. A reading stops the world for some 20 µs, outside of the timed
// part.
type Reading string

const (
	// Unread leaves the allocations of a slice unknown.
	Unread Reading = "slice"
	// Few reads them in at most eight intervals; those of a slice with more
	// are unknown.
	Few Reading = "read"
	// Every reads them in every interval; with many, the time is worth
	// nothing.
	Every Reading = "count"
)

// Order is a slice to take: so many iterations.
type Order struct {
	N       int64
	Reading Reading
}

// Ask asks for slices, which the worker takes one behind the other without
// waking anybody in between. Each has an Answer of its own.
func (w *Worker) Ask(orders ...Order) error {
	var text strings.Builder
	for i, o := range orders {
		if i > 0 {
			text.WriteByte('\n')
		}
		text.WriteString(string(o.Reading) + " " + strconv.FormatInt(o.N, 10))
	}
	return w.command(text.String())
}

// Slice asks for one slice and waits for what it took.
func (w *Worker) Slice(n int64, reading Reading, timeout time.Duration) (Message, error) {
	if err := w.Ask(Order{n, reading}); err != nil {
		return Message{}, err
	}
	return w.Answer(timeout)
}

// Answer waits for what the next slice asked for took.
func (w *Worker) Answer(timeout time.Duration) (Message, error) {
	m, err := w.Next(timeout)
	if errors.Is(err, io.EOF) {
		err = ErrGone
	}
	return m, err
}

// End ends the benchmark that waits for a command.
func (w *Worker) End() error { return w.command("end") }

func (w *Worker) command(text string) error {
	if _, err := w.commands.WriteString(text + "\n"); err != nil {
		return fmt.Errorf("command worker: %w", ErrGone)
	}
	return nil
}

// Pid is the process, and the process group, of the worker.
func (w *Worker) Pid() int { return w.cmd.Process.Pid }

// Output returns what the worker printed: all of it, or its first and last
// part.
func (w *Worker) Output() string { return w.output.String() }

// Wait waits up to timeout for the worker to end by itself, and kills it then;
// it waits as long as it takes when timeout is 0. The error is that of the
// process: an exit status, a signal.
func (w *Worker) Wait(timeout time.Duration) error {
	if timeout > 0 {
		t := time.AfterFunc(timeout, func() { process.Kill(w.cmd) })
		defer t.Stop()
	}
	<-w.exited
	return w.waitErr
}

// Close kills what is left of the worker and its children, and waits.
func (w *Worker) Close() {
	process.Kill(w.cmd)
	w.commands.Close()
	<-w.exited
	w.results.Close()
	w.events.Close()
}

// dump asks a stuck worker for its goroutines, and ends it.
func (w *Worker) dump() {
	process.Dump(w.cmd)
	w.Wait(2 * time.Second)
}

// tail keeps the first and the last part of what is written to it.
type tail struct {
	mu    sync.Mutex
	first []byte
	last  []byte
	lost  int
}

const tailFirst, tailLast = 8 << 10, 56 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	rest := p
	if room := tailFirst - len(t.first); room > 0 {
		n := min(room, len(rest))
		t.first = append(t.first, rest[:n]...)
		rest = rest[n:]
	}
	t.last = append(t.last, rest...)
	if over := len(t.last) - tailLast; over > tailLast {
		t.lost += over
		t.last = append(t.last[:0], t.last[over:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	last, lost := t.last, t.lost
	if over := len(last) - tailLast; over > 0 {
		last, lost = last[over:], lost+over
	}
	if lost > 0 {
		return fmt.Sprintf("%s\n… %d bytes left out …\n%s", t.first, lost, last)
	}
	return string(t.first) + string(last)
}
