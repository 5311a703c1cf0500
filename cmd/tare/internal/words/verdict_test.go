package words

import (
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/unit"
)

// TestWordsByUnit reads every verdict in the words of its unit: only times and
// rates are fast, and a unit whose direction nobody knows is neither.
func TestWordsByUnit(t *testing.T) {
	for _, c := range []struct {
		unit                  string
		declared              unit.Direction
		faster, slower, other string
	}{
		{"sec/op", 0, "faster", "slower", "changed"},
		{"p99-ms", 0, "faster", "slower", "changed"},
		{"p99(ns)", 0, "faster", "slower", "changed"},
		{"req/s", 0, "faster", "slower", "changed"},
		{"B/op", 0, "fewer", "more", "changed"},
		{"allocs/op", 0, "fewer", "more", "changed"},
		{"branch-misses/op", 0, "fewer", "more", "changed"},
		{"live-B", 0, "smaller", "larger", "changed"},
		{"text-bytes", 0, "smaller", "larger", "changed"},
		{"hit%", unit.HigherIsBetter, "better", "worse", "changed"},
		{"drops/s", unit.LowerIsBetter, "better", "worse", "changed"},
	} {
		for v, want := range map[result.Verdict]string{result.Faster: c.faster, result.Slower: c.slower, result.Different: c.other} {
			if got := Word(&result.BenchmarkComparison{Unit: c.unit, Better: c.declared, Verdict: v}); got != want {
				t.Errorf("%s in %s is %q, want %q", v, c.unit, got, want)
			}
		}
	}
	for _, u := range []string{"fps", "hit%", "widgets", "drift", "%", "items/op", "ratio"} {
		if got := unit.Better(u); got != unit.Unknown {
			t.Errorf("direction of %s is %d, and nobody knows it", u, got)
		}
	}
}

// TestTallyByUnit: a comparison of counts has no slower benchmark.
func TestTallyByUnit(t *testing.T) {
	c := result.Comparison{Summary: result.Summary{Slower: 1, Same: 1}, Benchmarks: []result.BenchmarkComparison{
		{Unit: "B/op", Verdict: result.Slower, Primary: true}, {Unit: "B/op", Verdict: result.Same, Primary: true}}}
	if got := Tally(&c); got != "1 more, 1 same" {
		t.Error(got)
	}
	c.Summary.Slower, c.Benchmarks = 2, append(c.Benchmarks, result.BenchmarkComparison{Unit: "sec/op", Verdict: result.Slower, Primary: true})
	if got := Tally(&c); got != "2 worse, 1 same" {
		t.Error(got)
	}
}

// TestByAtLeast: a row that its long runs contradict names the nearer end.
func TestByAtLeast(t *testing.T) {
	for _, test := range []struct {
		verdict  result.Verdict
		lo, hi   float64
		contrary bool
		want     string
	}{
		{result.Slower, 1.26, 3, true, "slower, by at least 26%"},
		{result.Faster, 0.01, 0.2, true, "faster, by at least 80%"},
		{result.Slower, 1.26, 3, false, "slower"},
		{result.Undecided, 0.9, 3, true, "undecided"},
	} {
		b := &result.BenchmarkComparison{Unit: "sec/op", Verdict: test.verdict, Change: result.Change{Ratio: 1.5, Lo: test.lo, Hi: test.hi},
			LongRuns: &result.LongRuns{Contradict: test.contrary}}
		if got := Verdict(b, 0.02); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}
