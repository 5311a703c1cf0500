// Package lint finds benchmarks that measure the wrong thing.
//
// The pipeline: [Checks] lists the checks, an analyzer and a file each, with
// its documentation in checks/NAME.md. Each analyzer requires the sheet
// (sheet.go), which is made once for a package: its benchmark functions, their
// timed loops (loops.go) and the lines that //tare:ignore silences (ignore.go).
// An analyzer walks the sheet and reports. Any driver of go/analysis runs them:
// tare lint, go vet -vettool, golangci-lint, an editor.
//
// The analyzers judge from the source alone and report nothing when in doubt.
// tare lint -prove reads the machine code as well; [TimedLoops] is the list of
// loops that it looks for.
package lint
