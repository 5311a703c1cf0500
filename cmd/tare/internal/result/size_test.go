package result

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// large is a recording of 160 benchmarks of two variants with 12 blocks of 250
// rounds: slices of 100 µs, with the overhead of each, and a random order each.
func large(b testing.TB) []byte {
	b.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	var text bytes.Buffer
	w := NewWriter(&text)
	write := func(l Line) {
		if err := w.Write(l); err != nil {
			b.Fatal(err)
		}
	}
	write(Line{Study: &Study{Schema: RecordingSchema, Variants: make([]Variant, 2)}})
	at := 0.0
	for i := range 160 {
		write(Line{Benchmark: &Benchmark{Key: Key{Pkg: "unicode/utf8", Name: "X", Procs: 2}}})
		for k := range 12 {
			block := Block{Benchmark: i, Block: k, FuncOrders: []uint64{r.Uint64N(1 << 31), 1}, Processes: make([]Process, 2), Seconds: 0.06, SliceSeconds: 0.05}
			for range 250 {
				at += 0.000212
				order := []int{0, 1}
				if r.IntN(2) == 1 {
					order = []int{1, 0}
				}
				round := Round{At: float64(int(1e6*at)) / 1e6, Order: order, Slices: make([]Slice, 2)}
				for v := range round.Slices {
					round.Slices[v] = Slice{N: 12_345, Raw: 95_000 + float64(r.IntN(10_000)), Pauses: 1, OverheadLo: 20 + float64(r.IntN(99))/10, OverheadHi: 30 + float64(r.IntN(99))/10}
				}
				block.Rounds = append(block.Rounds, round)
			}
			write(Line{Block: &block})
		}
	}
	return text.Bytes()
}

// TestSize checks the sizes of recordings in docs/format.md.
func TestSize(t *testing.T) {
	text := large(t)
	if n := len(text); n > 20e6 || n < 19e6 {
		t.Errorf("960,000 slices take %d bytes", n)
	}
	rec, err := Read(bytes.NewReader(text))
	if err != nil || len(rec.Benchmarks) != 160 || rec.Benchmarks[159].Blocks[11].RoundCount() != 250 {
		t.Fatal(err)
	}
}

// BenchmarkRead reads a large recording.
func BenchmarkRead(b *testing.B) {
	text := large(b)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		rec, err := Read(bytes.NewReader(text))
		if err != nil || rec.Benchmarks[159].Blocks[11].RoundCount() != 250 {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(text))/1e6, "MB")
}
