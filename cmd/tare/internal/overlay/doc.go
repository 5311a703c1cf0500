// Package overlay rewrites the standard library so that test binaries can be
// measured in slices, with calibrated timers, or counted under callgrind.
//
// The pipeline: [Generate] parses the benchmark.go of the user's own GOROOT,
// renames a few methods of testing.B, adds one field to it, and puts the files
// of two folders next to it: serving has timers that know their own overhead
// and, when a parent asks for it through TARE_WORKER, the service of slices,
// through a pipe or through the memory that board lays out. [Counting] does the
// same for a build that callgrind counts, with the folder region and two files
// of package runtime. cmd/go takes the result through -overlay; without the
// variable the binary behaves as plain go test.
//
// The folders are Go packages, so that gofmt and vet read them. What they need
// of package testing is what their stock.go declares; a package testing that
// differs is refused by name ([ShapeError]), and the caller falls back to plain
// processes. No copy of the Go sources lives in this repository.
package overlay
