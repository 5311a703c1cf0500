package worker

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/overlay/board"
	"github.com/tarebench/tare/cmd/tare/internal/process"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// errTimeout is returned if a worker does not answer in time. Its Output then
// contains the goroutine dump.
var errTimeout = errors.New("no answer in time")

// ErrGone is returned if a worker ended before it answered.
var ErrGone = errors.New("the test process ended")

// errForged is returned for an answer that no worker gives: a benchmark can write to
// the pipe and to the shared memory. It ends the benchmark, and nothing else.
var errForged = errors.New("the test process gave an answer that no worker gives")

// Config describes the worker to start.
type Config struct {
	// Path is the test binary, Dir its working directory.
	Path, Dir string
	// Env is the whole environment.
	Env []string
	// Bench is the -test.bench pattern. A group waits for the leaf Name among
	// the selected benchmarks, or for the first one if Name is empty.
	Bench, Name string
	// Skip is the -test.skip pattern, or empty.
	Skip string
	// Procs is GOMAXPROCS. If 0, the environment decides.
	Procs int
	// Home are the CPUs that the worker starts on, before it moves to those of
	// its group. The runtime counts them as the CPUs of the machine. If it is
	// empty, the worker starts on the CPUs of this process.
	Home []int
	// Counts is set for a worker that counts allocations.
	Counts bool
	// Plan is the user's specification of the study. Its Args go to the test
	// binary after tare's.
	Plan result.Plan
}

// Worker is a live test process. Its methods are for one goroutine.
type Worker struct {
	cmd      *exec.Cmd
	commands *os.File
	results  *os.File
	// lines are the messages of the worker. It is closed after the last one.
	lines   chan line
	stop    chan struct{} // closed when no goroutine reads lines
	closing sync.Once
	// notify, of a group, receives every line.
	notify  chan struct{}
	output  *process.Output
	exited  chan struct{}
	waitErr error
	greeted bool
	// shares is true if the worker maps the shared memory.
	shares bool
}

type line struct {
	message Message
	err     error
}

const protocol = 2

var errProtocol = errors.New("another version of the worker protocol")

// The descriptors have high numbers, since benchmarks use the low ones.
// Benchmarks may use 3 and 4 without opening them, so these two are the null
// device. Otherwise the runtime's poller would get them, and a benchmark that
// closes it would end the process.
const commandFd, resultFd, boardFd = 60, 61, 62

type place struct {
	// board are the files of the board, shared with the others, if there is one.
	board []*os.File
	side  int
	// cpus are the CPUs that the worker moves to.
	cpus   []int
	notify chan struct{}
	// padding are variables without meaning, see [evenly].
	padding []string
}

// Start starts a worker. It is killed when ctx ends.
func Start(ctx context.Context, c Config) (*Worker, error) { return startAt(ctx, c, place{}) }

func startAt(ctx context.Context, c Config, at place) (*Worker, error) {
	var ours, theirs [2]*os.File // commands, results
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
	var errs [3]error
	theirs[0], ours[0], errs[0] = os.Pipe()
	ours[1], theirs[1], errs[1] = os.Pipe()
	null, errs[2] = os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err := errors.Join(errs[:]...); err != nil {
		return nil, fmt.Errorf("start worker: %w", err)
	}
	cmd := process.Command(ctx, c.Path, c.arguments()...)
	cmd.Dir = c.Dir
	cmd.Env = append(c.environment(), fmt.Sprintf("TARE_WORKER=%d,%d", commandFd, resultFd), "TARE_WORKER_OPTIONS="+at.options(c.Counts))
	cmd.Env = append(cmd.Env, at.padding...)
	cmd.ExtraFiles = make([]*os.File, boardFd-3)
	cmd.ExtraFiles[0], cmd.ExtraFiles[1] = null, null // descriptors 3 and 4
	cmd.ExtraFiles[commandFd-3], cmd.ExtraFiles[resultFd-3] = theirs[0], theirs[1]
	cmd.ExtraFiles = append(cmd.ExtraFiles, at.board...)
	out := &process.Output{Most: mostOutput}
	cmd.Stdout, cmd.Stderr = out, out
	process.Apart(cmd)
	start := func() error { return process.OnProcessors(c.Home, cmd.Start) }
	if err := process.Promptly(start); err != nil {
		if errors.Is(err, syscall.EBADF) {
			err = fmt.Errorf("%w: tare needs descriptors up to %d: raise the limit of open files (ulimit -n)", err, boardFd)
		} else if errors.Is(err, fs.ErrPermission) {
			err = fmt.Errorf("%w: if its file system is mounted noexec, set GOTMPDIR to a directory that may run programs", err)
		}
		return nil, fmt.Errorf("start worker: %w", err)
	}
	started = true
	w := &Worker{
		cmd: cmd, commands: ours[0], results: ours[1],
		lines: make(chan line, 16), stop: make(chan struct{}), output: out,
		exited: make(chan struct{}), notify: at.notify,
	}
	go func() {
		w.waitErr = process.Ended(cmd.Wait())
		close(w.exited)
	}()
	go w.read()
	return w, nil
}

