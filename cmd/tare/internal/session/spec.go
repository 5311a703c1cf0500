package session

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/machine"
	"github.com/tarebench/tare/cmd/tare/internal/process"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// Defaults of a comparison and a run, for each benchmark.
const (
	CompareBudget = 10 * time.Second
	CompareBlocks = 40
	RunBudget     = 5 * time.Second
	RunBlocks     = 12
	// TotalBlocks is the maximum of blocks of a benchmark if a total bounds all
	// benchmarks.
	TotalBlocks = 160
)

// Default error rate of a verdict, and default band of changes that are the
// same.
const (
	DefaultAlpha = 0.05
	DefaultDelta = 0.02
)

// Spec is the specification of a study: the plan, which is recorded, and the
// settings of this machine and this session.
type Spec struct {
	result.Plan
	// Variants are the sides, the first one is the baseline.
	Variants []build.Spec
	// Dir is the directory that relative packages start from; empty for the
	// working directory.
	Dir string
	// Folder is the directory of the study; empty for a new one in .tare.
	Folder string
	// ProveCauses makes Explain measure again with suspected causes, and files
	// that were changed, taken away.
	ProveCauses bool
	// Rank orders the benchmarks that share a total: benchmarks of a lower rank
	// get their first look before others. It must not depend on the measurements
	// of the session. A key without Procs is a benchmark, and a key without Name
	// is a package. The others have rank 0. Benchmarks of one rank have the
	// order of the seed.
	Rank map[result.Key]int
	// Keep, if not 0, is how many studies stay in .tare when this one has ended.
	Keep int
	// Lock is the behavior while another process measures.
	Lock machine.LockMode
	// Enough, if not nil, replaces the stopping rule. The study calls it after
	// every block of a benchmark.
	Enough func(blocks []result.Block) bool
	// Builder builds the variants of all sessions of a command; nil makes one
	// for this session.
	Builder *build.Builder
	// Host is the machine to measure on.
	Host Host
	// On are launchers: commands that run a program on another machine with our
	// standard input and output. With any, blocks are measured there, and none
	// on this machine.
	On []string

	// resumed is the study to go on with.
	resumed *resumed
}

// DefaultSpec is a comparison with the defaults of the command line.
func DefaultSpec() Spec {
	return Spec{Plan: result.Plan{Kind: "compare", TimeoutSeconds: 600, Layouts: true, BudgetSeconds: CompareBudget.Seconds(),
		MaxBlocks: CompareBlocks, Alpha: DefaultAlpha, Delta: DefaultDelta}}
}

// Host is the part of the machine that a session sees.
type Host struct {
	// Tree has proc and sys in it.
	Tree fs.FS
	// Root is the directory that Tree shows; empty for none.
	Root string
}

// CheckOn returns an error if the specification cannot be measured on other
// machines, before anything is built.
func (s Spec) CheckOn() error {
	if len(s.On) == 0 {
		return nil
	}
	for _, text := range s.On {
		if _, err := process.Split(text); err != nil {
			return fmt.Errorf("flag -on: %w", err)
		}
	}
	switch {
	case runtime.GOOS == "windows":
		return errors.New("flag -on: it starts a shell on the other machine and sends it this program, which windows cannot do: measure here, or use -shard")
	case !s.Timed():
		return errors.New("flags -on and -units counts: counts are the same on every machine: leave -on out")
	case s.TotalSeconds > 0:
		return errors.New("flags -on and -total: a total is spent on one machine: give -budget, or leave -on out")
	case s.Counters:
		return errors.New("flags -on and -units time,counters: counters are read on one machine: leave one of them out")
	case s.Lock != machine.LockWait:
		return errors.New("flags -on and -lock: other machines wait for whoever measures there: leave -lock out")
	}
	return nil
}
