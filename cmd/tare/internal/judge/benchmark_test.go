package judge

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
	"github.com/tarebench/tare/internal/unit"
)

// simulated is a recording of one benchmark: n blocks of j rounds, of which
// the first is a warm-up; new takes e^theta as long as old, with noise per
// slice and per block. edit may change every slice.
func simulated(n, j int, theta, sliceNoise, blockNoise float64, seed uint64, edit ...func(block, round, variant int, s *result.Slice)) *result.Recording {
	r := rand.New(rand.NewPCG(seed, 1))
	rec := &result.Recording{
		Study:      result.Study{Plan: result.Plan{Kind: "compare", Seed: seed, Alpha: 0.05, Delta: 0.02, MaxBlocks: 40}, Schema: 1, Variants: []result.Variant{{Label: "main"}, {Label: "."}}},
		Benchmarks: []result.Benchmark{{Key: result.Key{Pkg: "p", Name: "X", Procs: 2}, Loop: "b.N"}},
		End:        &result.End{Seconds: 1},
	}
	for k := range n {
		b := r.NormFloat64() * blockNoise
		var rounds []result.Round
		for i := range j {
			slices := []result.Slice{
				{N: 1000, Counted: true, Raw: 1e6 * math.Exp(sliceNoise*r.NormFloat64())},
				{N: 1000, Counted: true, Raw: 1e6 * math.Exp(sliceNoise*r.NormFloat64()+theta+b)},
			}
			for _, e := range edit {
				for v := range slices {
					e(k, i, v, &slices[v])
				}
			}
			rounds = append(rounds, result.Round{Warmup: i == 0, Slices: slices})
		}
		rec.Benchmarks[0].Blocks = append(rec.Benchmarks[0].Blocks,
			result.Block{Block: k, FuncOrders: []uint64{r.Uint64(), r.Uint64()}, Rounds: rounds, Seconds: 0.25})
	}
	return rec
}

func judgeOf(rec *result.Recording) Judgment {
	return Judge(rec.Study, rec.Benchmarks[0], 0, 1)
}

func rowOf(t *testing.T, rows []result.BenchmarkComparison, unit string) result.BenchmarkComparison {
	t.Helper()
	for _, r := range rows {
		if r.Unit == unit {
			return r
		}
	}
	t.Fatalf("no row of %s in %+v", unit, rows)
	return result.BenchmarkComparison{}
}

func ids(all []finding.Finding) string {
	var s []string
	for _, f := range all {
		s = append(s, f.ID)
	}
	return strings.Join(s, " ")
}

func TestJudgeStops(t *testing.T) {
	for _, test := range []struct {
		theta, noise float64
		blocks       int
		done         bool
		reason       string
		want         result.Verdict
	}{
		{0.05, 0.002, 7, false, "", result.Undecided},
		{0.05, 0.002, 8, true, "decided", result.Slower},
		{-0.05, 0.002, 8, true, "decided", result.Faster},
		{0, 0.002, 8, true, "decided", result.Same},
		{0, 0.002, 10, true, "decided", result.Same},
		{0, 0.1, 39, false, "", result.Undecided},
		{0, 0.1, 40, true, "blocks", result.Undecided},
		{0.003, 0.0002, 8, true, "decided", result.Same}, // differs by less than δ
	} {
		rec := simulated(test.blocks, 20, test.theta, 0.002, test.noise, 4)
		j := judgeOf(rec)
		row := j.Rows[0]
		if j.Done != test.done || j.Reason != test.reason || row.Verdict != test.want {
			t.Errorf("%+v: done %v %q, %+v", test, j.Done, j.Reason, row)
		}
		if row.Blocks != test.blocks || row.Rounds != 19*test.blocks || row.Seconds != 0.25*float64(test.blocks) {
			t.Errorf("%+v: %d blocks, %d rounds, %v s", test, row.Blocks, row.Rounds, row.Seconds)
		}
		if row.Unit != "sec/op" || row.Exact {
			t.Errorf("first row: %+v", row)
		}
		decided := row.Verdict != result.Undecided
		if test.blocks >= 8 {
			if row.P == nil || (*row.P <= 0.05) != (row.Change.Lo > 1 || row.Change.Hi < 1) {
				t.Errorf("%+v: p = %v beside %s", test, row.P, row.Verdict)
			}
			if inside := row.Change.Lo <= math.Exp(test.theta) && math.Exp(test.theta) <= row.Change.Hi; !inside {
				t.Errorf("%+v: interval [%v, %v] misses the truth", test, row.Change.Lo, row.Change.Hi)
			}
			if !decided && row.Needed <= test.blocks {
				t.Errorf("%+v: undecided, and nothing is known of the blocks needed: %d", test, row.Needed)
			}
		} else if row.P != nil || !math.IsNaN(row.Change.Lo) || ids(row.Findings) != "too-few-blocks" {
			t.Errorf("%d blocks: p = %v, change %+v, findings %s", test.blocks, row.P, row.Change, ids(row.Findings))
		}
	}
	if j := Judge(result.Study{Plan: result.Plan{MaxBlocks: 40}}, result.Benchmark{}, 0, 1); j.Done || len(j.Rows) != 0 {
		t.Errorf("nothing: %+v", j)
	}
}