func (p place) options(counts bool) string {
	var options []string
	if counts {
		options = append(options, "counts=1")
	}
	if len(p.cpus) > 0 {
		list := make([]string, len(p.cpus))
		for i, cpu := range p.cpus {
			list[i] = strconv.Itoa(cpu)
		}
		options = append(options, "cpus="+strings.Join(list, ","))
	}
	if len(p.board) > 0 {
		options = append(options, fmt.Sprintf("board=%d,%d", boardFd, p.side))
	}
	return strings.Join(options, " ")
}

// longestLine is the longest line that is read, in bytes. A worker sends a name, 4 KiB
// of words, and metrics. A benchmark may write a line without end.
const longestLine = 1 << 20

// mostOutput is the number of bytes of a worker's output at either end that are kept.
const mostOutput = 56 << 10

func (w *Worker) read() {
	defer func() {
		close(w.lines)
		w.notifyLine()
	}()
	in := bufio.NewScanner(w.results)
	in.Buffer(nil, longestLine)
	in.Split(func(data []byte, _ bool) (advance int, token []byte, err error) {
		if i := bytes.IndexByte(data, '\n'); i >= 0 {
			return i + 1, data[:i], nil
		}
		return 0, nil, nil // the rest of a process that was killed is no line
	})
	for {
		whole, err := in.Scan(), in.Err()
		var l line
		switch {
		case errors.Is(err, bufio.ErrTooLong):
			l.err = fmt.Errorf("%w: a line of more than %d MiB", errForged, longestLine>>20)
		case !whole && err == nil, errors.Is(err, os.ErrClosed):
			return
		case err != nil:
			l.err = fmt.Errorf("wait for worker: %w", err)
		default:
			if l.message, l.err = parse(in.Text()); l.err != nil {
				l.err = fmt.Errorf("%w: %w", errForged, l.err)
			}
			l.err = w.greet(l.message, l.err)
			if l.err == nil && l.message.Kind == hello {
				continue
			}
		}
		select {
		case w.lines <- l:
			w.notifyLine()
		case <-w.stop:
			return
		}
		if l.err != nil {
			return
		}
	}
}

func (w *Worker) notifyLine() {
	select {
	case w.notify <- struct{}{}:
	default: // a notice is pending already, or nobody listens
	}
}

// greet checks the first message, which must be a hello of this version.
func (w *Worker) greet(m Message, err error) error {
	switch {
	case w.greeted:
		return err
	case err == nil && m.Kind == hello && m.protocol == protocol:
		w.greeted, w.shares = true, m.board
		return nil
	}
	version := "1"
	if m.protocol > 0 {
		version = strconv.FormatInt(m.protocol, 10)
	}
	return fmt.Errorf("connect to %s: %w: it has version %s, this tare has %d: build the binary again", w.cmd.Path, errProtocol, version, protocol)
}

