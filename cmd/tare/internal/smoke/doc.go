// Package smoke runs every benchmark of packages once and reports which are
// broken, and which leave goroutines or files behind.
//
// The pipeline: [Run] lists the packages with tests (packages.go), builds
// the test binary of each, with two benchmarks of ours that print the live
// goroutines (watch.go), and runs each benchmark in a process of its own, those
// of one package in turn, packages in parallel (run.go); what a process printed
// and left behind becomes a [Result] (result.go).
//
// Nothing is cached or removed: the test cache of the go command stays as it is.
package smoke
