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
		t.Errorf("%s is stale: run go test ./lint -run %s -update", name, t.Name())
	}
}

// document is docs/lint.md, made from the pages of the checks.
func document() string {
	var b strings.Builder
	b.WriteString(`# tare lint: benchmarks that measure the wrong thing

<!-- Written by go test ./lint -run TestDocument -update from the checks themselves. -->

` + "```" + `
tare lint ./...                       report
tare lint -diff ./...                 show the suggested fixes; -fix applies them
tare lint -prove ./...                ask the machine code whether the work is still there
tare lint -checks deadresult,bnsize   only these; -checks=-noloop leaves one out
tare lint -explain deadresult         print the documentation of a check
tare lint -format sarif -o lint.sarif ./...
go vet -vettool=$(which tare) ./...   the same checks inside go vet
` + "```" + `

The exit code is 0 without findings, 3 with findings, 1 when a package does not build (the others are checked all the same), 2 for wrong usage. ` + "`-json`" + ` prints one document with all findings.

` + "`//tare:ignore ID REASON`" + `, on the line of the finding or alone on the line above it, silences one check there.

The checks read the source and report nothing when in doubt. What they found in real benchmarks, and how much of it was true, is in [results/lint.md](results/lint.md). ` + "`-prove`" + ` goes further: it builds the test binary, finds the timed loop in the machine code through every level of inlining, and says which calls are gone. It also reports a loop of which nothing is left at all. A finding that the machine code refutes is shown as kept and does not count.

A check stays when at least 95% of what it found in real code was true, or when it found nothing there.

## Where it runs

- In a module, without installing anything: ` + "`go get -tool github.com/tarebench/tare/cmd/tare`" + `, then ` + "`go tool tare lint ./...`" + `.
- In go vet: ` + "`go vet -vettool=$(go tool -n tare) ./...`" + `.
- In [pre-commit](https://pre-commit.com): the hooks tare-lint and tare-run-once of this repository ([.pre-commit-hooks.yaml](../.pre-commit-hooks.yaml)).
- In golangci-lint: [lint/golangci](../lint/golangci) is a module plugin. ` + "`lint/golangci/build -o FILE`" + ` builds a golangci-lint v2.15.0 with it, from the module proxy alone; that took 125 s of processor time the first time (10 m 45 s of wall time at a load of 30 on two processors, downloads included) and made a program of 73 MB. Its package documentation has the files for ` + "`golangci-lint custom`" + `, which clones a repository and is not part of the tests here. Long tests build the program and run it over samples/.
- On a code host: ` + "`tare lint -format sarif`" + `.

## The checks

| check | severity | the mistake |
|---|---|---|
`)
	for _, c := range lint.Checks() {
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s |\n", c.Name, c.Name, c.Severity, c.Title())
	}
	for _, c := range lint.Checks() {
		summary, text, _ := strings.Cut(c.Doc, "\n\n")
		fmt.Fprintf(&b, "\n## %s\n\nIt is there to %s.\n\n%s\n", c.Name, summary, text)
		wrong, right := c.Examples()
		fmt.Fprintf(&b, "\nWrong:\n\n```go\n%s\n```\n\nRight:\n\n```go\n%s\n```\n", wrong, right)
	}
	return b.String()
}

func TestDocument(t *testing.T) {
	stale(t, filepath.Join("..", "..", "..", "docs", "lint.md"), document())
}

// TestResults holds docs/results/lint.md to the judgments, and each check to
// its precision.
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

<!-- Written by go test ./lint -run TestResults -update from lint/testdata/corpus. -->

The corpus is the standard library's own benchmarks (Go 1.26) and those of %d well-known modules, versions pinned in lint/testdata/corpus/modules.txt. All checks ran. Every finding was printed with its line and judged, with a reason where it needs one in lint/testdata/corpus/judged.txt:

- true: the benchmark measures something else than it says, or its results are read wrongly, and the advice is right;
- doubtful: the statement holds, but the effect is small, or the author may well have meant it;
- false: the code is right.

Precision is true findings among all findings: a doubtful one counts against the check. A check stays while its precision is at least 95%%; one that found nothing here has shown no false alarm, and no more than that. The authors of the checks judged their own findings, and some checks were narrowed after a reading of this corpus: expect somewhat less on other code. After the last reading (Go 1.26.8) that was growingstate, loopgoroutine, missingreset and parallelbody: six false and four doubtful findings, which stand as comments at the end of judged.txt, are not in the table. The narrowed checks have fixtures like them. All checks, with the rules that the second set below made wider, ran over the whole corpus again since: they found what is judged, and one more, false, by a wider rule of bnsize, which was narrowed.

`+"```"+`
TARE_LONG=1 go test ./lint -run TestCorpus -timeout 60m    finds them again and compares
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

lint/testdata/recall has %d benchmarks with a mistake and %d that look like them and are correct. They were written before the checks that find them; of the wrong ones the checks found 37 before that. After changes to the checks they miss %d, and report nothing in the right ones.

A second set, wrong2 and right2, was written after the checks by somebody who had read the list of them and neither their code nor the first set: %d benchmarks with a mistake and 30 that look like them. At first sight the checks found 54 of the wrong ones (81%%) and reported one of the right ones. Most of the 13 that were missed then led to wider rules; now %d are missed, nothing is reported in the %d right ones (among them new ones that look like what the wider rules report), and the set measures no more than that.

-prove reports each of %d benchmarks whose work the compiler deletes or computes in advance, and none of %d whose work is kept. Of its second set, deleted2 and kept2, written in the same way, it reported 19 of 19 and none of 22 at first sight; two that were meant to be deleted are not, and went to the others.

The tests below fail when a wrong benchmark more is missed, or a right one reported.

`+"```"+`
go test ./lint -run TestRecall -v
go test ./internal/lintdriver -run TestProve -v
`+"```"+`
`, wrong, in("right"), missedOfFirst, second, missedOfSecond, in("right2"), in("deleted"), in("kept"))
	b.WriteString(`
Six checks were removed with their 9 benchmarks of the first two sets: parallelfatal and benchname (155 findings here, all doubtful), errorpath and hotkey (none), capturedvar (Go before 1.22) and outerb, whose two benchmarks noloop finds. The figures at first sight above include them.

## Speed

37 packages of the standard library with their tests, all checks, from a warm build cache, three turns on a busy 2-core machine: go vet 30.7, 41.2 and 26.4 s, tare lint 18.3, 17.1 and 12.7 s, ratios of 0.60, 0.42 and 0.48. What go vet needs to know of the dependencies was computed beforehand and is not in its time. The test below takes turns and fails above 1.3:

` + "```" + `
TARE_LONG=1 go test ./lint -run TestSpeed -count=1 -timeout 30m -v
` + "```" + `
`)
	stale(t, filepath.Join("..", "..", "..", "docs", "results", "lint.md"), b.String())
}
