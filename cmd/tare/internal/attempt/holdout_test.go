package attempt

import (
	"fmt"
	"slices"
	"testing"
)

// The same functions are held out in every attempt of a session, about the share
// that was asked for, and one is always left to improve.
func TestHeldOut(t *testing.T) {
	var functions []string
	for i := range 200 {
		functions = append(functions, fmt.Sprintf("BenchmarkF%d", i))
	}
	out := heldOut(slices.Clone(functions), 0.3, "s")
	if len(out) < 40 || len(out) > 80 || out[0][:1] != "F" {
		t.Errorf("%d of 200 are held out: %q", len(out), out)
	}
	slices.Reverse(functions)
	if again := heldOut(functions, 0.3, "s"); !slices.Equal(again, out) {
		t.Errorf("another order holds out %q", again)
	}
	if other := heldOut(functions, 0.3, "t"); slices.Equal(other, out) {
		t.Error("another session holds out the same")
	}
	if all := heldOut([]string{"BenchmarkA", "BenchmarkB"}, 1, "s"); len(all) != 1 {
		t.Errorf("of two functions %q are held out", all)
	}
	if none := heldOut(functions, 0, "s"); len(none) != 0 {
		t.Errorf("held out are %q", none)
	}
	if p := exactly([]string{"A", "B/n=1.5"}); p != `^BenchmarkA$|^BenchmarkB$/^n=1\.5$` {
		t.Errorf("pattern %s", p)
	}
}

// A claim is the product of the kept changes of a benchmark.
func TestClaims(t *testing.T) {
	line := func(n int, name string, ratio float64) Line {
		r := Row{Unit: "sec/op"}
		r.Name, r.Change.Ratio, r.Change.Lo, r.Change.Hi = name, ratio, ratio-0.01, ratio+0.01
		return Line{Attempt: &Attempt{N: n, Answer: Answer{Verdict: Keep, Rows: []Row{r}}}}
	}
	rows := sessionOf([]Line{{Baseline: &Baseline{Commit: "c"}}, line(1, "A", 0.9), line(2, "B", 0.5), line(3, "A", 0.9)}).Claims()
	if len(rows) != 2 || rows[0].Name != "A" || rows[0].Change.Ratio < 0.8099 || rows[0].Change.Ratio > 0.8101 || rows[1].Change.Ratio != 0.5 {
		t.Errorf("claims are %+v", rows)
	}
}