// Next waits up to timeout for the next message, or without a limit if timeout
// is 0. io.EOF means that the worker ended without another message. After the
// timeout the error wraps [errTimeout].
func (w *Worker) Next(timeout time.Duration) (Message, error) {
	var late <-chan time.Time
	if timeout > 0 {
		t := time.NewTimer(timeout)
		defer t.Stop()
		late = t.C
	}
	looks := time.NewTicker(watchEvery)
	defer looks.Stop()
	var threads map[string]threadTime
	for {
		select {
		case l, ok := <-w.lines:
			if !ok {
				return Message{}, io.EOF
			}
			return l.message, l.err
		case <-looks.C:
			now := threadTimes(w.Pid())
			requeue(w.Pid(), starved(threads, now))
			threads = now
		case <-late:
			w.dump()
			return Message{}, fmt.Errorf("wait for worker: %w (%s)", errTimeout, timeout)
		}
	}
}

// Reading selects the values to read at both ends of a slice, outside its timed
// part. It is a sum of these constants.
type Reading uint32

const (
	// Unread leaves the allocations of a slice unknown.
	Unread Reading = 0
	// Few reads the allocation counters in at most eight timed intervals. The
	// allocations of a slice with more intervals are unknown. Few stops the
	// world for some 20 µs.
	Few Reading = board.ReadFew
	// Every reads them in every interval. With many intervals, the time of the
	// slice is worthless.
	Every Reading = board.ReadEvery
	// Memory collects after the slice and reads the memory of the process. The
	// metrics of the slice are then these readings.
	Memory Reading = board.ReadMemory
	// Tail times every iteration of a b.Loop. The metrics of the slice are then
	// quantiles. Tail | k<<8 times batches of k.
	Tail Reading = board.ReadTail
	// Long makes the slice a call as go test makes it: a collection comes before
	// it. In a run of one slot the group also notes its [result.Slice.MaxDelay].
	Long Reading = board.ReadLong
	// Ready samples how many goroutines have work, which slows the slice down.
	Ready Reading = board.ReadReady
)

// Ask orders slices, whatever their side, which the worker takes in turn without
// waking another process in between. The result of each is its own message.
func (w *Worker) Ask(slots ...Slot) error {
	var text strings.Builder
	for i, s := range slots {
		if i > 0 {
			text.WriteByte('\n')
		}
		fmt.Fprintf(&text, "slice n=%d", s.N)
		if s.Warm > 0 {
			fmt.Fprintf(&text, " warm=%d", s.Warm)
		}
		if s.Reading != Unread {
			fmt.Fprintf(&text, " reading=%d", s.Reading)
		}
	}
	return w.command(text.String())
}

// End ends the benchmark that waits for a command.
func (w *Worker) End() error { return w.command("end") }

// command writes a line. A worker reads it at once, so a pipe that stays full belongs to
// a process that only writes. Windows has no such deadline.
func (w *Worker) command(text string) error {
	_ = w.commands.SetWriteDeadline(time.Now().Add(leastStall))
	_, err := w.commands.WriteString(text + "\n")
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("command worker: %w: %w", errForged, err)
	case err != nil:
		return fmt.Errorf("command worker: %w", ErrGone)
	}
	return nil
}

// Pid is the process, and the process group, of the worker.
func (w *Worker) Pid() int { return w.cmd.Process.Pid }

// Output returns the output of the worker: all of it, or its first and last
// part.
func (w *Worker) Output() string { return w.output.String() }

// Wait waits up to timeout for the worker to end by itself, and then kills it.
// If timeout is 0, it waits without a limit. The error is the error of the
// process: an exit status or a signal.
func (w *Worker) Wait(timeout time.Duration) error {
	if timeout > 0 {
		t := time.AfterFunc(timeout, func() { process.Kill(w.cmd) })
		defer t.Stop()
	}
	<-w.exited
	return w.waitErr
}

// Close kills the remaining processes of the worker and its children, and
// waits. It may be called again.
func (w *Worker) Close() {
	process.Kill(w.cmd)
	w.commands.Close()
	<-w.exited
	w.closing.Do(func() { close(w.stop) })
	w.results.Close()
	for range w.lines { // until read has ended
	}
}

func (w *Worker) dump() {
	process.Dump(w.cmd)
	w.Wait(2 * time.Second)
}
