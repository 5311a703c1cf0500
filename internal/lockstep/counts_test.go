package lockstep

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tarebench/tare/internal/count"
	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/unit"
)

func exactly(v float64) result.Estimate { return result.Estimate{Center: v, Lo: v, Hi: v, N: 2} }

func countVerdict(old, new result.Estimate) (result.Change, result.Verdict) {
	iv := countInterval(old, new)
	return iv.Change(), iv.Verdict(CountDelta, unit.LowerIsBetter, true)
}

func TestCountVerdict(t *testing.T) {
	tests := []struct {
		name     string
		old, new result.Estimate
		want     result.Verdict
	}{
		{"the same", exactly(1000), exactly(1000), result.Same},
		{"one instruction in 1,000", exactly(1000), exactly(1001), result.Slower},
		{"one fewer in 1,000", exactly(1000), exactly(999), result.Faster},
		{"one in 100,000 is below what repeats", exactly(100_000), exactly(100_001), result.Same},
		{"wide on one side", result.Estimate{Center: 1000, Lo: 990, Hi: 1010, N: 5}, exactly(1005), result.Undecided},
		{"wide and far", result.Estimate{Center: 1000, Lo: 990, Hi: 1010, N: 5}, exactly(1100), result.Slower},
		{"no interval", result.Estimate{Center: 10, Lo: math.NaN(), Hi: math.NaN()}, exactly(11), result.Slower},
		{"none and none", exactly(0), exactly(0), result.Same},
		{"from none", exactly(0), exactly(1), result.Slower},
		{"to none", exactly(1), exactly(0), result.Faster},
		{"unknown", exactly(math.NaN()), exactly(1), result.Undecided},
	}
	for _, tt := range tests {
		if change, got := countVerdict(tt.old, tt.new); got != tt.want {
			t.Errorf("%s: %s (%+v), want %s", tt.name, got, change, tt.want)
		}
	}
}

// TestCountVerdictMirrors: with the sides swapped the verdict turns around.
func TestCountVerdictMirrors(t *testing.T) {
	mirror := map[result.Verdict]result.Verdict{
		result.Faster: result.Slower, result.Slower: result.Faster,
		result.Same: result.Same, result.Undecided: result.Undecided,
	}
	estimate := rapid.Custom(func(t *rapid.T) result.Estimate {
		c := rapid.Float64Range(1, 1e9).Draw(t, "centre")
		h := rapid.Float64Range(0, 0.01).Draw(t, "half width") * c
		return result.Estimate{Center: c, Lo: c - h, Hi: c + h, N: 2}
	})
	rapid.Check(t, func(t *rapid.T) {
		old := estimate.Draw(t, "old")
		new := old
		f := rapid.Float64Range(0.99, 1.01).Draw(t, "factor")
		new.Center, new.Lo, new.Hi = f*new.Center, f*new.Lo, f*new.Hi
		change, there := countVerdict(old, new)
		_, back := countVerdict(new, old)
		if mirror[there] != back {
			t.Fatalf("%v, swapped %v (%+v)", there, back, change)
		}
		if !(change.Lo <= change.Ratio && change.Ratio <= change.Hi) {
			t.Fatalf("ratio outside of its interval: %+v", change)
		}
	})
}

func TestDisagreement(t *testing.T) {
	up, down := result.Change{Ratio: 1.05}, result.Change{Ratio: 0.98}
	if f := disagreement("X", "instructions/op", result.Slower, result.Faster, up, down); f == nil || f.ID != "time-count-disagree" {
		t.Errorf("slower with fewer instructions: %v", f)
	} else if want := "slower in time (+5.0%) with fewer instructions/op (-2.0%)"; f.Message != want {
		t.Errorf("message %q, want %q", f.Message, want)
	}
	for _, v := range []result.Verdict{result.Same, result.Undecided, result.Slower} {
		if f := disagreement("X", "instructions/op", v, result.Slower, up, up); f != nil {
			t.Errorf("%s and slower: %v", v, f)
		}
	}
}

// TestRowsOfARecording goes the whole way: counts to lines, to a file, back,
// and to judged rows.
func TestRowsOfARecording(t *testing.T) {
	key := result.Key{Pkg: "p", Name: "Sum", Procs: 1}
	old := count.Instructions{PerOp: exactly(1000), Functions: []result.FunctionCount{{Name: "p.Sum", File: "/old/sum.go", Line: 9, PerOp: 900}}}
	new := count.Instructions{PerOp: exactly(1100), Cycles: exactly(3000), Functions: []result.FunctionCount{{Name: "p.Sum", File: "/new/sum.go", Line: 11, PerOp: 1000}}}
	var file bytes.Buffer
	w := result.NewWriter(&file)
	lines := []result.Line{{Study: &result.Study{Schema: result.Schema, Variants: make([]result.Variant, 2)}}, {Benchmark: &result.Benchmark{Key: key}}}
	lines = append(append(lines, count.Lines(0, 0, old)...), count.Lines(0, 1, new)...)
	for _, l := range lines {
		if err := w.Write(l); err != nil {
			t.Fatal(err)
		}
	}
	rec, _, err := result.Read(&file)
	if err != nil {
		t.Fatal(err)
	}
	c := result.Comparison{Benchmarks: []result.BenchmarkComparison{{
		Key: key, Unit: "sec/op", NewVariant: 1, Verdict: result.Faster, Change: result.Change{Ratio: 0.9},
	}}}
	compareCounts(&c, rec, CountDelta)
	if len(c.Benchmarks) != 2 {
		t.Fatalf("%d rows, want time and instructions: only one side has cycles", len(c.Benchmarks))
	}
	row := c.Benchmarks[1]
	if row.Unit != count.UnitInstructions || row.Verdict != result.Slower || row.Change.Ratio != 1.1 || len(row.Functions) != 1 {
		t.Errorf("row %+v", row)
	}
	var said []string
	for _, f := range row.Findings {
		said = append(said, f.ID+": "+f.Message)
	}
	text := strings.Join(said, "\n")
	for _, want := range []string{"count-functions: instructions/op changed in p.Sum (sum.go:11) +100", "time-count-disagree: faster in time (-10.0%) with more"} {
		if !strings.Contains(text, want) {
			t.Errorf("findings lack %q:\n%s", want, text)
		}
	}

	var run result.Run
	measureCounts(&run, rec)
	if len(run.Benchmarks) != 3 || run.Benchmarks[0].Value.Center != 1000 || !run.Benchmarks[0].Exact {
		t.Errorf("run rows %+v", run.Benchmarks)
	}
}
