package report_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/report"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/test/golden"
	"github.com/tarebench/tare/cmd/tare/internal/test/studies"
	"github.com/tarebench/tare/cmd/tare/internal/words"
	"github.com/tarebench/tare/internal/finding"
)

// TestPullRequestKeepsRegressions: a shortened comment keeps the regressions,
// the greatest first. One change in two units is one row.
func TestPullRequestKeepsRegressions(t *testing.T) {
	var c result.Comparison
	c.Variants = []result.Variant{{Label: "main", Revision: "3f1c2ab00000"}, {Label: ".", Dirty: true}}
	c.Delta = 0.02
	add := func(name, unit string, v result.Verdict, ratio float64) {
		value := result.Estimate{Center: 1e-6, Lo: 1e-6, Hi: 1e-6, N: 8}
		c.Benchmarks = append(c.Benchmarks, result.BenchmarkComparison{Key: result.Key{Pkg: "p", Name: name}, Unit: unit, NewVariant: 1, Old: value, New: value,
			Verdict: v, Change: result.Change{Ratio: ratio, Lo: ratio * 0.99, Hi: ratio * 1.01}, Blocks: 8})
	}
	for i := range 700 {
		add(fmt.Sprintf("Undecided/with/a/name/as/long/as/they/come/%d", i), "sec/op", result.Undecided, 1)
	}
	add("AAA", "sec/op", result.Slower, 1.1)
	add("ZZZ", "sec/op", result.Slower, 1.63)
	c.Summary = result.Summary{Slower: 2, Undecided: 700}
	d := report.Document{Comparison: &c}
	for _, limit := range []int{2000, report.CommentLimit, 1 << 20} {
		var b bytes.Buffer
		if err := report.PullRequest(&b, d, limit); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		first, second := strings.Index(text, "ZZZ"), strings.Index(text, "AAA")
		if first < 0 || second < first {
			t.Errorf("limit %d: the regressions stand at %d and %d", limit, first, second)
		}
		if strings.Count(text, "AAA") != 1 {
			t.Errorf("limit %d: one change is reported %d times", limit, strings.Count(text, "AAA"))
		}
		if !strings.Contains(text, "3f1c2ab00000") || len(text) > limit {
			t.Errorf("limit %d: %d bytes, and the commit is there: %v", limit, len(text), strings.Contains(text, "3f1c2ab00000"))
		}
		if left := strings.Contains(text, "700 undecided rows left out"); left != (limit < 1<<20) {
			t.Errorf("limit %d: says that rows were left out: %v", limit, left)
		}
	}
	var junit bytes.Buffer
	if err := report.JUnit(&junit, d); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(junit.String(), "<failure"); n != 2 {
		t.Errorf("JUnit has %d failures, want 2", n)
	}
}

func TestPullRequestStaysWithinItsLimit(t *testing.T) {
	t.Parallel()
	for _, limit := range []int{60_000, 200_000, 1 << 20} {
		var b bytes.Buffer
		if err := report.PullRequest(&b, studies.Large(), limit); err != nil {
			t.Fatal(err)
		}
		if b.Len() > limit {
			t.Errorf("limit %d: %d bytes", limit, b.Len())
		}
		if limit == 60_000 && !strings.Contains(b.String(), "left out to stay within") {
			t.Error("rows were dropped in silence")
		}
	}
}

func TestJUnitByJunitparser(t *testing.T) {
	t.Parallel()
	d := studies.Compared(studies.Study(8, 12, 8, 1))
	got := python(t, "junitparser", `
import sys, junitparser
x = junitparser.JUnitXml.fromstring(sys.stdin.read().encode())
cases = [c for s in x for c in s]
kinds = [type(r).__name__ for c in cases for r in c.result]
print(x.tests, len(cases), x.failures, kinds.count("Failure"), kinds.count("Skipped"))`, render(t, report.JUnit, d))
	if got != "8 8 1 1 1" {
		t.Errorf("junitparser reads tests, cases, failures, failed, skipped as %s, want 8 8 1 1 1", got)
	}
}

