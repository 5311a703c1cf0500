package study

import (
	"bytes"
	"context"
	"slices"
	"testing"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// TestResume stops a study in the middle of a block, as a kill would, goes on
// from what is on record, and finds the random choices, layouts and iteration counts
// of a study that was never stopped.
func TestResume(t *testing.T) {
	t.Parallel()
	dir := module(t, map[string]string{"m_test.go": busy + `
func BenchmarkA(b *testing.B) { work(b) }
func BenchmarkB(b *testing.B) { work(b) }
`})
	s := newSource(t, dir, "")
	options := Options{
		Study: compareStudy(4, func(p *result.Plan) { p.BlockSeconds = 0.001; p.Procs = []int{2}; p.TimeoutSeconds = 60 }), Sources: []Source{s, s}, Packages: []string{"example.com/m"},
	}
	var lines []result.Line
	options.Write = func(l result.Line) error { lines = append(lines, l); return nil }
	if err := Run(t.Context(), options); err != nil {
		t.Fatal(err)
	}
	unbroken := result.NewRecording(lines)

	lines = nil
	ctx, cancel := context.WithCancel(t.Context())
	options.Write = func(l result.Line) error {
		if l.Block != nil && l.Block.Benchmark == 1 && l.Block.Block == 1 {
			cancel()
		}
		if ctx.Err() == nil { // nothing is written by a killed process
			lines = append(lines, l)
		}
		return nil
	}
	if err := Run(ctx, options); err == nil {
		t.Fatal("the study was not stopped")
	}
	lines = Trim(lines)
	half := result.NewRecording(lines)
	if a, b := len(half.Benchmarks[0].Blocks), len(half.Benchmarks[1].Blocks); a != 4 || b != 1 {
		t.Fatalf("%d and %d whole blocks are left, want 4 and 1", a, b)
	}
	options.Resume = half
	options.Write = func(l result.Line) error { lines = append(lines, l); return nil }
	if err := Run(t.Context(), options); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	w := result.NewWriter(&file)
	for _, l := range lines {
		if err := w.Write(l); err != nil {
			t.Fatal(err)
		}
	}
	resumed, err := result.Read(&file)
	if err != nil {
		t.Fatal(err)
	}
	if len(resumed.Benchmarks) != 2 || resumed.End == nil || len(resumed.Stops) != 2 {
		t.Fatalf("%d benchmarks, %d stops, end %v", len(resumed.Benchmarks), len(resumed.Stops), resumed.End)
	}
	for i := range resumed.Benchmarks {
		a, b := unbroken.Benchmarks[i].Blocks, resumed.Benchmarks[i].Unpacked().Blocks
		if !slices.EqualFunc(a, b, func(a, b result.Block) bool {
			return a.Block == b.Block && a.First == b.First && slices.Equal(a.FuncOrders, b.FuncOrders)
		}) {
			t.Errorf("benchmark %d: coins or layouts differ:\n%+v\n%+v", i, a, b)
		}
		first := b[0].Rounds[0].Slices // long runs differ by variant
		for _, k := range b {
			for j, r := range k.Rounds {
				if r.Slices[0].N != first[0].N || r.Slices[1].N != first[1].N {
					t.Errorf("benchmark %d: iterations change in block %d round %d", i, k.Block, j)
				}
			}
		}
	}
}

// TestInterruptedBenchmarkIsMeasuredOn: an interruption ends no benchmark, and
// what was measured before it is charged to the budget.
func TestInterruptedBenchmarkIsMeasuredOn(t *testing.T) {
	key := func(name string) *result.Benchmark { return &result.Benchmark{Key: result.Key{Name: name}} }
	lines := []result.Line{
		{Benchmark: key("A")}, {Benchmark: key("B")},
		{Stop: &result.Stop{Benchmark: 0, Reason: "blocks"}},
		{Block: &result.Block{Benchmark: 1, Seconds: 1.5}},
		{Stop: &result.Stop{Benchmark: 1, Reason: "interrupted"}},
		{End: &result.End{Seconds: 3}},
	}
	rec := result.NewRecording(Trim(lines))
	if rec.End != nil || len(rec.Stops) != 1 {
		t.Errorf("end %v and %d stops are left, want none and that of A", rec.End, len(rec.Stops))
	}
	var r runner
	r.restore(rec)
	if a, b := r.benches[0], r.benches[1]; !a.done || b.done || b.spent != 1500*time.Millisecond {
		t.Errorf("A done %v, B done %v after %v; want true, false, 1.5s", a.done, b.done, b.spent)
	}
}
