package benchtab

import (
	"math"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

func TestSamples(t *testing.T) {
	rec := &result.Recording{
		Study:      result.Study{Schema: 1, Variants: []result.Variant{{Label: "main"}, {Label: "."}}},
		Benchmarks: []result.Benchmark{{Key: result.Key{Pkg: "p", Name: "X", Procs: 4}}},
	}
	for k := range 3 {
		block := result.Block{Block: k}
		for r := range 3 {
			at := float64(100 + 10*k + r)
			block.Rounds = append(block.Rounds, result.Round{Slices: []result.Slice{{N: 1, Raw: at}, {N: 1, Raw: 2 * at}}, Warmup: r == 0})
		}
		rec.Benchmarks[0].Blocks = append(rec.Benchmarks[0].Blocks, block)
	}
	files := Samples(&File{Label: "r", Path: "r.jsonl", Recording: rec})
	if len(files) != 2 || files[0].Label != "r:main" || files[1].Results != 3 {
		t.Fatalf("%+v", files)
	}
	s := files[1].Series[0]
	if s.Name != "X-4" || s.Units[0].Base != "sec/op" {
		t.Fatalf("%+v", s)
	}
	for k, v := range s.Values[0] {
		if want := 2 * (float64(100+10*k) + 1.5) * 1e-9; math.Abs(v-want) > 1e-18 {
			t.Errorf("block %d: %v, want the median %v of its slices", k, v, want)
		}
	}
	for i := range rec.Benchmarks[0].Blocks { // as a recording of somebody else
		b := &rec.Benchmarks[0].Blocks[i]
		b.Rounds, b.Counting = nil, b.Rounds
		for _, r := range b.Counting {
			r.Slices[0].Counted, r.Slices[1].Counted = true, true
		}
	}
	if files := Samples(&File{Label: "r", Path: "r.jsonl", Recording: rec}); len(files[1].Findings) != 1 || !catalog.NotRun.Is(files[1].Findings[0]) {
		t.Errorf("without times: %+v", files[1])
	}
}