// What stops a study is what the simulated acceptance counts: the same blocks
// as bare pairings give the same interval.
func TestJudgeIsTheSimulatedRule(t *testing.T) {
	for seed := range uint64(5) {
		rec := simulated(15, 12, 0.01, 0.02, 0.01, seed)
		good := goodBlocks(rec.Benchmarks[0].Blocks, 0, 1)
		both := read(good, seconds, 0, 1)
		p := pair(both[0], both[1], funcOrders(good, 0, 0, 1))
		design := NewDesign(40, 0.05, 1)
		var looks []Look
		for _, n := range design.Looks[:3] {
			looks = append(looks, p.look(n))
		}
		j := judged{study: rec.Study, benchmark: rec.Benchmarks[0], new: 1}
		decisions, err := design.Decide(j.seed("sec/op"), looks...)
		if err != nil {
			t.Fatal(err)
		}
		d := decisions[2]
		for _, k := range decisions { // where the study would have stopped
			if relative(k).settled(rec.Study.Delta, unit.LowerIsBetter, false) {
				d = k
				break
			}
		}
		row := judgeOf(rec).Rows[0]
		if math.Exp(d.Lo) != row.Change.Lo || math.Exp(d.Hi) != row.Change.Hi {
			t.Errorf("seed %d: rule [%v, %v], Judge %+v", seed, math.Exp(d.Lo), math.Exp(d.Hi), row.Change)
		}
	}
}

func TestJudgeCountsGoodBlocksOnly(t *testing.T) {
	rec := simulated(11, 5, 0, 0.01, 0.001, 1)
	blocks := rec.Benchmarks[0].Blocks
	blocks[2].Disturbed = "throttled"
	blocks[5].Failed = "old: it ended in the middle"
	for i := range blocks[7].Rounds { // one side ran nothing
		blocks[7].Rounds[i].Slices[1].N = 0
	}
	row := judgeOf(rec).Rows[0]
	if row.Blocks != 8 || row.Rounds != 8*4 || row.Old.N != 8 {
		t.Errorf("%d blocks, %d rounds, n = %d, want 8, 32, 8", row.Blocks, row.Rounds, row.Old.N)
	}
}

