package attempt

import (
	"math"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

func row(name, unit string, ratio, half float64, gate result.Gate) result.BenchmarkComparison {
	v := result.Undecided
	if half == 0 && ratio > 1 {
		v = result.Slower
	}
	return result.BenchmarkComparison{Key: result.Key{Name: name}, Unit: unit, Gate: gate, Verdict: v, Exact: half == 0, Blocks: 10, Seconds: 2,
		Change: result.Change{Ratio: ratio, Lo: ratio * (1 - half), Hi: ratio * (1 + half)}}
}

func of(rows ...result.BenchmarkComparison) result.Comparison {
	return result.Comparison{Benchmarks: rows, Delta: 0.02}
}

// The rows of a gain are best/tree: above 1 the working tree is faster. An open
// row has the interval of the keep's level, which is wider than that of its
// change.
func TestDecideGain(t *testing.T) {
	failed := row("B", "sec/op", math.NaN(), 0, result.GateOpen)
	failed.Verdict = result.Failed
	same := row("A", "sec/op", 1, 0, result.GatePass)
	same.Reason = result.ReasonSameCode
	far := row("A", "sec/op", 40, 0.01, result.GateOpen)
	far.Joint = &result.Interval{Lo: 0.9, Hi: 100}
	held := far
	held.Joint = &result.Interval{Lo: 30, Hi: 50}
	const level, final = "undecided at 99.64%, the level of a keep", ", after 10 blocks in 2 s here; a quieter machine or a larger -want decides"
	for _, test := range []struct {
		name    string
		c       result.Comparison
		more    bool
		verdict Verdict
		reason  string
		row     string
		change  [3]float64
	}{
		{"gained", of(row("A", "sec/op", 1.001, 0.01, result.GateOpen), row("B", "sec/op", 1.25, 0, result.GateRegression)), true, Keep, "", "B", [3]float64{0.8, 0.8, 0.8}},
		{"slower", of(row("A", "sec/op", 0.8, 0, result.GatePass)), true, Revert, "slower than the best tree", "A", [3]float64{1.25, 1.25, 1.25}},
		{"none", of(row("A", "sec/op", 1, 0.003, result.GatePass)), true, Revert, "no gain above 0.5%", "A", [3]float64{1, 1 / 1.003, 1 / 0.997}},
		{"unlikely", of(row("A", "sec/op", 1, 0.01, result.GatePass)), true, Revert, "a gain above 0.5% is unlikely", "A", [3]float64{1, 1 / 1.01, 1 / 0.99}},
		{"again", of(row("A", "sec/op", 1.005, 0.01, result.GateOpen)), true, Again, level, "A", [3]float64{1 / 1.005, math.NaN(), math.NaN()}},
		{"far", of(far), true, Again, level, "A", [3]float64{1. / 40, 1. / 100, 1 / 0.9}},
		{"final", of(far), false, Revert, level + final, "A", [3]float64{1. / 40, 1. / 100, 1 / 0.9}},
		{"held", of(held), false, Revert, "undecided: the total time of the blocks does not confirm the gain" + final, "A", [3]float64{1. / 40, 1. / 50, 1. / 30}},
		{"failed", of(row("A", "sec/op", 1.25, 0.01, result.GateRegression), failed), true, Failed, "B fails", "", [3]float64{}},
		{"same code", of(same), true, Revert, "the benchmarks run the same machine code as in the best tree", "", [3]float64{}},
		{"nothing", of(), true, Failed, "no benchmark was compared", "", [3]float64{}},
	} {
		got := decideGain(test.c, 0.005, 0.0036, test.more)
		if got.Verdict != test.verdict || got.Reason != test.reason {
			t.Errorf("%s: %s, %q", test.name, got.Verdict, got.Reason)
		}
		if test.row == "" {
			continue
		}
		if len(got.Rows) == 0 || got.Rows[0].Name != test.row {
			t.Errorf("%s: rows %+v", test.name, got.Rows)
			continue
		}
		c := got.Rows[0].Change
		for i, v := range []float64{c.Ratio, c.Lo, c.Hi} {
			if want := test.change[i]; !(math.Abs(v-want) <= 1e-9) && !(math.IsNaN(v) && math.IsNaN(want)) {
				t.Errorf("%s: change %+v, want %v", test.name, c, test.change)
			}
		}
	}
	// A row without an interval has no forecast. The interval of the change has one.
	for half, want := range map[float64]bool{0: false, 0.01: true} {
		r := row("A", "sec/op", 1.005, half, result.GateOpen)
		if half == 0 {
			r.Change.Lo, r.Change.Hi = math.NaN(), math.NaN()
		}
		if got := decideGain(of(r), 0.005, 0.0036, true); (got.SecondsNeeded > 0) != want {
			t.Errorf("half-width %v: needs %v s", half, got.SecondsNeeded)
		}
	}
}

// Each further call measures at least one more block, also if its blocks are
// longer than the budget or if the earlier calls exceeded theirs.
func TestFurtherCallsMeasureOn(t *testing.T) {
	of := func(seconds ...float64) result.Benchmark {
		var b result.Benchmark
		for _, s := range seconds {
			b.Blocks = append(b.Blocks, result.Block{Seconds: s})
		}
		return b
	}
	for _, test := range []struct {
		name string
		rec  []result.Benchmark
		want float64
	}{
		{"as much time again", []result.Benchmark{of(4, 4, 4)}, 12 + 12 + 4},
		{"at least the budget", []result.Benchmark{of(0.5, 0.5)}, 1 + 5 + 0.5},
		{"a block longer than the budget", []result.Benchmark{of(40)}, 40 + 40 + 40},
		{"the benchmark that took most", []result.Benchmark{of(1), of(4, 4, 4), of()}, 28},
		{"nothing measured", []result.Benchmark{of()}, 5},
	} {
		if got := further(&result.Recording{Benchmarks: test.rec}, 5); got != test.want {
			t.Errorf("%s: %v s, want %v", test.name, got, test.want)
		}
	}
}

// The rows of others are tree/best: above 1 the working tree is slower.
func TestDecideOthers(t *testing.T) {
	keep := Answer{Verdict: Keep, Rows: []Row{{Key: result.Key{Name: "Decode"}}}}
	for _, test := range []struct {
		name    string
		c       result.Comparison
		verdict Verdict
		reason  string
	}{
		{"none", of(), Keep, ""},
		{"pass", of(row("Encode", "sec/op", 1.001, 0.01, result.GatePass), row("Encode", "allocs/op", 1, 0, result.GatePass)), Keep, ""},
		{"slower", of(row("Encode", "sec/op", 1.1, 0.01, result.GateRegression)), Revert, "Decode is faster, Encode is slower"},
		{"allocates", of(row("Encode", "sec/op", 1, 0.01, result.GatePass), row("Encode", "allocs/op", 2, 0, result.GateRegression)), Revert, "Decode is faster, Encode allocates more"},
		{"open", of(row("Encode", "sec/op", 1.01, 0.03, result.GateOpen), row("Join", "sec/op", 1.001, 0.04, result.GateOpen)), Keep, "undecided: Encode, Join"},
		{"open and slower", of(row("Join", "sec/op", 1.01, 0.03, result.GateOpen), row("Encode", "sec/op", 1.1, 0.01, result.GateRegression)), Revert, "Decode is faster, Encode is slower"},
	} {
		got := decideOthers(keep, test.c)
		if got.Verdict != test.verdict || got.Reason != test.reason {
			t.Errorf("%s: %s, %q", test.name, got.Verdict, got.Reason)
		}
		if got.Verdict != Keep && !strings.HasPrefix(got.Rows[0].Name, "Encode") {
			t.Errorf("%s: the first row is %s", test.name, got.Rows[0].Name)
		}
	}
}

// A build error has the line of the compiler, not the headings around it.
func TestBrokenFilesHaveTheCompilersLine(t *testing.T) {
	for output, want := range map[string]string{
		"# example.com/m\n./m.go:3:25: undefined: nothing\n./m.go:9:1: more": "does not build: ./m.go:3:25: undefined: nothing",
		"go: updates to go.mod needed\nrun go mod tidy":                      "does not build: go: updates to go.mod needed",
		"": "does not build",
	} {
		if got := broke(output); got.Verdict != Failed || got.Reason != want {
			t.Errorf("%q: %+v", output, got)
		}
	}
}

// TestProgressHasNoVerdict: the live lines of an attempt have the change as its
// answer has it, and leave the answer to the attempt.
func TestProgressHasNoVerdict(t *testing.T) {
	for verdict, want := range map[result.Verdict]result.Verdict{result.Slower: "", result.Undecided: "", result.Failed: result.Failed} {
		p := exchange(result.Progress{Ratio: 0.8, Lo: 0.5, Hi: 1, Verdict: verdict})
		if p.Ratio != 1.25 || p.Lo != 1 || p.Hi != 2 || p.Verdict != want {
			t.Errorf("%s: %+v", verdict, p)
		}
	}
}
