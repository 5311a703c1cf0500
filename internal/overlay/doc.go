// Package overlay rewrites package testing so that test binaries can be
// measured in slices, with calibrated timers.
//
// The pipeline: [Generate] parses the benchmark.go of the user's own GOROOT,
// renames a few methods of testing.B, adds one field to it, and puts files of
// ours beside it. cmd/go takes them through -overlay. Ours give testing.B
// timers that know their own weight (timer.go.txt, fence*.txt), and, when a
// parent asks for it through TARE_WORKER (line.go.txt), serve slices of a
// benchmark on command (serve.go.txt), each with what the runtime did in it
// (runtime.go.txt), and stop the hardware counters that the parent hands over
// while the timer is stopped (events*.txt). Without that variable the binary
// behaves as plain go test. No copy of the Go sources lives in this repository;
// a shape of package testing that is not recognised is refused by name
// ([ShapeError]), and the caller falls back to plain processes.
package overlay
