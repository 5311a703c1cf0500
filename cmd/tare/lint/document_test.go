package lint_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/lint"
)

// stale compares a generated file with what it should be, and writes it with
// -update.
func stale(t *testing.T, name, want string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if strings.ReplaceAll(string(got), "\r\n", "\n") != want {
		t.Errorf("%s is stale: run go test ./cmd/tare/lint -run %s -update", name, t.Name())
	}
}

// document is docs/lint.md, made from the pages of the checks.
func document() string {
	var b strings.Builder
	b.WriteString(`# tare lint: benchmarks that measure the wrong thing

<!-- Written by go test ./cmd/tare/lint -run TestDocument -update from the checks themselves. -->

` + "```" + `
tare lint ./...                       report
tare lint -checks deadresult,bnsize   only these; -checks=-noloop excludes one
tare lint -checks list,deadresult     print the documentation of a check
tare lint -profile cpu.pprof ./...    also functions that take time there and that no benchmark reaches
go vet -vettool=$(which tare) ./...   the same checks inside go vet; -fix applies the suggested fixes, -fix -diff shows them
` + "```" + `

The exit code is 0 without findings, 3 with findings, 1 if a package does not build (the others are still checked), 2 for wrong usage. ` + "`-json`" + ` prints one document with all findings.

` + "`//tare:ignore ID REASON`" + `, on the line of the finding or alone on the line above it, silences one check there.

The checks read the source and report nothing when in doubt ([results](results/lint.txt) in real benchmarks). Work that the compiler deletes unseen shows when it is measured: ` + "`tare run`" + ` reports ` + "`below-one-cycle`" + `.

## Where it runs

- In a module, without installing anything: ` + "`go get -tool github.com/tarebench/tare/cmd/tare`" + `, then ` + "`go tool tare lint ./...`" + `. It raises the ` + "`go`" + ` line of go.mod to 1.26; ` + "`go run github.com/tarebench/tare/cmd/tare@latest lint ./...`" + ` does not.
- In go vet: ` + "`go vet -vettool=$(go tool -n tare) ./...`" + `.
- In [pre-commit](https://pre-commit.com): the hook tare-lint of this repository ([.pre-commit-hooks.yaml](../.pre-commit-hooks.yaml)).
- In golangci-lint: [cmd/tare/lint/golangci](../cmd/tare/lint/golangci) is a module plugin, and its ` + "`build -o FILE`" + ` builds a golangci-lint with it.
- On a code host: golangci-lint writes SARIF and the report of GitLab.

## The checks

| check | severity | the mistake |
|---|---|---|
`)
	for _, c := range lint.Checks() {
		fmt.Fprintf(&b, "| [%s](../cmd/tare/lint/checks/%s.md) | %s | %s |\n", c.Name, c.Name, c.Severity, c.Title())
	}
	return b.String()
}

func TestDocument(t *testing.T) {
	stale(t, filepath.Join("..", "..", "..", "docs", "lint.md"), document())
}

// TestResults checks docs/results/lint.txt against the judgments, and each
// check to its precision.
func TestResults(t *testing.T) {
	type count struct{ right, wrong, doubtful int }
	counts := make(map[string]*count)
	for _, c := range lint.Checks() {
		counts[c.Name] = new(count)
	}
	var all count
	for _, j := range judged(t) {
		n := counts[j.id()]
		if n == nil {
			t.Fatalf("%s: judgment of %q, which is no check", judgedFile, j.id())
		}
		for _, n := range []*count{n, &all} {
			switch j.verdict {
			case "true":
				n.right++
			case "false":
				n.wrong++
			case "doubtful":
				n.doubtful++
			}
		}
	}
	precision := func(n count) (float64, string) {
		found := n.right + n.wrong + n.doubtful
		if found == 0 {
			return 1, "–"
		}
		p := float64(n.right) / float64(found)
		return p, fmt.Sprintf("%.0f%%", 100*p)
	}
	var b strings.Builder
	modules := textLines(t, "testdata/corpus/modules.txt")
	fmt.Fprintf(&b, `# What tare lint finds in real benchmarks

<!-- Written by go test ./cmd/tare/lint -run TestResults -update from cmd/tare/lint/testdata/corpus. -->

The corpus: the benchmarks of the standard library (Go 1.26) and of %d modules at pinned versions (testdata/corpus/modules.txt). Every finding was printed with its line and judged true, doubtful or false, with a reason (testdata/corpus/judged.txt). A check stays while at least 95%% of its findings are true. The authors of the checks judged them: expect somewhat less on other code.

`+"```"+`
go test -tags lab ./cmd/tare/lint -run TestCorpus -timeout 60m    finds them again and compares
`+"```"+`

| check | findings | true | false | doubtful | precision |
|---|---|---|---|---|---|
`, len(modules))
	for _, c := range lint.Checks() {
		n := *counts[c.Name]
		p, words := precision(n)
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %s |\n", c.Name, n.right+n.wrong+n.doubtful, n.right, n.wrong, n.doubtful, words)
		if p < 0.95 {
			t.Errorf("%s has a precision of %s, want 95%%", c.Name, words)
		}
	}
	_, words := precision(all)
	fmt.Fprintf(&b, "| **all** | %d | %d | %d | %d | %s |\n", all.right+all.wrong+all.doubtful, all.right, all.wrong, all.doubtful, words)
	fmt.Fprintf(&b, "\nThe modules: %s.\n", strings.Join(modules, ", "))
	in := func(folder string) int { return benchmarksIn(t, filepath.Join(recallFolder, folder)) }
	wrong, second := len(mistakes(t, filepath.Join(recallFolder, "wrong"))), len(mistakes(t, filepath.Join(recallFolder, "wrong2")))
	fmt.Fprintf(&b, `
## Recall

lint/testdata/recall has %d benchmarks with a mistake and %d correct ones that look like them. The checks miss %d. A second set has %d with a mistake, of which they miss %d, and %d correct ones. Nothing is reported in a correct one. Before the second set was used to widen the checks they found 54 of 64 and reported one correct benchmark.

`+"```"+`
go test ./cmd/tare/lint -run TestRecall -v
`+"```"+`
`, wrong, in("right"), missedOfFirst, second, missedOfSecond, in("right2"))
	b.WriteString(`
## Speed

37 packages of the standard library with their tests, all checks, from a warm build cache, three turns on a busy 2-core machine: go vet 30.7, 41.2 and 26.4 s, tare lint 18.3, 17.1 and 12.7 s, ratios of 0.60, 0.42 and 0.48. What go vet needs to know of the dependencies was computed beforehand and is not in its time. The test below takes turns and fails above 1.3:

` + "```" + `
go test -tags lab ./cmd/tare/lint -run TestSpeed -count=1 -timeout 30m -v
` + "```" + `
`)
	stale(t, filepath.Join("..", "..", "..", "docs", "results", "lint.txt"), b.String())
}
