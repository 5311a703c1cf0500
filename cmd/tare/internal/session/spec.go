package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"strings"
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
	// TotalBlocks is the most blocks of a benchmark if all benchmarks share a
	// total.
	TotalBlocks = 160
)

// Default error rate of a verdict, and largest change that counts as the
// same.
const (
	DefaultAlpha = 0.05
	DefaultDelta = 0.02
)

// Spec is the specification of a study: the plan, which is recorded, and the
// settings of this machine and this session.
type Spec struct {
	result.Plan
	// Variants are the variants. The first one is the baseline.
	Variants []build.Spec
	// Dir is the directory that relative packages start from, or empty for the
	// working directory.
	Dir string
	// Folder is the directory of the study, or empty for a new one in .tare.
	Folder string
	// Rank orders the benchmarks that share a total. Benchmarks of a lower rank
	// get their first look earlier. It must not depend on the measurements of the
	// session. A key without Procs is a benchmark, and a key without Name is a
	// package. The others have rank 0. The seed orders benchmarks of equal rank.
	Rank map[result.Key]int
	// Keep, if not 0, is how many studies stay in .tare after this one.
	Keep int
	// Lock is the behavior while another process measures.
	Lock machine.LockMode
	// Enough, if not nil, replaces the stopping rule. The study calls it after
	// every block of a benchmark.
	Enough func(blocks []result.Block) bool
	// Builder builds the variants of all sessions of a command. If nil, this
	// session makes one.
	Builder *build.Builder
	// Host is the machine to measure on.
	Host Host
	// On are launchers: commands that run a program on another machine with our
	// standard input and output. If there are any, blocks are measured only
	// there.
	On []string

	// resumed is the study to resume.
	resumed *resumed
}

// DefaultSpec is a comparison with the defaults of the command line.
func DefaultSpec() Spec {
	return Spec{Plan: result.Plan{Kind: "compare", TimeoutSeconds: 600, FuncOrders: true, BudgetSeconds: CompareBudget.Seconds(),
		MaxBlocks: CompareBlocks, Alpha: DefaultAlpha, Delta: DefaultDelta}}
}

// Host is the part of the machine that a session sees.
type Host struct {
	// Tree contains proc and sys.
	Tree fs.FS
	// Root is the directory that Tree shows, or empty for none.
	Root string
}

// Check returns an error if the specification names a revision, a directory, a
// package or a pattern that is not there. It takes milliseconds. Other checks
// need builds, and so the lock of the machine.
func (s Spec) Check(ctx context.Context) error {
	for name, pattern := range map[string]string{"bench": s.Bench, "skip": s.Skip} {
		if _, err := result.MatchNames(pattern); err != nil {
			return fmt.Errorf("flag -%s: %w", name, err)
		}
	}
	if advice := mistaken(ctx, s.Dir, s.Packages); advice != "" {
		if _, err := process.Run(ctx, s.Dir, "go", append([]string{"list", "-find", "--"}, s.Packages...)...); err != nil {
			return fmt.Errorf("find benchmarks: no package %s%s", strings.Join(s.Packages, " "), advice)
		}
	}
	return build.Check(ctx, s.Dir, s.Variants, s.Packages)
}

// CheckOn returns an error, before anything is built, if other machines
// cannot measure the specification.
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
		return errors.New("flag -on: it needs a shell on the other machine, which windows cannot start: measure here, or use -shard")
	case !s.Timed():
		return errors.New("flags -on and -units counts: counts are the same on every machine: remove -on")
	case s.TotalSeconds > 0:
		return errors.New("flags -on and -total: a total is for one machine: use -budget, or remove -on")
	case s.Lock != machine.LockWait:
		return errors.New("flags -on and -lock: other machines have their own locks: remove -lock")
	}
	return nil
}
