package study

import (
	"bytes"
	"context"
	"slices"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/result"
)

// TestResume stops a study in the middle of a block, as a kill would, goes on
// from what is on record, and finds the coins, layouts and iteration counts
// of a study that was never stopped.
func TestResume(t *testing.T) {
	t.Parallel()
	dir := module(t, map[string]string{"m_test.go": busy + `
func BenchmarkA(b *testing.B) { work(b) }
func BenchmarkB(b *testing.B) { work(b) }
`})
	s := newSource(t, dir, "")
	options := Options{
		Study: compareStudy(4), Sources: []Source{s, s}, Packages: []string{"example.com/m"}, Bench: ".",
		BlockTime: time.Millisecond, Procs: []int{2}, Timeout: time.Minute,
	}
	var lines []result.Line
	options.Write = func(l result.Line) error { lines = append(lines, l); return nil }
	if err := Run(t.Context(), options); err != nil {
		t.Fatal(err)
	}
	var unbroken result.Recording
	for _, l := range lines {
		unbroken.Append(l)
	}

	lines = nil
	ctx, cancel := context.WithCancel(t.Context())
	options.Write = func(l result.Line) error {
		if ctx.Err() == nil { // nothing is written by a killed process
			lines = append(lines, l)
		}
		if l.Round != nil && l.Round.Benchmark == 1 && l.Round.Block == 1 {
			cancel()
		}
		return nil
	}
	if err := Run(ctx, options); err == nil {
		t.Fatal("the study was not stopped")
	}
	last := lines[len(lines)-1]
	if last.Round == nil {
		t.Fatalf("the recording ends with %+v, want a round of an unfinished block", last)
	}
	lines = Trim(lines)
	var half result.Recording
	for _, l := range lines {
		half.Append(l)
	}
	if n := len(half.Blocks); n != 5 {
		t.Fatalf("%d whole blocks are left, want 5", n)
	}
	options.Resume = &half
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
	resumed, _, err := result.Read(&file)
	if err != nil {
		t.Fatal(err)
	}
	if len(resumed.Benchmarks) != 2 || resumed.End == nil || len(resumed.Stops) != 2 {
		t.Fatalf("%d benchmarks, %d stops, end %v", len(resumed.Benchmarks), len(resumed.Stops), resumed.End)
	}
	for i := range resumed.Benchmarks {
		_, a := unbroken.Of(i)
		_, b := resumed.Of(i)
		if !slices.EqualFunc(a, b, func(a, b result.Block) bool {
			return a.Block == b.Block && a.First == b.First && slices.Equal(a.Layouts, b.Layouts)
		}) {
			t.Errorf("benchmark %d: coins or layouts differ:\n%+v\n%+v", i, a, b)
		}
		rounds, _ := resumed.Of(i)
		for _, r := range rounds {
			if r.Slices[0].N != rounds[0].Slices[0].N || r.Slices[1].N != r.Slices[0].N {
				t.Errorf("benchmark %d: iterations change in block %d round %d", i, r.Block, r.Round)
			}
		}
	}
}
