package report

import (
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/result"
)

func TestSelfTestText(t *testing.T) {
	var b strings.Builder
	err := SelfTestText(&b, &result.SelfTest{
		Alpha: 0.05, Delta: 0.02, Seed: 7, Seconds: 12, Incomplete: true,
		Truths: []result.SelfTestTruth{
			{Comparisons: 4, Right: 4, Same: 3, Covered: 4, Intervals: 4, Seconds: []float64{1, 2, 3, 4}, Blocks: []int{8, 8, 11, 40}},
			{Change: 0.02, Comparisons: 4, Right: 3, Seconds: []float64{1}, Blocks: []int{8},
				Benchmarks: map[string]result.SelfTestCount{"Sum": {Comparisons: 3, Right: 3}, "Allocate": {Comparisons: 1}}},
		},
		Sequential: result.SelfTestSequential{Comparisons: 4, Wrong: 1, Seconds: 8},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"none                   4     4 (100.0%)       0 (0.0%)    3 (75.0%)       4 (100.0%)                2.5            9.5\n",
		"right at +2.0%, all but: Allocate 0 of 1\n",
		"none                   4      3 (75.0%)      1 (25.0%)",
		"seed 7, 12 s in all\ninterrupted",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// TestSelfTestProgress: each kind of comparison has a line of its own, the two
// kinds of comparisons without a change too.
func TestSelfTestProgress(t *testing.T) {
	for want, truth := range map[string]result.SelfTestTruth{
		"true change none: 1 comparison, 1 right, 0 wrong":           {Comparisons: 1, Right: 1},
		"true change none, moved: 22 comparisons, 20 right, 2 wrong": {Moved: true, Comparisons: 22, Right: 20, Wrong: 2},
		"true change +2.0%: 11 comparisons, 10 right, 0 wrong":       {Change: 0.02, Comparisons: 11, Right: 10},
	} {
		if got := SelfTestProgress(truth, 0); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestSelfTestProgressLeft(t *testing.T) {
	got := SelfTestProgress(result.SelfTestTruth{Comparisons: 3, Right: 3}, 90*time.Second)
	if want := "true change none: 3 comparisons, 3 right, 0 wrong; about 1m30s left"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
