package lint

import (
	"flag"
	"fmt"
	"strings"
)

// Document writes docs/lint.md from the checks: what each looks for, an
// example of the mistake and one of the remedy.
func Document() string {
	var b strings.Builder
	b.WriteString(`# tare lint: benchmarks that measure the wrong thing

<!-- Written by go test ./lint -run TestDocument -update from the checks themselves. -->

` + "```" + `
tare lint ./...                       report
tare lint -diff ./...                 show the suggested fixes; -fix applies them
tare lint -prove ./...                ask the machine code whether the work is still there
tare lint -checks all ./...           also the checks that are off by default
tare lint -checks deadresult,bnsize   only these; -checks=-benchname leaves one out
tare lint -format sarif -o lint.sarif ./...
go vet -vettool=$(which tare) ./...   the same checks inside go vet
` + "```" + `

The exit code is 0 without findings, 3 with findings, 1 when packages do not build, 2 for wrong usage. ` + "`-json`" + ` prints one document with all findings.

` + "`//tare:ignore ID REASON`" + `, on the line of the finding or alone on the line above it, silences one check there.

The checks read the source and keep quiet when in doubt. What they found in real benchmarks, and how much of it was true, is in [results/lint.md](results/lint.md). ` + "`-prove`" + ` goes further: it builds the test binary, finds the timed loop in the machine code through every level of inlining, and says which calls are gone. A suspicion that the machine code refutes is shown as kept and does not count.

A check is on by default when at least 95 % of what it found in real code was true, or when it found nothing there; ` + "`-checks all`" + ` adds the others. Some checks look further when a flag asks for it (` + "`-benchname.spaces`, `-setbytes.missing`" + ` and others below): what that adds is mostly harmless in real code, so no default has it.

For golangci-lint there is an adapter in [lint/golangci](../lint/golangci), a module of its own; a test there builds it into golangci-lint v2.15.0 and finds what it should.

| check | default | severity | the mistake |
|---|---|---|---|
`)
	for _, c := range Checks() {
		state := "on"
		if !c.Default {
			state = "off"
		}
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s | %s |\n", c.Name, c.Name, state, c.Severity, c.Title)
	}
	for _, c := range Checks() {
		summary, text, _ := strings.Cut(c.Doc, "\n\n")
		fmt.Fprintf(&b, "\n## %s\n\nThe check's job: %s.\n\n%s\n", c.Name, summary, text)
		c.Flags.VisitAll(func(f *flag.Flag) {
			fmt.Fprintf(&b, "\n`-%s.%s`: %s.\n", c.Name, f.Name, f.Usage)
		})
		fmt.Fprintf(&b, "\nWrong:\n\n```go\n%s\n```\n\nRight:\n\n```go\n%s\n```\n", strings.TrimSpace(c.Wrong), strings.TrimSpace(c.Right))
	}
	return b.String()
}
