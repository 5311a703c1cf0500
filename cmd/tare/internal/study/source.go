package study

import (
	"context"
	"errors"
	"time"

	"github.com/tarebench/tare/internal/finding"
)

// Binary is a test binary that is ready to run.
type Binary struct {
	// Path is the executable, Dir its working directory, Env its whole
	// environment.
	Path, Dir string
	Env       []string
	// Extra is the variant's addition to the environment of this process.
	Extra []string
	// Command runs a program, one process per slice. In its words, $BIN is Path.
	// It is nil for a test binary.
	Command []string
	// Program is the name of the program.
	Program string
	// Overlaid is true if it serves slices. WhyNot gives the reason if not.
	Overlaid bool
	WhyNot   string
	// Layout is the seed it was linked with. It differs from the requested seed
	// if the variant has only one function order (a kept binary).
	Layout uint64
	// LinkTime is the time to link this function order, or 0 if it existed.
	LinkTime time.Duration
	// Finding, if not nil, is about the build of the package.
	Finding *finding.Finding
}

// ErrAbsent is wrapped by a Source's error if the variant does not have the
// package or its tests. The benchmarks are then only in one variant, which is
// not a failure.
var ErrAbsent = errors.New("not there")

// Source gives the test binaries of one variant.
type Source interface {
	// Binary builds the tests of a package. layout is the seed of the function
	// order, or 0 for the default order. It may be called concurrently.
	Binary(ctx context.Context, pkg string, layout uint64) (Binary, error)
	// Release reports that the binary of a function order is no longer needed.
	Release(pkg string, layout uint64)
}
