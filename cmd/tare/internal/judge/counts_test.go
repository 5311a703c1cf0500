package judge

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tarebench/tare/cmd/tare/internal/instrument"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
)

func countOf(values ...float64) result.Count {
	return result.Count{Value: result.Estimate{Center: stats.Median(values), Lo: slices.Min(values), Hi: slices.Max(values), N: len(values)}, Values: values}
}

func constant(v float64) result.Count { return countOf(v, v, v, v, v) }

// countVerdict is the verdict of a benchmark that is counted alone.
func countVerdict(old, new result.Count) (result.Change, result.Verdict) {
	rec := &result.Recording{Study: result.Study{Plan: result.Plan{Alpha: 0.05}}, Benchmarks: make([]result.Benchmark, 1)}
	old.Unit, new.Unit, new.Variant = instrument.UnitInstructions, instrument.UnitInstructions, 1
	rec.Counts = []result.Count{old, new}
	rows := countRows(rec, 0)
	decideAll(rows, result.Plan{Alpha: 0.05}, nil, false)
	return rows[0].Change, rows[0].Verdict
}

func TestCountVerdict(t *testing.T) {
	wide := countOf(990, 1010, 1000, 995, 1005)
	tests := []struct {
		name     string
		old, new result.Count
		want     result.Verdict
	}{
		{"the same", constant(1000), constant(1000), result.Same},
		{"two instructions in 1,000", constant(1000), constant(1002), result.Slower},
		{"two fewer in 1,000", constant(1000), constant(998), result.Faster},
		{"one instruction in 100,000 is below delta", constant(100_000), constant(100_001), result.Same},
		{"wide on one side", wide, constant(1002), result.Undecided},
		{"wide and far", wide, constant(1100), result.Slower},
		{"two processes that agree", countOf(1000, 1000), countOf(1100, 1100), result.Undecided},
		{"no processes", result.Count{Value: result.Estimate{Center: 10}}, result.Count{Value: result.Estimate{Center: 11}}, result.Undecided},
		{"none and none", constant(0), constant(0), result.Same},
		{"from none", constant(0), constant(1), result.Slower},
		{"to none", constant(1), constant(0), result.Faster},
	}
	for _, tt := range tests {
		if change, got := countVerdict(tt.old, tt.new); got != tt.want {
			t.Errorf("%s: %s (%+v), want %s", tt.name, got, change, tt.want)
		}
	}
}

// TestManyCounts: the time does not grow with the square of the counts, or this test
// does not end.
func TestManyCounts(t *testing.T) {
	const n = 100_000
	rec := &result.Recording{Benchmarks: make([]result.Benchmark, 1)}
	for i := range 2 * n {
		rec.Counts = append(rec.Counts, result.Count{Variant: i % 2, Unit: strconv.Itoa(i / 2)})
	}
	if rows := countRows(rec, 0); len(rows) != n {
		t.Errorf("%d rows of %d", len(rows), n)
	}
}

// TestCountVerdictMirrors: with the sides swapped the verdict turns around.
func TestCountVerdictMirrors(t *testing.T) {
	mirror := map[result.Verdict]result.Verdict{
		result.Faster: result.Slower, result.Slower: result.Faster,
		result.Same: result.Same, result.Undecided: result.Undecided,
	}
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.Float64Range(1, 1e9).Draw(t, "center")
		f := rapid.Float64Range(0.99, 1.01).Draw(t, "factor")
		draw := func(center float64, name string) result.Count {
			var v []float64
			for range 5 {
				v = append(v, center*(1+rapid.Float64Range(-0.003, 0.003).Draw(t, name)))
			}
			return countOf(v...)
		}
		old, new := draw(c, "old"), draw(c*f, "new")
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

// Nothing changed: however much the processes differ, at most 5% of the counts
// are called different. The rule of two agreeing slopes called up to 56%.
func TestCountsAreSeldomDifferent(t *testing.T) {
	const times = 2000
	for _, sd := range []float64{0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005} {
		random := rand.New(rand.NewPCG(5, math.Float64bits(sd)))
		draw := func() result.Count {
			var v []float64
			for range 5 {
				v = append(v, 1000*(1+sd*random.NormFloat64()))
			}
			return countOf(v...)
		}
		wrong := 0
		for range times {
			if _, v := countVerdict(draw(), draw()); v == result.Faster || v == result.Slower {
				wrong++
			}
		}
		t.Logf("processes that differ by %.2f%%: %d of %d called different", 100*sd, wrong, times)
		if wrong > times*5/100 {
			t.Errorf("processes that differ by %.2f%%: %d of %d called different", 100*sd, wrong, times)
		}
	}
}

// TestRowsOfARecording goes the whole way: counts to lines, to a file, back,
// and to judged rows.
func TestRowsOfARecording(t *testing.T) {
	key := result.Key{Pkg: "p", Name: "Sum", Procs: 1}
	old := instrument.Instructions{PerOp: constant(1000).Value, Values: constant(1000).Values, Functions: []result.FunctionCount{{Name: "p.Sum", File: "/old/sum.go", Line: 9, PerOp: 900}}}
	new := instrument.Instructions{PerOp: constant(1100).Value, Values: constant(1100).Values, Functions: []result.FunctionCount{{Name: "p.Sum", File: "/new/sum.go", Line: 11, PerOp: 1000}}}
	var file bytes.Buffer
	w := result.NewWriter(&file)
	lines := []result.Line{{Study: &result.Study{Schema: result.RecordingSchema, Variants: make([]result.Variant, 2)}}, {Benchmark: &result.Benchmark{Key: key}}}
	lines = append(append(lines, instrument.Lines(0, 0, old)...), instrument.Lines(0, 1, new)...)
	for _, l := range lines {
		if err := w.Write(l); err != nil {
			t.Fatal(err)
		}
	}
	rec, err := result.Read(&file)
	if err != nil {
		t.Fatal(err)
	}
	rec.Study.Alpha = 0.05
	rows := append([]*row{{BenchmarkComparison: result.BenchmarkComparison{
		Key: key, Unit: "sec/op", NewVariant: 1, Verdict: result.Faster, Change: result.Change{Ratio: 0.9},
	}}}, countRows(rec, 0)...)
	decideAll(rows, result.Plan{Alpha: 0.05}, nil, false)
	countFindings(rows)
	if len(rows) != 2 {
		t.Fatalf("%d rows, want time and instructions", len(rows))
	}
	row := rows[1]
	if row.Unit != instrument.UnitInstructions || row.Verdict != result.Slower || math.Abs(row.Change.Ratio-1.1) > 1e-12 || len(row.Functions) != 1 {
		t.Errorf("row %+v", row)
	}
	var said []string
	for _, f := range row.Findings {
		said = append(said, f.ID+": "+f.Message)
	}
	text := strings.Join(said, "\n")
	if want := "count-functions: instructions/op changed in p.Sum (sum.go:11) +100"; !strings.Contains(text, want) {
		t.Errorf("findings lack %q:\n%s", want, text)
	}
}
