// Package overlay rewrites the standard library so that test binaries can be
// measured in slices, with calibrated timers, or counted under callgrind.
//
// [Generate] parses the benchmark.go of the user's GOROOT, renames a few
// methods of testing.B, and adds one field to it. It then adds the files of two
// directories. Directory serving contains timers that measure their own
// overhead. If a parent sets TARE_WORKER, it also serves slices, through a pipe
// or through the memory that board defines. [Counting] does the same for a
// build that callgrind counts, with directory region and two files of package
// runtime. cmd/go takes the result through -overlay. Without the variable the
// binary behaves like plain go test.
//
// The directories are Go packages, so that gofmt and vet read them. Their
// stock.go files declare the parts of package testing that they need. If
// package testing differs, the rewrite fails with a [ShapeError], and the
// caller uses plain processes. This repository contains no copy of the Go
// sources.
package overlay
