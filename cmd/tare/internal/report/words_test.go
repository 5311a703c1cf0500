package report

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
	"github.com/tarebench/tare/internal/finding"
)

// evil is a name that tries an escape sequence and a change of direction.
const evil = "Evil\x1b[2J\u202e"

// TestAmount: no power of ten is shown.
func TestAmount(t *testing.T) {
	for _, test := range []struct {
		unit string
		v    float64
		want string
	}{{"B/op", -8.213e4, "-82130 B"}, {"B/op", 1912, "+1912 B"}, {"allocs/op", 179, "+179"}, {"allocs/op", -14680, "-14680"}, {"allocs/op", 7.5, "+7.500"}} {
		if got := words.SignedAmount(test.unit, test.v); got != test.want {
			t.Errorf("%v %s is shown as %q, want %q", test.v, test.unit, got, test.want)
		}
	}
}

func TestGate(t *testing.T) {
	nan := math.NaN()
	row := func(name string, procs int, verdict result.Verdict) result.BenchmarkComparison {
		r := result.BenchmarkComparison{Key: result.Key{Name: name, Procs: procs}, Unit: "sec/op", Verdict: verdict, Change: result.Change{Ratio: nan, Lo: nan, Hi: nan}}
		switch verdict {
		case result.Slower:
			r.Change, r.Exact = result.Change{Ratio: 1.5, Lo: 1.5, Hi: 1.5}, true
		case result.Same:
			r.Change, r.Exact = result.Change{Ratio: 1, Lo: 1, Hi: 1}, true
		case result.Missing:
			r.Old.Center, r.New.Center = nan, nan
		}
		return r
	}
	failed, isNew := catalog.FailedRun.Of("pkg"), row("New", 0, result.Missing)
	isNew.Reason = result.ReasonNew
	const absent = "gate: no result of the new variant: Gone (deleted), Late (not reached), Lazy (skipped)"
	for _, test := range []struct {
		rows     []result.BenchmarkComparison
		findings []finding.Finding
		limits   result.Limits
		outcome  judge.Gate
		why      string
	}{
		{rows: []result.BenchmarkComparison{row("A", 2, result.Slower), row("B", 0, result.Failed)}, outcome: judge.Regression, why: "gate: a regression, and not within 3%: A-2\ngate: no result of the new variant: B (failed)"},
		{rows: []result.BenchmarkComparison{row("A", 2, result.Failed), row("B", 0, result.Failed), row(evil, 0, result.Failed)}, outcome: judge.Open,
			why: "gate: no result of the new variant: A-2 (failed), B (failed), Evil\\x1b[2J\\u202e (failed)"},
		{outcome: judge.Open, why: "gate: nothing was compared"},
		{rows: []result.BenchmarkComparison{row("A", 0, result.Same)}, outcome: judge.Pass},
		{rows: []result.BenchmarkComparison{row("A", 0, result.Same), isNew}, outcome: judge.Pass},
		{rows: []result.BenchmarkComparison{row("A", 0, result.Same), row("Gone", 0, result.Missing), row("Late", 0, result.NotReached), row("Lazy", 0, result.Skipped)}, outcome: judge.Open, why: absent},
		{rows: []result.BenchmarkComparison{row("A", 0, result.Same), row("Gone", 0, result.Missing), row("Late", 0, result.NotReached), row("Lazy", 0, result.Skipped)}, outcome: judge.Pass, why: absent,
			limits: result.Limits{"sec/op": 0.03, result.MissingPass: 0}},
		{rows: []result.BenchmarkComparison{row("Gone", 0, result.Missing), row("Late", 0, result.NotReached), row("Lazy", 0, result.Skipped)}, outcome: judge.Open,
			why: "gate: nothing was compared\n" + absent, limits: result.Limits{"sec/op": 0.03, result.MissingPass: 0}},
		{rows: []result.BenchmarkComparison{row("A", 0, result.Same)}, findings: []finding.Finding{failed}, outcome: judge.Open, why: "gate: pkg: " + failed.Message},
	} {
		c := &result.Comparison{Alpha: 0.05, Delta: 0.03, Gate: test.limits, Benchmarks: test.rows, Findings: test.findings}
		judge.Decide(c.Benchmarks, c.Alpha, c.Delta, test.limits)
		if outcome, why := Gate(c); outcome.Gate != test.outcome || why != test.why {
			t.Errorf("%s: %s\nwant %s: %s", outcome.Gate, why, test.outcome, test.why)
		}
	}
}

