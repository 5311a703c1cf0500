package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// ErrStalled is returned when a worker made no progress for the time that a
// group allows and used no processor time meanwhile: it waits for something
// that another worker may hold.
var ErrStalled = errors.New("the test process waits without using the processor")

// Slot is one slice to take.
type Slot struct {
	// Side is the index of the worker in its group.
	Side int
	// N is the number of timed iterations; Warm iterations run untimed
	// before them.
	N, Warm int64
	// Reading says what is read besides the clock.
	Reading Reading
}

// Group are the live workers of a block, one a side, each at the same leaf
// benchmark.
type Group interface {
	// Leaf is what the worker of a side announced.
	Leaf(side int) Message
	// Run takes slots in their order. The slices that were taken are
	// returned with the error too; an error that is of one side is a
	// *[SideError].
	Run(ctx context.Context, slots []Slot) ([]result.Slice, error)
	// Direct reports whether the workers hand over among themselves; where they
	// do not, why.
	Direct() (direct bool, why string)
	// Uses is what the processes used during the last Run, by side.
	Uses() []Use
	// Worker gives access to the process of a side between two Runs.
	Worker(side int) *Worker
	// End lets the benchmarks and their processes finish, so that clean-up
	// runs. The messages say how each side ended, and hold the metrics that
	// were reported after a b.Loop.
	End(ctx context.Context) ([]Message, error)
	// Close kills what is left.
	Close()
}

// Options are what the workers of a group have in common.
type Options struct {
	// CPUs are the processors that the workers run on, all threads of
	// theirs; none leaves them to the scheduler.
	CPUs []int
	// Home are the processors that a worker starts on, before it moves to
	// CPUs: what the runtime counts as the processors of the machine. None
	// are those of this process.
	Home []int
	// Shift is how many bytes the environment of every worker is longer than
	// it has to be, which moves all that lies on their first stacks.
	Shift int
	// Pipe has every slice commanded through a pipe, also where the workers
	// could hand over among themselves.
	Pipe bool
	// Stall is the least time after which a worker that uses no processor
	// time counts as stalled; 0 means 2 s. A slice that is known to take
	// longer is waited for ten times as long.
	Stall time.Duration
	// Timeout bounds one slice, and the start of a worker, that uses
	// processor time; 0 is no bound.
	Timeout time.Duration
}

// Use is what the process of one side used during a Run: all its threads, the
// collector and what is not timed included.
type Use struct {
	// N is the number of iterations, untimed ones included.
	N int64
	// User and System are processor time in nanoseconds.
	User, System float64
	// GCs is the number of collections that ended, GCTime the processor time
	// of the collector in nanoseconds.
	GCs    int64
	GCTime float64
	// Mallocs and Bytes are heap allocations, as the runtime's metrics have
	// them: up to a few kilobytes late.
	Mallocs, Bytes uint64
	// HeapLive and HeapGoal are bytes at the end of the Run: the heap that
	// the last collection found alive, and the size at which the next begins.
	HeapLive, HeapGoal uint64
	// Voluntary and Involuntary are context switches.
	Voluntary, Involuntary int64
}

// SideError is an error of the worker of one side.
type SideError struct {
	Side int
	// Message is what the benchmark said of it, where it said something: its
	// Kind is Fail or Skip.
	Message Message
	// Output is what the process printed.
	Output string
	// Exit is how the process ended; nil when it ended with status 0, or has
	// not.
	Exit error
	// Err is [ErrGone], [errTimeout], [ErrStalled], or nil where Message says
	// what happened.
	Err error
}

func (e *SideError) Error() string {
	switch {
	case e.Err == nil:
		return fmt.Sprintf("side %d: %s: %s", e.Side, e.Message.Kind, e.Message.Words)
	case e.Exit != nil:
		return fmt.Sprintf("side %d: %v: %v", e.Side, e.Err, e.Exit)
	}
	return fmt.Sprintf("side %d: %v", e.Side, e.Err)
}

func (e *SideError) Unwrap() error { return e.Err }
