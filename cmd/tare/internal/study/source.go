package study

import (
	"context"
	"errors"
	"time"

	"github.com/tarebench/tare/internal/finding"
)

// Binary is a test binary, ready to run.
type Binary struct {
	// Path is the executable, Dir the directory to run it in, Env its whole
	// environment.
	Path, Dir string
	Env       []string
	// Extra is the variant's addition to the environment of this process.
	Extra []string
	// Command runs a program, of which a slice is one process: its words, in which
	// $BIN is Path. It is nil for a test binary.
	Command []string
	// Program is the name of the program.
	Program string
	// Overlaid is true if it serves slices; WhyNot gives the reason if not.
	Overlaid bool
	WhyNot   string
	// Layout is the seed it was linked with. It is not the requested one if the
	// variant has only one link order (a kept binary).
	Layout uint64
	// LinkTime is the time of linking this function order; 0 if it existed.
	LinkTime time.Duration
	// Finding, if not nil, is about the build of the package.
	Finding *finding.Finding
}

// ErrAbsent is wrapped by a Source's error if the variant does not have the
// package, or no tests in it. Then the benchmarks are only in one variant,
// which is no failure.
var ErrAbsent = errors.New("not there")

// Source gives the test binaries of one variant.
type Source interface {
	// Binary builds the tests of a package; layout is the seed of the link
	// order, 0 for the default order. It may be called concurrently.
	Binary(ctx context.Context, pkg string, layout uint64) (Binary, error)
	// Release reports that the binary of a function order is not needed any
	// more.
	Release(pkg string, layout uint64)
}
