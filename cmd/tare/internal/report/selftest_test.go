package report

import (
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

func TestSelfTestText(t *testing.T) {
	var b strings.Builder
	err := SelfTestText(&b, &result.SelfTest{
		Alpha: 0.05, Delta: 0.02, Seed: 7, Seconds: 12, Incomplete: true,
		Truths: []result.SelfTestTruth{
			{Stratum: result.Copies, Runs: 2, Fixed: []result.SelfTestFixed{{P: 0.04, Logs: []float64{1, 2}}, {Run: 1, P: 0.5, Logs: []float64{-1, 2}}}, Comparisons: 4, Right: 4, Same: 3, Covered: 4, Intervals: 4, Seconds: []float64{1, 2, 3, 4}, Blocks: []int{8, 8, 11, 40}},
			{Stratum: result.Shifted, Runs: 1, Comparisons: 4, Same: 2, Apart: []float64{0.01, -0.14}},
			{Stratum: result.Changed, Runs: 1, FalseRuns: 1, Change: 0.02, Comparisons: 4, Right: 3, Seconds: []float64{1}, Blocks: []int{8},
				Benchmarks: map[string]result.SelfTestCount{"Sum": {Comparisons: 3, Right: 3, Missed: 2}, "Allocate": {Comparisons: 1, Missed: 1}},
				Misses:     []result.SelfTestMiss{{Benchmark: "Sum", Lo: 0.0201, Hi: 0.03}, {Benchmark: "Allocate", Lo: -0.01, Hi: 0.005}, {Benchmark: "Sum", Lo: 0.0204, Hi: 0.03}}},
		},
		Sequential: result.SelfTestSequential{Benchtime: "20ms", Comparisons: 4, Wrong: 1, Seconds: 8},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"none, copies             4     4 (100.0%)       0 (0.0%)    3 (75.0%)       4 (100.0%)                2.5              9.5             0 of 2\n",
		"none, shifted            4              -              -    2 (50.0%)                -                  -                -                  -\n",
		"\nnone, copies, alone, at 2 blocks each: p < 0.05 in 1 (50.0%) of 2 rows (95% interval over runs 0.0 to 100.0%);\n" +
			"   new slower in 75.0% of blocks, neighbors alike in 50.0%; p by tenths: 1 0 0 0 0 1 0 0 0 0\n",
		"shifted: 2 (50.0%) called faster or slower, by 7.5% (median) and 14.0% (largest)\n",
		"\nintervals that miss +2.0%: 3, by 0.04 points (median) and 1.5 (largest): Allocate 1 of 1, Sum 2 of 3\n",
		"right at +2.0%, all but: Allocate 0 of 1\n",
		"10 × 20ms",
		"none                     4      3 (75.0%)      1 (25.0%)",
		"seed 7, 12 s in all\ninterrupted",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// TestOwnSelfTestText: tare and the usual method side by side, and a note if there
// are too few comparisons for a rate.
func TestOwnSelfTestText(t *testing.T) {
	test := &result.SelfTest{
		Packages: []string{"./own"}, Benchmarks: 12, Seconds: 118,
		Truths: []result.SelfTestTruth{
			{Stratum: result.Copies, Comparisons: 12, Right: 12, Seconds: []float64{12}},
			{Stratum: result.Changed, Change: 0.03, Comparisons: 11, Right: 10, Seconds: []float64{11}},
		},
		Sequential: result.SelfTestSequential{Benchtime: "100ms", Comparisons: 12, Wrong: 5, Known: 11, Found: 8, Reversed: 1, Seconds: 69},
	}
	const note = "12 comparisons are too few for a rate: 0 of 12 false of tare allows a rate of up to 22% (95%); give a longer -total\n"
	var b strings.Builder
	if err := SelfTestText(&b, test); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"12 benchmarks of ./own, 118 s\n",
		"                                        false         +3% found     reversed   seconds each\n",
		"tare                                    0 of 12       10 of 11      0          1.0\n",
		"usual: -count=10 -benchtime=100ms       5 of 12       8 of 11       1          3.0\n",
		note,
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	test.Truths[0].Comparisons, test.Truths[1].Comparisons = 100, 100
	b.Reset()
	if err := SelfTestText(&b, test); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "too few") {
		t.Errorf("a hundred comparisons are called too few:\n%s", b.String())
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
	if want := "true change none, commit: 3 comparisons, 3 right, 0 wrong; about 1m30s left"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
