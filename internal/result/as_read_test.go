package result

import (
	"bytes"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// TestBlockAsRead: the block that is judged while it is measured is the one
// that a reader of the file gets, to the last bit.
func TestBlockAsRead(t *testing.T) {
	number := rapid.OneOf(rapid.Float64Range(-1e12, 1e12), rapid.SampledFrom([]float64{0, 1, math.Inf(1), math.NaN(), 0.1}))
	rapid.Check(t, func(t *rapid.T) {
		b := &Block{Layouts: []uint64{1, 2}, Seconds: rapid.Float64Range(0, 1e6).Draw(t, "seconds")}
		at := 0.0
		for range rapid.IntRange(1, 6).Draw(t, "rounds") {
			at += rapid.Float64Range(0, 10).Draw(t, "at")
			r := Round{At: at, Order: []int{0, 1}}
			for range 2 {
				r.Slices = append(r.Slices, Slice{
					N: rapid.Int64Range(1, 1<<40).Draw(t, "n"), Raw: rapid.Float64Range(0, 1e12).Draw(t, "raw"),
					OverheadLo: rapid.Float64Range(0, 100).Draw(t, "lo"), OverheadHi: rapid.Float64Range(0, 100).Draw(t, "hi"),
					Metrics: map[string]float64{"m": number.Draw(t, "metric")},
				})
			}
			b.Rounds = append(b.Rounds, r)
		}
		got, err := b.AsRead()
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		w := NewWriter(&file)
		for _, l := range []Line{{Study: &Study{Schema: Schema, Variants: make([]Variant, 2)}}, {Benchmark: &Benchmark{}}, {Block: b}} {
			if err := w.Write(l); err != nil {
				t.Fatal(err)
			}
		}
		lines, _, err := Lines(&file)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(lines[len(lines)-1].Block, got, cmpopts.EquateNaNs()); d != "" {
			t.Fatalf("the file has another block (-file +AsRead):\n%s", d)
		}
	})
}