func TestJUnitCounts(t *testing.T) {
	d := studies.Compared(studies.Study(8, 12, 12, 1))
	d.Comparison.Benchmarks[0].Verdict = result.Failed
	var suites struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
		Suites   []struct {
			Cases []struct {
				Failure *struct{} `xml:"failure"`
				Error   *struct{} `xml:"error"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal([]byte(render(t, report.JUnit, d)), &suites); err != nil {
		t.Fatal(err)
	}
	var tests, failures, broken int
	for _, s := range suites.Suites {
		for _, c := range s.Cases {
			tests++
			if c.Failure != nil {
				failures++
			}
			if c.Error != nil {
				broken++
			}
		}
	}
	if tests != suites.Tests || failures != suites.Failures || broken != suites.Errors || failures == 0 || broken == 0 {
		t.Errorf("counted %d tests, %d failures, %d errors; the file says %d, %d, %d", tests, failures, broken, suites.Tests, suites.Failures, suites.Errors)
	}
}

// python runs a script of a foreign reader on text, or skips by name if the
// reader is missing. The system's Python goes first: its packages have the
// readers, and another one may be first in PATH.
func python(t *testing.T, module, script, text string) string {
	t.Helper()
	python := "/usr/bin/python3"
	if _, err := os.Stat(python); err != nil {
		python = "python3"
	}
	if err := exec.Command(python, "-c", "import "+module).Run(); err != nil {
		t.Skipf("no %s: apt-get install python3-%s, or pip install %s", module, strings.ReplaceAll(module, "_", "-"), module)
	}
	cmd := exec.Command(python, "-c", script)
	cmd.Stdin = strings.NewReader(text)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s refuses it: %v", module, err)
	}
	return strings.TrimSpace(string(out))
}

func render(t *testing.T, write func(io.Writer, report.Document) error, d report.Document) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b, d); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestMeansOfUnchangedRows: the comment of a pull request has no mean of rows
// that are folded, and none of a single row.
func TestMeansOfUnchangedRows(t *testing.T) {
	row := func(name, unit string, v result.Verdict) result.BenchmarkComparison {
		return result.BenchmarkComparison{Key: result.Key{Name: name}, Unit: unit, NewVariant: 1, Verdict: v, Exact: v == result.Same, Change: result.Change{Ratio: 1, Lo: 1, Hi: 1}}
	}
	c := &result.Comparison{
		Variants:   []result.Variant{{Label: "main"}, {Label: "."}},
		Benchmarks: []result.BenchmarkComparison{row("A", "sec/op", result.Slower), row("B", "sec/op", result.Same), row("A", "B/op", result.Same), row("B", "B/op", result.Same)},
		GeoMeans: []result.GeoMean{
			{Unit: "sec/op", NewVariant: 1, N: 2, Change: result.Change{Ratio: 1.25}}, {Unit: "B/op", NewVariant: 1, N: 2, Change: result.Change{Ratio: 1}},
			{Unit: "B/op", NewVariant: 1, N: 1, Change: result.Change{Ratio: 1}},
		},
	}
	var b bytes.Buffer
	if err := report.PullRequest(&b, report.Document{Comparison: c}, report.CommentLimit); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(strings.ToLower(b.String()), "geometric mean"); n != 1 || !strings.Contains(b.String(), "+25") {
		t.Errorf("%d means, want that of sec/op alone:\n%s", n, b.String())
	}
}

// TestSameCodeIsNotDrawn: benchmarks that were not measured, because their code
// is the same, are counted in the title and have no strip.
func TestSameCodeIsNotDrawn(t *testing.T) {
	d := studies.Compared(studies.Study(3, 8, 10, 1))
	row := &d.Comparison.Benchmarks[0]
	row.Verdict, row.Reason, row.Blocks = result.Same, result.ReasonSameCode, 0
	d.Comparison.Summary = judge.Summarize(d.Comparison.Benchmarks)
	var b strings.Builder
	if err := report.SVG(&b, d); err != nil {
		t.Fatal(err)
	}
	if picture := b.String(); strings.Contains(picture, row.Name+"-2") || !strings.Contains(picture, "2 measured, 1 same code") {
		t.Errorf("the picture shows %s, or not what was left out:\n%s", row.Name, picture[:2000])
	}
}

// TestNotReached: every export shows how many benchmarks a total did not reach,
// which ones, and the next step.
func TestNotReached(t *testing.T) {
	c := result.Comparison{Delta: 0.03, Variants: []result.Variant{{Label: "main"}, {Label: "HEAD"}}, Summary: result.Summary{Undecided: 1, NotReached: 2}}
	value := result.Estimate{Center: 1e-6, Lo: 1e-6, Hi: 1e-6, N: 8}
	c.Benchmarks = []result.BenchmarkComparison{{Key: result.Key{Name: "Open"}, Unit: "sec/op", NewVariant: 1, Old: value, New: value,
		Verdict: result.Undecided, Needed: 40, Change: result.Change{Ratio: 1, Lo: 0.9, Hi: 1.1}, Blocks: 8}}
	for _, name := range []string{"Late", "Later"} {
		c.Benchmarks = append(c.Benchmarks, result.BenchmarkComparison{Key: result.Key{Name: name}, Unit: "sec/op", NewVariant: 1, Verdict: result.NotReached,
			Findings: []finding.Finding{catalog.NotReached.Of(name, finding.Text("why", "the time was over"), finding.Count("blocks", 8, "block"))}})
	}
	c.Findings = []finding.Finding{catalog.TotalTooShort.Of("", finding.Count("left", 2, ""), finding.Count("benchmarks", 3, "benchmark"),
		finding.Quantity("total", 300, "sec"), finding.Quantity("enough", 900, "sec"))}
	d := report.Document{Comparison: &c}
	const short = "2 of 3 benchmarks were not reached in 300 s; about 900 s would reach all; " +
		"raise -total, divide the run among machines with -shard, or choose benchmarks with -bench"
	var comment, junit, log bytes.Buffer
	for _, err := range []error{report.PullRequest(&comment, d, report.CommentLimit), report.JUnit(&junit, d), report.Annotations(&log, d)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for what, in := range map[string]struct{ text, want string }{
		"the tally":                {comment.String(), "**1 undecided, 2 not reached**"},
		"the summary of a comment": {comment.String(), "No benchmark is known to differ by more than 3%, but not all exclude a change: 1 undecided, 2 not reached.\n"},
		"the finding of a comment": {comment.String(), "**warning**: " + short},
		"the names in a comment":   {comment.String(), "<details><summary>⏳ 2 benchmarks not reached</summary>\n\nLate, Later\n"},
		"an undecided row":         {comment.String(), "| 🟡 undecided; about 40 blocks would settle it | `Open` |"},
		"JUnit":                    {junit.String(), `<skipped message="not reached: the time was over before its first look, at 8 blocks; raise -total, or continue with -resume">`},
		"the annotation":           {log.String(), "::warning title=tare::" + short + "\n"},
	} {
		if !strings.Contains(in.text, in.want) {
			t.Errorf("%s is not %q in\n%s", what, in.want, in.text)
		}
	}
}

// TestSameCodeIsNotMeasured: a comment does not call a benchmark compared that
// was not measured.
func TestSameCodeIsNotMeasured(t *testing.T) {
	c := result.Comparison{Delta: 0.03, Summary: result.Summary{Same: 1, SameCode: 1}, Benchmarks: []result.BenchmarkComparison{
		{Key: result.Key{Name: "X"}, Unit: "sec/op", NewVariant: 1, Verdict: result.Same, Reason: result.ReasonSameCode}}}
	var b bytes.Buffer
	if err := report.PullRequest(&b, report.Document{Comparison: &c}, report.CommentLimit); err != nil {
		t.Fatal(err)
	}
	if want := "Nothing was measured: the machine code of 1 benchmark is the same in both variants.\n"; !strings.Contains(b.String(), want) || strings.Contains(b.String(), "known to differ") {
		t.Errorf("no %q in\n%s", want, b.String())
	}
}

// TestAnnotationNamesTheCulprit: a regression is annotated at the line of its
// first likely cause in the repository, whatever else has its name.
func TestAnnotationNamesTheCulprit(t *testing.T) {
	c := result.Comparison{Delta: 0.03, Variants: []result.Variant{{Label: "main"}, {Label: "HEAD"}}}
	for _, pkg := range []string{"p", "q"} {
		c.Benchmarks = append(c.Benchmarks, result.BenchmarkComparison{Key: result.Key{Pkg: pkg, Name: "X"}, Unit: "sec/op", NewVariant: 1,
			Verdict: result.Slower, Change: result.Change{Ratio: 1.2, Lo: 1.1, Hi: 1.3}})
	}
	cause := func(pkg, variant, cause string, at ...finding.Value) {
		c.Findings = append(c.Findings, catalog.LikelyCause.Of("X", append(at, finding.Text("verdict", "slower"), finding.Text("pkg", pkg),
			finding.Text("variant", variant), finding.Text("cause", cause))...))
	}
	line := func(file string, n int) []finding.Value {
		return []finding.Value{finding.Text("file", file), finding.Count("line", n, "")}
	}
	cause("q", "HEAD", "strings.Index allocates") // not in the repository
	cause("q", "other", "q.Other allocates", line("q/other.go", 3)...)
	cause("q", "HEAD", "q.Work allocates", line("q/a,b.go", 7)...)
	cause("q", "HEAD", "q.Late allocates", line("q/late.go", 9)...)
	var log bytes.Buffer
	if err := report.Annotations(&log, report.Document{Comparison: &c}); err != nil {
		t.Fatal(err)
	}
	want := "::error title=X::slower: +20.0%25 (+10.0 … +30.0%25)\n::error file=q/a%2Cb.go,line=7,title=X::slower: +20.0%25 (+10.0 … +30.0%25); q.Work allocates\n"
	if log.String() != want {
		t.Errorf("got\n%swant\n%s", log.String(), want)
	}
}

// TestNextStepOnce: each format names the next step of notes of one kind once, also
// if other notes are between them.
func TestNextStepOnce(t *testing.T) {
	c := &result.Comparison{Delta: 0.02, Variants: []result.Variant{{Label: "main"}, {Label: "."}}}
	for _, name := range []string{"A", "B", "C"} {
		c.Benchmarks = append(c.Benchmarks, result.BenchmarkComparison{Key: result.Key{Name: name}, Unit: "sec/op", NewVariant: 1, Primary: true,
			Verdict: result.Slower, Change: result.Change{Ratio: 1.2, Lo: 1.1, Hi: 1.3}, Findings: []finding.Finding{
				catalog.LikelyCause.Of(name, finding.Text("verdict", "slower"), finding.Text("variant", "."), finding.Text("cause", name+" allocates")),
				catalog.NotAfterAdjustment.Of(name, finding.Text("p", "0.0"+name), finding.Count("rows", 3, "row")),
			}})
	}
	d := report.Document{Comparison: c}
	for format, write := range map[string]func(io.Writer, report.Document) error{
		"text":         func(w io.Writer, d report.Document) error { return report.Text(w, d, report.Options{}) },
		"markdown":     report.Markdown,
		"pull-request": func(w io.Writer, d report.Document) error { return report.PullRequest(w, d, report.CommentLimit) },
	} {
		if text := render(t, write, d); strings.Count(text, "tare explain") != 1 || strings.Count(text, "allocates") != 3 {
			t.Errorf("%s: tare explain is advised %d times in\n%s", format, strings.Count(text, "tare explain"), text)
		}
	}
}

// odd is a comparison whose names, variants, command and notes have the signs of
// Markdown and of a shell.
func odd() report.Document {
	c := &result.Comparison{
		Alpha: 0.05, Delta: 0.02, Config: map[string]string{"goos": "linux"},
		Variants: []result.Variant{{Label: "HEAD~1", Revision: "3f1c2ab00000", Go: "go1.26.8"}, {Label: "feature_*", Dirty: true}},
	}
	for i, name := range []string{"Decode/_private_/it's-8", "Encode/*ptr", "Match/a|b", "Tick/`x`"} {
		b := result.BenchmarkComparison{Key: result.Key{Pkg: "example.com/m", Name: name}, Unit: "sec/op", NewVariant: 1, Primary: true, Blocks: 8, P: new(0.0004),
			Old: result.Estimate{Center: 1e-6, Lo: 0.99e-6, Hi: 1.01e-6, N: 8}, New: result.Estimate{Center: 1.1e-6, Lo: 1.09e-6, Hi: 1.11e-6, N: 8},
			Verdict: result.Slower, Change: result.Change{Ratio: 1.1 + float64(i)/100, Lo: 1.08, Hi: 1.16}}
		b.Findings = []finding.Finding{catalog.LikelyCause.Of(name, finding.Text("verdict", "slower"), finding.Text("variant", "HEAD~1"),
			finding.Text("cause", fmt.Sprintf("(*T).m_%d allocates, at m.go:3#%d", i, i)))}
		c.Benchmarks = append(c.Benchmarks, b)
	}
	c.Summary = judge.Summarize(c.Benchmarks)
	return report.Document{Comparison: c, Command: []string{"/usr/bin/tare", "compare", "-bench", "it's|_private_|*`x`", "HEAD~1", "feature_*", "./" + strings.Repeat("long/", 80)}}
}

// TestPullRequestReadsWell: names are code, and the command is whole, so that it can
// be pasted from the rendered text and from the source.
func TestPullRequestReadsWell(t *testing.T) {
	text := render(t, func(w io.Writer, d report.Document) error { return report.PullRequest(w, d, report.CommentLimit) }, odd())
	golden.Check(t, "pull-request.md", []byte(text))
	for _, never := range []string{`\~`, `\_`, `\*`, "&#", "&lt;"} {
		if strings.Contains(text, never) {
			t.Errorf("%s in\n%s", never, text)
		}
	}
	if command := words.Shell(append([]string{"tare"}, odd().Command[1:]...)); !strings.Contains(text, "\n```\n"+command+"\n```\n") {
		t.Errorf("no line %s in\n%s", command, text)
	}
	if n := strings.Count(text, "tare explain"); n != 1 {
		t.Errorf("tare explain is advised %d times in\n%s", n, text)
	}
}

// TestPullRequestCommand: a command that does not fit is left out and not cut, and a
// fence in a command does not end its block.
func TestPullRequestCommand(t *testing.T) {
	d := odd()
	d.Command = []string{"tare", "compare", "-bench", "```", "HEAD~1", "."}
	write := func(limit int) string {
		return render(t, func(w io.Writer, d report.Document) error { return report.PullRequest(w, d, limit) }, d)
	}
	if text := write(report.CommentLimit); !strings.Contains(text, "\n````\ntare compare -bench '```' 'HEAD~1' .\n````\n") {
		t.Errorf("no block in\n%s", text)
	}
	d.Command[3] = strings.Repeat("x", 9000)
	if text := write(10_000); len(text) > 10_000 || strings.Contains(text, "xxx") || !strings.Contains(text, "command left out") {
		t.Errorf("%d bytes:\n%s", len(text), text)
	}
}

// TestSummaryIsOneLine: the line of tare compare -watch has the verdicts, the changes
// and what failed.
func TestSummaryIsOneLine(t *testing.T) {
	d := odd()
	d.Comparison.Findings = []finding.Finding{catalog.NotBuilt.Of("example.com/m/sub", finding.Text("variant", "feature_*"), finding.Text("why", "sub.go:3: undefined: x\nsub.go:4: undefined: y"))}
	text := render(t, func(w io.Writer, d report.Document) error { return report.Summary(w, d, report.Options{}) }, d)
	want := "4 slower: Tick/`x` +13.0% (+8.0 … +16.0%); Match/a|b +12.0% (+8.0 … +16.0%); Encode/*ptr +11.0% (+8.0 … +16.0%); " +
		"Decode/_private_/it's-8 +10.0% (+8.0 … +16.0%); example.com/m/sub: feature_*: sub.go:3: undefined: x\n"
	if text != want {
		t.Errorf("got\n%swant\n%s", text, want)
	}
}
