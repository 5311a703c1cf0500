package peers

import (
	"sync/atomic"
	"testing"

	"github.com/tarebench/tare"
	"github.com/tarebench/tare/clock"
	"github.com/tarebench/tare/internal/ticks"
)

// BenchmarkPausedAdds is system A: k atomic adds between a resume and a pause,
// against the same adds without. The truth is timed alternately in the pauses
// before and after them. Neither a change of the CPU's speed nor a steady drift
// then counts as an error. A round is a benchmark with its own calibration. The
// error is the median over the rounds, with its 95% interval. It also prints
// the error of laps of these adds without any pause, which the pause does not
// cause.
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

// pausedAdds returns means near the median: of k adds in a sequence with
// others, of k adds between pauses, and of the error of the latter.
func pausedAdds(k int, options []tare.Option) (truth, value, off float64) {
	// Use bursts of 16 and 32 operations, and their difference, which does not
	// contain the clock's overhead. Use 1 and 2 if an operation takes
	// microseconds. From 10,000 adds on the overhead is negligible, and one
	// operation is the truth: it is disturbed as often as the operation that it
	// is compared with.
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
		case len(truths)%2 == 0: // each goes first equally often
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

// BenchmarkAddsAlone prints how much longer k adds take if the CPU must finish
// everything before them first, and must finish them before it continues. This
// is the case between a resume and a pause, and not in a sequence. No clock is
// read between them. The cost of a fence is known from chains, which take the
// same time either way.
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

// adds is one piece of code for both variants, because its position in memory
// matters about as much as the difference. There is no loop around less than
// 100 adds: whether the CPU predicts its end depends on the code before it, and
// costs as much as two adds.
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