func TestJudgeExactCounts(t *testing.T) {
	set := func(old, new, each, once uint64) func(int, int, int, *result.Slice) {
		return func(block, round, variant int, s *result.Slice) {
			s.Mallocs = []uint64{old, new}[variant]*uint64(s.N) + each
			if block == 1 && round == 2 {
				s.Mallocs += once
			}
			s.Bytes = 0
		}
	}
	for _, test := range []struct {
		old, new   uint64
		want       result.Verdict
		ratio      float64
		difference bool
	}{
		{2, 2, result.Same, 1, false},
		{2, 1, result.Faster, 1.013 / 2.013, false},
		{2, 3, result.Slower, 3.013 / 2.013, false},
	} {
		j := judgeOf(simulated(8, 9, 0, 0.01, 0, 1, set(test.old, test.new, 13, 0)))
		row := rowOf(t, j.Rows, "allocs/op")
		if !row.Exact || (row.P == nil) != (test.old == test.new) || row.Verdict != test.want || math.Abs(row.Change.Ratio-test.ratio) > 1e-12 || row.Change.Lo != row.Change.Ratio {
			t.Errorf("%d → %d: %+v", test.old, test.new, row)
		}
		if row := rowOf(t, j.Rows, "B/op"); !row.Exact || row.Verdict != result.Same {
			t.Errorf("no bytes on both sides: %+v", row)
		}
		// One slice with more makes an interval like any other. Three blocks that
		// agree show no difference of one of two rows.
		row = rowOf(t, judgeOf(simulated(8, 9, 0, 0.01, 0, 1, set(test.old, test.new, 13, 17))).Rows, "allocs/op")
		if row.Exact || row.P == nil || row.Verdict != test.want {
			t.Errorf("%d → %d but for one slice: %+v", test.old, test.new, row)
		}
		row = rowOf(t, judgeOf(simulated(3, 9, 0, 0.01, 0, 1, set(test.old, test.new, 13, 0))).Rows, "allocs/op")
		if same := test.old == test.new; row.Exact != same || (row.Verdict == result.Undecided) == same {
			t.Errorf("%d → %d in 3 blocks: %+v", test.old, test.new, row)
		}
	}
	// From nothing to something has no ratio.
	rec := simulated(8, 9, 0, 0.01, 0, 1, func(_, _, v int, s *result.Slice) { s.Mallocs = uint64(v) * uint64(s.N) })
	row := rowOf(t, judgeOf(rec).Rows, "allocs/op")
	if d := row.Change.Difference; d == nil || d.Center != 1 || !math.IsNaN(row.Change.Ratio) || row.Verdict != result.Slower || !row.Exact {
		t.Errorf("0 → 1: %+v", row)
	}
}

// Bytes per second are the time seen otherwise: the row of time says how many
// bytes an operation has, and no row judges them again. A rate that the benchmark
// reports is a metric like any other.
func TestJudgeRates(t *testing.T) {
	rec := simulated(8, 10, 0.05, 0.005, 0.002, 1, func(_, _, v int, s *result.Slice) {
		s.SetBytes, s.Metrics = 4096*int64(v+1), map[string]float64{"hits/op": 3}
	})
	rec.Benchmarks[0].Blocks[0].Rounds[7].Slices[1].Metrics = nil
	rows := Compare(rec).Benchmarks
	if slices.ContainsFunc(rows, func(r result.BenchmarkComparison) bool { return r.Unit == "B/s" }) {
		t.Errorf("bytes per second have a row: %+v", rows)
	}
	if r := rows[0]; r.OldBytes != 4096 || r.NewBytes != 8192 {
		t.Errorf("an operation has %v and %v bytes, want 4096 and 8192", r.OldBytes, r.NewBytes)
	}
	if row := rowOf(t, judgeOf(rec).Rows, "hits/op"); row.Verdict != result.Same || row.Old.Center != 3 {
		t.Errorf("a constant metric: %+v", row)
	}
	rec = simulated(8, 10, 0.05, 0.005, 0.002, 1, func(_, r, _ int, s *result.Slice) {
		s.Metrics = map[string]float64{"B/s": 1e6 / (1 + s.Seconds()*1e6) * float64(1+r%2)}
	})
	if row := rowOf(t, judgeOf(rec).Rows, "B/s"); row.Verdict != result.Slower {
		t.Errorf("fewer of its own bytes per second: %+v", row)
	}
}

func TestJudgeNonPositiveValues(t *testing.T) {
	rec := simulated(8, 10, 0, 0.01, 0, 1, func(b, r, v int, s *result.Slice) {
		s.Metrics = map[string]float64{"drift-ns/op": -5 + 2*float64(v) + 0.01*float64((b*7+r*3)%10)}
	})
	row := rowOf(t, judgeOf(rec).Rows, "drift-ns/op")
	d := row.Change.Difference
	if d == nil || !math.IsNaN(row.Change.Ratio) || row.Verdict != result.Slower || d.Center < 1.9 || d.Center > 2.1 || d.Lo > d.Center || d.Hi < d.Center {
		t.Errorf("negative values: %+v, difference %+v", row, d)
	}
}

