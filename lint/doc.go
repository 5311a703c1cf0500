// Package lint finds benchmarks that measure the wrong thing.
//
// The pipeline: [Checks] lists the analyzers, one per file. Each requires the
// sheet (sheet.go), which is made once for a package: its benchmark functions,
// their timed loops (loops.go) and the lines that //tare:ignore silences
// (ignore.go). An analyzer walks the sheet and reports; whoever runs it is a
// driver: [Load] and [Run] (tare lint), go vet -vettool, golangci-lint, an
// editor.
// A driver's findings come out as [Diagnostic] values, whose fixes [Fix]
// applies.
//
// The analyzers judge from the source alone and keep quiet when in doubt.
// Package lint/prove asks the machine code.
package lint
