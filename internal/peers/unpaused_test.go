package peers

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/tarebench/tare"
	"github.com/tarebench/tare/clock"
	"github.com/tarebench/tare/stats"
)

// unpausedAdds is the mean near the median of laps of k adds.
func unpausedAdds(k int, options []tare.Option) float64 {
	const n = 2000
	var x atomic.Int64
	b := tare.NewBenchmark(n, append(options, tare.KeepLaps(n))...)
	for b.Next() {
		adds(&x, k)
	}
	return calm(b.Laps())
}

func withInterval(v []float64, unit string) string {
	lo, hi := stats.QuantileInterval(v, 0.5, 0.95)
	return fmt.Sprintf("%+.2f %s (%+.2f to %+.2f)", median(v), unit, lo, hi)
}

// TestEmptyBehindWork prints how much longer an interval with nothing in it
// takes behind work than behind none. If it did, what a pause weighs would have
// to be weighed in place, behind every pause.
func TestEmptyBehindWork(t *testing.T) {
	_, rate, err := clock.CalibrateCycles()
	if err != nil {
		t.Skip(err)
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
					start := clock.CyclesAfter()
					clock.Fence()
					empty[w] = append(empty[w], float64(clock.CyclesAfter()-start)*rate.NanosPerTick)
				}
			}
		}
		for w := range works {
			more[w] = append(more[w], calm(empty[w])-calm(empty[0]))
		}
	}
	for w, work := range works[1:] {
		t.Logf("behind %s: %s", work.name, withInterval(more[w+1], "ns"))
	}
}

func addsInTurn(x *atomic.Int64, k int) {
	for range 48 {
		adds(x, k)
	}
}

// TestPausesInALap prints what laps of a chain are off, against laps of it
// without any pause: with one and with three empty pauses in each lap, and where
// only every second lap has one, for these and for the ones between.
func TestPausesInALap(t *testing.T) {
	const n = 2000
	for name, options := range map[string][]tare.Option{
		"default clock": {tare.Repeat(1), tare.KeepLaps(n)},
		"monotonic":     {tare.Repeat(1), tare.KeepLaps(n), tare.Monotonic()},
	} {
		// laps returns the means of every second lap and of the others.
		laps := func(pauses, every int) (float64, float64) {
			b := tare.NewBenchmark(n, options...)
			x := sink
			for i := 0; b.Next(); i++ {
				if i%every == 0 {
					for range pauses {
						b.Pause()
						b.Resume()
					}
				}
				x = eight(eight(x))
			}
			sink = x
			var halves [2][]float64
			for i, lap := range b.Laps() {
				halves[i%2] = append(halves[i%2], lap)
			}
			return calm(halves[0]), calm(halves[1])
		}
		var one, three, with, without []float64
		for range 21 {
			plain, _ := laps(0, 1)
			off, _ := laps(1, 1)
			one = append(one, off-plain)
			off, _ = laps(3, 1)
			three = append(three, off-plain)
			off, between := laps(1, 2)
			with, without = append(with, off-plain), append(without, between-plain)
		}
		t.Logf("%s: one pause %s, three %s; in every second lap %s, laps between %s", name,
			withInterval(one, "ns"), withInterval(three, "ns"), withInterval(with, "ns"), withInterval(without, "ns"))
	}
}
