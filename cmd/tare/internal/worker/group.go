package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// ErrStalled is returned if a worker made no progress for the time that a
// group allows, without using CPU time. It waits for something that another
// worker may have.
var ErrStalled = errors.New("the test process waits without using the CPU")

// Slot is one slice to take.
type Slot struct {
	// Side is the index of the worker in its group.
	Side int
	// N is the number of timed iterations. Warm iterations run untimed before
	// them.
	N, Warm int64
	// Reading selects the values to read besides the clock.
	Reading Reading
}

// Group is the live workers of a block, one per side, each at the same leaf
// benchmark.
type Group interface {
	// Leaf is the benchmark that the worker of a side announced.
	Leaf(side int) Message
	// Run takes slots in their order. With an error it also returns the slices
	// that were taken. An error of one side is a *[SideError].
	Run(ctx context.Context, slots []Slot) ([]result.Slice, error)
	// Direct reports whether the workers pass the turn among themselves, and if
	// not, why.
	Direct() (direct bool, why string)
	// Uses returns the resources that the processes used during the last Run, by
	// side: all threads, with the collector and untimed work. Allocations are by
	// the runtime's metrics, which are up to a few kilobytes late.
	Uses() []result.Process
	// End lets the benchmarks and their processes finish, so that clean-up runs.
	// The messages report how each side ended, with the metrics that were
	// reported after a b.Loop.
	End(ctx context.Context) ([]Message, error)
	// Close kills the remaining processes.
	Close()
}

// Options are the common options of the workers of a group.
type Options struct {
	// CPUs are the CPUs for all threads of the workers. If it is empty, the
	// scheduler chooses.
	CPUs []int
	// Shift is how many bytes the environment of every worker is longer than
	// necessary, which moves all data on their first stacks.
	Shift int
	// Pipe commands every slice through a pipe, even if the workers could pass
	// the turn among themselves.
	Pipe bool
	// Stall is the least time after which a worker that uses no CPU time counts
	// as stalled, or 0 for 2 s. For a slice with a known longer duration, the
	// group waits ten times as long.
	Stall time.Duration
	// Apart runs the slices of all sides at the same time.
	Apart bool
	// Timeout limits one slice, and the start of a worker, that uses CPU time. 0
	// is no limit.
	Timeout time.Duration

	padding [][]string // of the environments, or by their sizes
}

// SideError is an error of the worker of one side.
type SideError struct {
	Side int
	// Message is the message of the benchmark about the error, if any. Its Kind
	// is Fail or Skip.
	Message Message
	// Output is the output of the process.
	Output string
	// Exit is the exit error of the process. It is nil if the process ended with
	// status 0, or has not ended.
	Exit error
	// Err is [ErrGone], [errTimeout], [ErrStalled], or nil if Message has the
	// reason.
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