// Blocks in which nothing differs are zeros: ranked, never called a difference.
func TestJudgeZeros(t *testing.T) {
	rec := simulated(8, 6, 0, 0, 0, 1)
	row := judgeOf(rec).Rows[0]
	if row.Verdict != result.Same || row.Change.Lo != 1 || row.Change.Hi != 1 || *row.P != 1 {
		t.Errorf("identical times: %+v, p = %v", row, *row.P)
	}
}

func TestJudgeSwap(t *testing.T) {
	t.Parallel()
	mirror := map[result.Verdict]result.Verdict{
		result.Faster: result.Slower, result.Slower: result.Faster, result.Same: result.Same, result.Undecided: result.Undecided,
	}
	rapid.Check(t, func(t *rapid.T) {
		theta := rapid.SampledFrom([]float64{-0.03, 0, 0.01, 0.05}).Draw(t, "theta")
		noise := rapid.SampledFrom([]float64{0.001, 0.01, 0.05}).Draw(t, "noise")
		rec := simulated(rapid.IntRange(8, 16).Draw(t, "blocks"), 6, theta, 0.01, noise, rapid.Uint64Range(0, 1000).Draw(t, "seed"))
		rec.Study.MaxBlocks = 20 // no more looks than it has blocks for, or the race detector takes its time
		a := judgeOf(rec).Rows[0]
		// The labels exchange places; the random choices stay.
		for _, b := range rec.Benchmarks[0].Blocks {
			for _, r := range b.Rounds {
				slices.Reverse(r.Slices)
			}
		}
		b := judgeOf(rec).Rows[0]
		if b.Verdict != mirror[a.Verdict] || math.Abs(*a.P-*b.P) > 1e-12 {
			t.Fatalf("%s, p %v; swapped %s, p %v", a.Verdict, *a.P, b.Verdict, *b.P)
		}
		for _, pair := range [][2]float64{{a.Change.Ratio, b.Change.Ratio}, {a.Change.Lo, b.Change.Hi}, {a.Change.Hi, b.Change.Lo}} {
			if math.Abs(pair[0]*pair[1]-1) > 1e-9 {
				t.Fatalf("%+v swapped is %+v", a.Change, b.Change)
			}
		}
	})
}

func TestJudgeLayoutsAreTheUnit(t *testing.T) {
	rec := simulated(28, 6, 0.05, 0.002, 0.002, 3)
	rec.Benchmarks[0].FuncOrders = 10
	for i := range rec.Benchmarks[0].Blocks {
		rec.Benchmarks[0].Blocks[i].FuncOrders = []uint64{uint64(1 + i%10), uint64(101 + i%10)}
	}
	row := judgeOf(rec).Rows[0]
	if row.Old.N != 10 || row.Blocks != 28 || row.Verdict != result.Slower || !strings.Contains(ids(row.Findings), "layouts-are-the-unit") {
		t.Errorf("ten layouts: n = %d, %s, %s", row.Old.N, row.Verdict, ids(row.Findings))
	}
	j := judged{benchmark: rec.Benchmarks[0]}
	if again := j.findings(result.BenchmarkComparison{Unit: "p50-sec/op", Blocks: 28}, Decision{Interval: Interval{N: 10}}, true); len(again) > 0 {
		t.Errorf("another unit of the benchmark: %s", ids(again))
	}
	rec.Benchmarks[0].FuncOrders = 5
	for i := range rec.Benchmarks[0].Blocks {
		rec.Benchmarks[0].Blocks[i].FuncOrders = []uint64{uint64(1 + i%5), uint64(101 + i%5)}
	}
	row = judgeOf(rec).Rows[0]
	if row.Old.N != 5 || *row.P <= 0.05 || row.Verdict != result.Undecided || !strings.Contains(ids(row.Findings), "too-few-layouts") {
		t.Errorf("five layouts: %+v", row)
	}
}

