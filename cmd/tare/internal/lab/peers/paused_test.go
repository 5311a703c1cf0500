package peers

import (
	"sync/atomic"
	"testing"

	"github.com/tarebench/tare"
	"github.com/tarebench/tare/clock"
	"github.com/tarebench/tare/internal/ticks"
)

// BenchmarkPausedAdds is system A: k atomic adds between a resume and a pause, against
// the same adds without. The truth is timed in the pauses before and after them in
// turns, so that neither a change of the processor's speed nor a steady drift
// is taken for an error. A round is a benchmark with its own calibration; what is
// off is the median over the rounds, with its 95% interval. With it stands
// what laps of these adds without any pause are off: that much is not the pause's.
func BenchmarkPausedAdds(b *testing.B) {
	for _, clocks := range []struct {
		name    string
		options []tare.Option
	}{
		{"default clock", []tare.Option{tare.Repeat(1)}},
		{"monotonic", []tare.Option{tare.Repeat(1), tare.Monotonic()}},
		{"monotonic, unfenced", []tare.Option{tare.Repeat(1), tare.Monotonic(), tare.Unfenced()}},
	} {
		b.Logf("%s\n%7s %12s %12s   off, with its 95%% interval; in laps without a pause", clocks.name, "k", "truth", "paused")
		for k := 1; k <= 100_000; k *= 10 {
			const rounds = 21
			var truths, values, offs, unpaused []float64
			for range rounds {
				truth, value, off := pausedAdds(k, clocks.options)
				truths, values, offs = append(truths, truth), append(values, value), append(offs, off)
				if k <= 100 {
					unpaused = append(unpaused, unpausedAdds(k, clocks.options)-truth)
				}
			}
			truth, unit := median(truths), "ns"
			if k > 100 {
				unit = "%"
				for i := range offs {
					offs[i] *= 100 / truth
				}
			}
			unpausedToo := ""
			if k <= 100 {
				unpausedToo = "; " + withInterval(unpaused, unit)
			}
			b.Logf("%7d %9.1f ns %9.1f ns   %s%s", k, truth, median(values), withInterval(offs, unit), unpausedToo)
		}
	}
}

// pausedAdds returns means near the median: of k adds in a row with others, of k
// adds between pauses, and of what the latter are off.
func pausedAdds(k int, options []tare.Option) (truth, value, off float64) {
	// Bursts of 16 and 32 operations, and their difference, so that the clock's
	// overhead is in neither; of 1 and 2 where one lasts microseconds. From
	// 10,000 adds on that overhead is nothing, and one operation is the truth:
	// it is disturbed as often as the one that it is held against.
	burst := max(1, min(16, 1000/k))
	n := max(40, min(2000, 2_000_000/k/burst))
	truths := make([]float64, 0, n)
	var x atomic.Int64
	b := tare.NewBenchmark(n, append(options, tare.KeepLaps(n))...)
	for b.Next() {
		b.Pause()
		first, second := burst, 2*burst
		switch {
		case k >= 10_000:
			first, second = 1, 0
		case len(truths)%2 == 0: // each goes first as often
			first, second = second, first
		}
		start := clock.Now()
		for range first {
			adds(&x, k)
		}
		between := clock.Now()
		for range second {
			adds(&x, k)
		}
		end := clock.Now()
		truths = append(truths, float64((end-between)-(between-start))/float64(second-first))
		b.Resume()
		adds(&x, k)
	}
	paused := b.LapNanos()
	offs := make([]float64, n-1)
	for i := range offs {
		offs[i] = paused[i] - truths[i+i%2] // before it, or after it
	}
	truth = calm(truths)
	return truth, calm(paused), near(offs, 0.02*truth)
}

// BenchmarkAddsAlone prints how much longer k adds take when the processor may not
// begin them before what is in front of them is over, nor go on before they are:
// so they are between a resume and a pause, and so they are not in a row. No
// clock is read between them; what a fence costs is known from chains, which
// take the same time either way.
func BenchmarkAddsAlone(b *testing.B) {
	var x atomic.Int64
	chain := sink
	for k := 1; k <= 100; k *= 10 {
		var more []float64
		for range 21 {
			c := costs(64,
				func(n int) {
					for range n {
						adds(&x, k)
					}
				},
				func(n int) {
					for range n {
						ticks.Fence()
						adds(&x, k)
					}
				},
				func(n int) {
					for range n {
						chain = eight(chain)
					}
				},
				func(n int) {
					for range n {
						ticks.Fence()
						chain = eight(chain)
					}
				})
			more = append(more, (c[1]-c[0])-(c[3]-c[2]))
		}
		b.Logf("%4d adds alone take %s more than in a row", k, withInterval(more, "ns"))
	}
	sink = chain
}

// adds is one piece of code for both sides: where it lies in memory decides
// about as much as what is asked here. There is no loop around less than 100
// adds: whether the processor foresees its end depends on what ran before, and
// costs as much as two adds.
//
//go:noinline
func adds(x *atomic.Int64, k int) {
	switch k {
	case 1:
		x.Add(1)
	case 10:
		ten(x)
	default:
		for range k / 100 {
			hundred(x)
		}
	}
}

func hundred(x *atomic.Int64) {
	ten(x)
	ten(x)
	ten(x)
	ten(x)
	ten(x)
	ten(x)
	ten(x)
	ten(x)
	ten(x)
	ten(x)
}

func ten(x *atomic.Int64) {
	x.Add(1)
	x.Add(1)
	x.Add(1)
	x.Add(1)
	x.Add(1)
	x.Add(1)
	x.Add(1)
	x.Add(1)
	x.Add(1)
	x.Add(1)
}
