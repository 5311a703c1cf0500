package peers

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/tarebench/tare"
	"github.com/tarebench/tare/clock"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
	"github.com/tarebench/tare/internal/ticks"
)

// unpausedAdds is the mean near the median of laps of k adds.
func unpausedAdds(k int, options []tare.Option) float64 {
	const n = 2000
	var x atomic.Int64
	b := tare.NewBenchmark(n, append(options, tare.KeepLaps(n))...)
	for b.Next() {
		adds(&x, k)
	}
	return calm(b.LapNanos())
}

func withInterval(v []float64, unit string) string {
	lo, hi, _ := stats.MedianOrder(len(v), 0.95)
	s := slices.Sorted(slices.Values(v))
	return fmt.Sprintf("%+.2f %s (%+.2f to %+.2f)", median(v), unit, s[lo-1], s[hi-1])
}

// BenchmarkEmptyAfterWork prints how much longer an empty interval takes after
// work than without work. If it did, the cost of a pause would have to be
// measured in place, after every pause.
func BenchmarkEmptyAfterWork(b *testing.B) {
	_, rate, err := clock.CalibrateCycles()
	if err != nil {
		b.Skip(err)
	}
	var x atomic.Int64
	works := []struct {
		name string
		do   func()
	}{
		{"nothing", func() {}},
		{"48 adds", func() { addsInTurn(&x, 1) }},
		{"480 adds", func() { addsInTurn(&x, 10) }},
		{"4,800 adds", func() { addsInTurn(&x, 100) }},
		{"300 chains", func() {
			for range 300 {
				sink = eight(sink)
			}
		}},
	}
	more := make([][]float64, len(works))
	empty := make([][]float64, len(works))
	for range 21 {
		for w := range works {
			empty[w] = empty[w][:0]
		}
		for range 20 {
			for w, work := range works {
				for range 50 {
					work.do()
					start := ticks.After()
					ticks.Fence()
					empty[w] = append(empty[w], float64(ticks.After()-start)*rate.NanosPerTick)
				}
			}
		}
		for w := range works {
			more[w] = append(more[w], calm(empty[w])-calm(empty[0]))
		}
	}
	for w, work := range works[1:] {
		b.Logf("after %s: %s", work.name, withInterval(more[w+1], "ns"))
	}
}

func addsInTurn(x *atomic.Int64, k int) {
	for range 48 {
		adds(x, k)
	}
}
