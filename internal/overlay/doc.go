// Package overlay rewrites package testing so that test binaries can be
// measured in slices, with calibrated timers.
//
// The pipeline: [Generate] parses the benchmark.go of the user's own GOROOT,
// renames a few methods of testing.B, adds one field to it, and puts one file
// of ours (worker.go.txt) beside it. cmd/go takes both through -overlay. No
// copy of the Go sources lives in this repository; a shape of package testing
// that is not recognised is refused by name ([ShapeError]), and the caller
// falls back to plain processes.
package overlay
