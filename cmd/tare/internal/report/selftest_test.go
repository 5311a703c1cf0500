package report

import (
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// TestSelfTestText: tare and the usual method side by side, and the bounds of the
// error rates, which many runs narrow.
func TestSelfTestText(t *testing.T) {
	test := &result.SelfTest{
		Packages: []string{"./own"}, Benchmarks: 12, Alpha: 0.05, Seed: 7, Seconds: 118, Incomplete: true,
		Truths: []result.SelfTestTruth{
			{Stratum: result.Copies, Runs: 12, Comparisons: 12, Right: 12, Covered: 11, Intervals: 12, MissedRuns: 1, Seconds: []float64{12}},
			{Stratum: result.Changed, Change: 0.03, Runs: 11, Comparisons: 11, Right: 10, Seconds: []float64{11},
				Benchmarks: map[string]result.SelfTestCount{"Sum": {Comparisons: 3, Right: 3}, "Allocate": {Comparisons: 1}}},
		},
		Sequential: result.SelfTestSequential{Benchtime: "100ms", Comparisons: 12, Wrong: 5, Known: 11, Found: 8, Reversed: 1, Seconds: 69},
	}
	var b strings.Builder
	if err := SelfTestText(&b, test); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"12 benchmarks of ./own, 118 s\n",
		"none, copies  tare        12           12 (100.0%)  0 (0.0%)   11 (91.7%)       0 of 12            1.0\n",
		"+3.0%         tare        11           10 (90.9%)   0 (0.0%)   -                0 of 11            1.0\n",
		"+3.0%         10 × 100ms  11           8 (72.7%)    1 (9.1%)   -                -                  3.0\n",
		"none          10 × 100ms  12           7 (58.3%)    5 (41.7%)  -                -                  3.0\n",
		"right at +3.0%, all but: Allocate 0 of 1\n",
		"false verdicts in 0 of 12 runs without a change, so in at most 22% (95%)\n1 of 12 intervals do not contain the truth, in 1 run, so at most 34% (95%, a run as the unit)\n",
		"α = 0.05, δ = half of the true change, seed 7, 118 s in all\ninterrupted",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	test.Truths[0].Runs = 100
	b.Reset()
	if err := SelfTestText(&b, test); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "false verdicts in 0 of 100 runs without a change, so in at most 3% (95%)\n") {
		t.Errorf("no bound of a hundred runs in\n%s", b.String())
	}
}

// TestSelfTestProgress: each kind of comparison has a line, also the two kinds
// of comparisons without a change.
func TestSelfTestProgress(t *testing.T) {
	for want, truth := range map[string]result.SelfTestTruth{
		"true change none, copies: 1 comparison, 1 right, 0 wrong":   {Stratum: result.Copies, Comparisons: 1, Right: 1},
		"true change none, moved: 22 comparisons, 20 right, 2 wrong": {Stratum: result.Moved, Comparisons: 22, Right: 20, Wrong: 2},
		"true change +2.0%: 11 comparisons, 10 right, 0 wrong":       {Stratum: result.Changed, Change: 0.02, Comparisons: 11, Right: 10},
	} {
		if got := SelfTestProgress(truth, 0); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestSelfTestProgressLeft(t *testing.T) {
	got := SelfTestProgress(result.SelfTestTruth{Stratum: result.Commit, Comparisons: 3, Right: 3}, 90*time.Second)
	if want := "true change none, commit: 3 comparisons, 3 right, 0 wrong; about 90 s left"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