// A cgo call replaced by Go was 229 times faster, and undecided after ten blocks
// that share seven function orders: seven of one sign are rare enough.
func TestJudgeDecidesWithSevenLayouts(t *testing.T) {
	rec := simulated(10, 6, -math.Log(229), 0.05, 0.02, 3)
	rec.Benchmarks[0].FuncOrders = 8
	for i := range rec.Benchmarks[0].Blocks {
		rec.Benchmarks[0].Blocks[i].FuncOrders = []uint64{uint64(1 + i%7), uint64(1 + i%7)}
	}
	j := judgeUpTo(rec.Study, rec.Benchmarks[0], 0, 1, ended)
	if row := j.Rows[0]; row.Verdict != result.Faster || row.Old.N != 7 || strings.Contains(ids(row.Findings), "too-few-layouts") {
		t.Errorf("%s, %+v, n = %d, %s", row.Verdict, row.Change, row.Old.N, ids(row.Findings))
	}
}

func TestJudgeFindings(t *testing.T) {
	for _, test := range []struct {
		want string
		edit func(block, round, variant int, s *result.Slice)
	}{
		{"below-resolution", func(_, _, _ int, s *result.Slice) { s.OverheadLo, s.OverheadHi = 0.4e6, 2.4e6 }},
		{"overhead-uncertain", func(_, _, _ int, s *result.Slice) { s.OverheadLo, s.OverheadHi = 0, 0.1e6 }},
	} {
		row := Compare(simulated(11, 13, 0, 0.003, 0.001, 5, test.edit)).Benchmarks[0]
		if !strings.Contains(ids(row.Findings), test.want) {
			t.Errorf("want %s, have %q in %+v", test.want, ids(row.Findings), row)
		}
	}
	rec := simulated(8, 6, 0, 0.003, 0.001, 5)
	if got := ids(judgeOf(rec).Rows[0].Findings); got != "" {
		t.Errorf("a calm study: %s", got)
	}
	for _, b := range rec.Benchmarks[0].Blocks {
		b.FuncOrders[0] = 0
	}
	if got := ids(judgeOf(rec).Rows[0].Findings); got != "one-layout" {
		t.Errorf("one binary as old: %s", got)
	}
}

// A table asks many questions: one of a family of 20 stops at a difference
// only when it outlasts the correction, and then Holm's p-value is small.
func TestJudgeFamily(t *testing.T) {
	rec := simulated(8, 10, 0.1, 0.005, 0.002, 2)
	rec.Study.Family = 20
	if j := judgeOf(rec); j.Done || j.Rows[0].Verdict != result.Undecided || !j.Alone {
		t.Errorf("8 blocks: done %v, %s, alone %v", j.Done, j.Rows[0].Verdict, j.Alone)
	}
	rec = simulated(15, 10, 0.1, 0.005, 0.002, 2)
	rec.Study.Family = 20
	j := judgeOf(rec)
	if !j.Done || *j.Rows[0].P > 0.05/20 {
		t.Errorf("15 blocks: done %v, p = %v", j.Done, *j.Rows[0].P)
	}
	rec = simulated(8, 10, 0, 0.005, 0.002, 2)
	rec.Study.Family = 20
	if j := judgeOf(rec); !j.Done || j.Rows[0].Verdict != result.Same {
		t.Errorf("same at 8 blocks: done %v, %s", j.Done, j.Rows[0].Verdict)
	}
}

// A judgment is plain data: it must reach JSON with its unknowns.
func TestRowsAreJSON(t *testing.T) {
	for _, blocks := range []int{1, 7, 8} {
		if _, err := json.Marshal(judgeOf(simulated(blocks, 3, 0, 0.01, 0.01, 1)).Rows); err != nil {
			t.Errorf("%d blocks: %v", blocks, err)
		}
	}
}

func BenchmarkJudge(b *testing.B) {
	rec := simulated(40, 30, 0, 0.3, 0.1, 3)
	for b.Loop() {
		judgeOf(rec)
	}
}

// A study is judged at its looks: between them Judge says what the look before
// said.
func TestDue(t *testing.T) {
	rec := simulated(40, 2, 0, 0.01, 0.3, 5)
	rec.Study.Family = 100
	b := rec.Benchmarks[0]
	var due []int
	for n := 1; n <= 40; n++ {
		b := b
		b.Blocks = b.Blocks[:n]
		if Due(rec.Study, b) {
			due = append(due, n)
		}
	}
	if want := []int{1, 8, 11, 13, 15, 20, 28, 40}; !slices.Equal(due, want) {
		t.Errorf("due at %v, want %v", due, want)
	}
}
