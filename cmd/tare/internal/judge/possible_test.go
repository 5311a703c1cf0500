package judge

import (
	"io"
	"math"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// A benchmark may report anything, under any name: the others have their document.
func TestEveryRecordingHasADocument(t *testing.T) {
	t.Parallel()
	for _, value := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64} {
		metrics := map[string]float64{"\x1b[31m\n::error::\xff|<b>=cmd": value, "sec/op": value, "B/op": value, "x": value, "p99-sec/op": value, "live-B": value}
		for variants := range 2 {
			rec := &result.Recording{Study: result.Study{Schema: result.RecordingSchema}}
			r := result.Round{}
			for v := range variants + 1 {
				rec.Study.Variants = append(rec.Study.Variants, result.Variant{Label: "a"})
				r.Order = append(r.Order, v)
				r.Slices = append(r.Slices, result.Slice{N: 1, Raw: 1000, Metrics: metrics})
			}
			rounds := []result.Round{r, r, r}
			b := result.Block{Rounds: rounds, Counting: rounds}
			rec.Benchmarks = []result.Benchmark{{Key: result.Key{Name: "X"}, Blocks: []result.Block{b, b, b}}}
			c := Compare(rec)
			if err := result.WriteJSON(io.Discard, c.Document()); err != nil {
				t.Errorf("%d variants, %g: %v", variants+1, value, err)
			}
		}
	}
}
