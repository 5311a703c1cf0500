package peers

import (
	"fmt"
	"math"
	"testing"

	"github.com/tarebench/tare/benchmark"
	"github.com/tarebench/tare/clock"
)

// BenchmarkSlowCalls has one slow call in 50 and in 400 among operations of 5 ns to
// 5 µs, and reports how far the percentile that the slow calls are in is off the
// truth, which is the least of several times of the same work in a row. In the
// column held, 1 means that the percentile's interval holds the truth; findings
// is how many of them its distribution has. Of 20 counts all should be within 5%
// or have a finding:
//
//	go test -run '^$' -bench SlowCalls -benchtime 100ms -count 20
func BenchmarkSlowCalls(b *testing.B) {
	perStep := timePerStep()
	for _, base := range []float64{5, 20, 50, 200, 1000, 5000} {
		for _, every := range []int{50, 400} {
			steps := max(1, int(base/perStep))
			slow := max(40*steps, int(1300/perStep))
			b.Run(fmt.Sprintf("base=%.0fns/every=%d", base, every), func(b *testing.B) {
				tb := benchmark.NewB(b)
				x := sink
				for i := 0; tb.Loop(); i++ {
					if i%every == 0 {
						x = steps64(x, slow)
					} else {
						x = steps64(x, steps)
					}
					tb.Lap()
				}
				sink = x
				d := tb.Distribution()
				q := 1 - 0.5/float64(every)
				got, _ := d.Quantile(q)
				truth := perStep * float64(slow)
				held := 0.0
				if got.Lo <= truth && truth <= got.Hi {
					held = 1
				}
				b.ReportMetric(100*(got.Value/truth-1), "off-%")
				b.ReportMetric(held, "held")
				b.ReportMetric(float64(len(d.Findings())), "findings")
				mean := (perStep*float64(slow) + perStep*float64(steps*(every-1))) / float64(every)
				b.ReportMetric(100*math.Abs(d.Mean().Value/mean-1), "mean-off-%")
			})
		}
	}
}

// timePerStep is the least of thirty times.
func timePerStep() float64 {
	const n = 200_000
	least := int64(math.MaxInt64)
	for range 30 {
		start := clock.Now()
		sink = steps64(sink, n)
		least = min(least, clock.Now()-start)
	}
	return float64(least) / n
}

// steps64 takes n steps, each of which waits for the one before.
func steps64(x uint64, n int) uint64 {
	for range n {
		x = (x ^ x>>32) * 6364136223846793005
	}
	return x
}
