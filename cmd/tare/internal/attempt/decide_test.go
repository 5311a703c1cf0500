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

// The rows of a gain are best/tree: above 1 the working tree is faster.
func TestDecideGain(t *testing.T) {
	failed := row("B", "sec/op", math.NaN(), 0, result.GateOpen)
	failed.Verdict = result.Failed
	same := row("A", "sec/op", 1, 0, result.GatePass)
	same.Reason = result.ReasonSameCode
	for _, test := range []struct {
		name    string
		c       result.Comparison
		blocks  int
		verdict Verdict
		reason  string
		row     string
		ratio   float64
	}{
		{"gained", of(row("A", "sec/op", 1.001, 0.01, result.GateOpen), row("B", "sec/op", 1.25, 0.01, result.GateRegression)), 40, Keep, "", "B", 0.8},
		{"slower", of(row("A", "sec/op", 0.8, 0.01, result.GatePass)), 40, Revert, "A is slower", "A", 1.25},
		{"none", of(row("A", "sec/op", 1, 0.003, result.GatePass)), 40, Revert, "no gain above 0.5%", "A", 1},
		{"unlikely", of(row("A", "sec/op", 1, 0.01, result.GatePass)), 40, Revert, "a gain above 0.5% is unlikely", "A", 1},
		{"undecided", of(row("A", "sec/op", 1.005, 0.01, result.GateOpen)), 40, Again, "undecided", "A", 1 / 1.005},
		{"not shown", of(row("A", "sec/op", 1.005, 0.01, result.GateOpen)), 10, Revert, "no gain above 0.5% shown in 10 blocks", "A", 1 / 1.005},
		{"held", of(row("A", "sec/op", 1.02, 0.001, result.GateOpen)), 10, Revert, "the gain is not certain after 10 blocks", "A", 1 / 1.02},
		{"failed", of(row("A", "sec/op", 1.25, 0.01, result.GateRegression), failed), 40, Failed, "B fails", "", 0},
		{"same code", of(same), 40, Revert, "the same machine code as the best tree", "", 0},
		{"nothing", of(), 40, Failed, "no benchmark was compared", "", 0},
	} {
		got := DecideGain(test.c, 0.005, test.blocks)
		if got.Verdict != test.verdict || got.Reason != test.reason {
			t.Errorf("%s: %s, %q", test.name, got.Verdict, got.Reason)
		}
		if test.row != "" && (len(got.Rows) == 0 || got.Rows[0].Name != test.row || math.Abs(got.Rows[0].Change.Ratio-test.ratio) > 1e-9) {
			t.Errorf("%s: rows %+v", test.name, got.Rows)
		}
		if test.verdict == Again && !(got.SecondsNeeded > 0) {
			t.Errorf("%s: needs %v s", test.name, got.SecondsNeeded)
		}
	}
}

// The rows of others are tree/best: above 1 the working tree is slower.
func TestDecideOthers(t *testing.T) {
	keep := Answer{Verdict: Keep, Rows: []Row{{Key: result.Key{Name: "Decode"}}}}
	for _, test := range []struct {
		name    string
		c       result.Comparison
		blocks  int
		verdict Verdict
		reason  string
	}{
		{"none", of(), 40, Keep, ""},
		{"pass", of(row("Encode", "sec/op", 1.001, 0.01, result.GatePass), row("Encode", "allocs/op", 1, 0, result.GatePass)), 40, Keep, ""},
		{"slower", of(row("Encode", "sec/op", 1.1, 0.01, result.GateRegression)), 40, Revert, "Decode is faster, Encode is slower"},
		{"allocates", of(row("Encode", "sec/op", 1, 0.01, result.GatePass), row("Encode", "allocs/op", 2, 0, result.GateRegression)), 40, Revert, "Decode is faster, Encode allocates more"},
		{"open", of(row("Encode", "sec/op", 1.01, 0.03, result.GateOpen)), 40, Again, "Decode is faster, Encode is undecided"},
		{"not shown", of(row("Encode", "sec/op", 1.01, 0.03, result.GateOpen)), 10, Revert, "Decode is faster, Encode may be slower by 2%"},
	} {
		got := DecideOthers(keep, test.c, test.blocks)
		if got.Verdict != test.verdict || got.Reason != test.reason {
			t.Errorf("%s: %s, %q", test.name, got.Verdict, got.Reason)
		}
		if got.Verdict != Keep && !strings.HasPrefix(got.Rows[0].Name, "Encode") {
			t.Errorf("%s: the first row is %s", test.name, got.Rows[0].Name)
		}
	}
}
