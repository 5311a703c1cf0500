package result

import (
	"bytes"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// TestPackedBlockIsTheBlockOfTheFile: the block that is judged while it is
// measured is the one that a reader of the file gets, to the last bit.
func TestPackedBlockIsTheBlockOfTheFile(t *testing.T) {
	number := rapid.OneOf(rapid.Float64Range(-1e12, 1e12), rapid.SampledFrom([]float64{0, 1, math.Inf(1), math.NaN(), 0.1}))
	rapid.Check(t, func(t *rapid.T) {
		b := &Block{FuncOrders: []uint64{1, 2}, Seconds: rapid.Float64Range(0, 1e6).Draw(t, "seconds")}
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
		packed := *b
		got := &packed
		got.Pack()
		got.Unpack()
		var file bytes.Buffer
		w := NewWriter(&file)
		for _, l := range []Line{{Study: &Study{Schema: RecordingSchema, Variants: make([]Variant, 2)}}, {Benchmark: &Benchmark{}}, {Block: b}} {
			if err := w.Write(l); err != nil {
				t.Fatal(err)
			}
		}
		lines, err := Lines(&file)
		if err != nil {
			t.Fatal(err)
		}
		block := lines[len(lines)-1].Block
		if block.Rounds != nil {
			t.Fatal("a block of a file is not packed")
		}
		block.Unpack()
		if d := cmp.Diff(block, got, cmpopts.EquateNaNs(), cmpopts.IgnoreTypes(Columns{})); d != "" {
			t.Fatalf("the file has another block (-file +packed):\n%s", d)
		}
	})
}

// TestPack: a packed block has the rounds, the counts and the line of the
// original block, and no slice.
func TestPack(t *testing.T) {
	round := func(at float64, n int64) Round {
		return Round{At: at, Order: []int{1, 0}, Slices: []Slice{{N: n, Raw: 100}, {N: n, Raw: 110}}}
	}
	b := Block{Rounds: []Round{round(1, 10), round(2, 20)}, Counting: []Round{round(3, 30)}}
	lines := make([]string, 2)
	packed := b
	packed.Pack()
	if packed.Rounds != nil || packed.Counting != nil || packed.RoundCount() != 3 || b.RoundCount() != 3 || packed.PackedRounds.variants() != 2 {
		t.Errorf("packed: %+v", packed)
	}
	for i, k := range []Block{b, packed} {
		if d := cmp.Diff(b.Rounds, k.Timed()); d != "" {
			t.Errorf("timed rounds: %s", d)
		}
		if d := cmp.Diff(b.Counting, k.Counted()); d != "" {
			t.Errorf("counting rounds: %s", d)
		}
		var file bytes.Buffer
		if err := NewWriter(&file).Write(Line{Block: &k}); err != nil {
			t.Fatal(err)
		}
		lines[i] = file.String()
	}
	if lines[0] != lines[1] {
		t.Errorf("the lines differ:\n%s%s", lines[0], lines[1])
	}
	if k := (Benchmark{Blocks: []Block{packed}}).Unpacked().Blocks[0]; len(k.Rounds) != 2 || len(k.Counting) != 1 {
		t.Errorf("unpacked: %+v", k)
	}
	if packed.Rounds != nil {
		t.Error("Unpacked changed the block that it copied")
	}
}
