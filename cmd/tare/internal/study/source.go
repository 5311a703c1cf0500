package study

import (
	"context"
	"errors"
	"time"
)

// Binary is a test binary, ready to run.
type Binary struct {
	// Path is the executable, Dir the folder to run it in, Env its whole
	// environment.
	Path, Dir string
	Env       []string
	// Extra is what the variant adds to the environment of this process.
	Extra []string
	// Overlaid is true when it serves slices; WhyNot says why not.
	Overlaid bool
	WhyNot   string
	// Layout is the seed it was linked with: not the one asked for where the
	// variant knows one link order only (a kept binary).
	Layout uint64
	// LinkTime is what linking this layout took; 0 when it was there.
	LinkTime time.Duration
}

// ErrAbsent is wrapped by a Source's error when the variant does not have the
// package, or no tests in it: then the benchmarks are on one side only, which
// is no failure.
var ErrAbsent = errors.New("not there")

// Source gives the test binaries of one variant.
type Source interface {
	// Binary builds the tests of a package; layout is the seed of the link
	// order, 0 for the default order. It may be called concurrently.
	Binary(ctx context.Context, pkg string, layout uint64) (Binary, error)
	// Release says that the binary of a layout is not needed any more.
	Release(pkg string, layout uint64)
}
