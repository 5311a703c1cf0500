// Package lint finds benchmarks that measure the wrong thing.
//
// [Checks] lists the checks. Each has an analyzer, a file, and its
// documentation in checks/NAME.md. Each analyzer requires the sheet (sheet.go),
// which is made once for a package: its benchmark functions, their timed loops
// (loops.go) and the lines that //tare:ignore silences (ignore.go). An analyzer
// walks the sheet and reports. Any driver of go/analysis runs the analyzers:
// tare lint, go vet -vettool, golangci-lint, an editor.
//
// The analyzers judge from the source alone and report nothing when in doubt.
package lint