// TestManyFindingsOfAKind: findings of a kind about many subjects are reported
// once, with all their subjects. Severe findings, and those of another kind, are
// reported in full.
func TestManyFindingsOfAKind(t *testing.T) {
	stall := func(name, percent string) finding.Finding {
		return finding.Finding{ID: "stall", Severity: finding.Info, Subject: name, Message: "the mean takes " + percent + " more", Action: "look"}
	}
	grave := func(name string) finding.Finding {
		return finding.Finding{ID: "grave", Severity: finding.Severe, Subject: name, Message: name + " is broken", Action: "mend it"}
	}
	few := func(name string) finding.Finding {
		return finding.Finding{ID: "few", Severity: finding.Warning, Subject: name, Message: name + " has few", Action: "take more"}
	}
	cause := func(name, text string) finding.Finding {
		return catalog.LikelyCause.Of(name, finding.Text("verdict", "slower"), finding.Text("variant", "."), finding.Text("cause", text))
	}
	list := []finding.Finding{
		stall("A", "5%"), stall("B", "6%"), stall("C", "6%"), stall("D", "7%"), stall("E", "8%"), stall("F", "9%"),
		few("A"), few("B"), few("C"), grave("A"), grave("B"), grave("C"), grave("D"),
	}
	causes := []finding.Finding{cause("A", "it allocates"), cause("A", "it locks"), cause("B", "it copies"), cause("C", "it waits")}
	for _, c := range []struct {
		list []finding.Finding
		want []string
	}{
		{list, []string{
			"A: A is broken", "B: B is broken", "C: C is broken", "D: D is broken",
			"A: A has few", "B: B has few", "C: C has few",
			"A: the mean takes 5% more (with other numbers: B, C, D and 2 more)",
		}},
		{causes, []string{"A: slower in .: it allocates", "A: slower in .: it locks", "B: slower in .: it copies", "C: slower in .: it waits"}},
		{append(causes, cause("D", "it sleeps")), []string{"A: slower in .: it allocates (with other causes: B, C, D)"}},
	} {
		var got []string
		for _, n := range notes(c.list) {
			got = append(got, words.List(n.Subjects)+": "+n.Message)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
}

func TestCollections(t *testing.T) {
	of := func(share float64) *result.RuntimeCounts { return &result.RuntimeCounts{GCs: 3, GCShare: share} }
	for _, test := range []struct {
		sides []*result.RuntimeCounts
		want  string
	}{
		{[]*result.RuntimeCounts{of(0.31)}, "of it garbage collection 31%"},
		{[]*result.RuntimeCounts{of(0.31), of(0.31)}, "of it garbage collection 31%"},
		{[]*result.RuntimeCounts{of(0), of(0.31)}, "of it garbage collection 0% and 31%"},
		{[]*result.RuntimeCounts{of(0.12), of(0.31)}, "of it garbage collection 12% and 31%"},
		{[]*result.RuntimeCounts{of(0.09), of(0.05)}, ""},
		{[]*result.RuntimeCounts{nil, of(0.31)}, ""},
	} {
		if got := words.Collections(test.sides...); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
	// In the table, after the verdict and after the way to settle it.
	row := result.BenchmarkComparison{Key: result.Key{Name: "X"}, Unit: "sec/op", NewVariant: 1, Blocks: 8,
		Old: result.Estimate{Center: 1, Lo: 1, Hi: 1, N: 8}, New: result.Estimate{Center: 2, Lo: 2, Hi: 2, N: 8},
		Change: result.Change{Ratio: 2, Lo: 1.9, Hi: 2.1}, Verdict: result.Slower, OldRuntime: of(0.12), NewRuntime: of(0.31)}
	var b strings.Builder
	d := Document{Comparison: &result.Comparison{Variants: []result.Variant{{Label: "main"}, {Label: "."}}, Delta: 0.02, Alpha: 0.05, Benchmarks: []result.BenchmarkComparison{row}}}
	if err := Text(&b, d, Options{}); err != nil {
		t.Fatal(err)
	}
	if want := "slower; of it garbage collection 12% and 31%"; !strings.Contains(b.String(), want) {
		t.Errorf("no %q in\n%s", want, b.String())
	}
}

// TestNotBuilt: a variant that does not build is the next step, before benchmarks
// that it therefore misses.
func TestNotBuilt(t *testing.T) {
	why := "compile .: package p:\n# p\n./x.go:1:1: undefined: y"
	d := Document{Comparison: &result.Comparison{
		Variants: []result.Variant{{Label: "main"}, {Label: "."}}, Delta: 0.02, Alpha: 0.05,
		Findings:   []finding.Finding{catalog.NotBuilt.Of("p", finding.Text("variant", "."), finding.Text("why", why))},
		Benchmarks: []result.BenchmarkComparison{{Key: result.Key{Name: "X"}, Unit: "sec/op", NewVariant: 1, Verdict: result.Missing}},
	}}
	var b strings.Builder
	if err := Text(&b, d, Options{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"severe: p: .: compile .: package p; fix the build", "\nnext: fix the build of .\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in:\n%s", want, b.String())
		}
	}
}
