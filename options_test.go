package tare

import (
	"io"
	"math"
	"testing"
	"time"

	"github.com/tarebench/tare/histogram"
)

// No options and no number of laps make a benchmark or a stopwatch panic. A
// benchmark runs its body at most as often as requested.
func FuzzOptions(f *testing.F) {
	f.Add(100, 1, int64(time.Hour), 0.02, 10, uint8(0))
	f.Add(-1, 0, int64(-1), math.NaN(), -1, uint8(7))
	f.Add(math.MaxInt, math.MaxInt, int64(math.MinInt64), math.Inf(1), math.MaxInt, uint8(5))
	f.Add(300, -5, int64(math.MaxInt64), math.Inf(-1), 1<<30, uint8(3))
	f.Fuzz(func(t *testing.T, n, repeat int, until int64, precision float64, keep int, which uint8) {
		options := []Option{Repeat(repeat), Until(time.Duration(until)), KeepLaps(keep), Precision(precision)}
		for i, o := range []Option{AccurateMean(), Monotonic(), Unfenced()} {
			if which>>i&1 == 1 {
				options = append(options, o)
			}
		}
		b := NewBenchmark(n, options...)
		rounds := 0
		for rounds < 3000 && b.Next() {
			if rounds++; rounds%7 == 0 {
				b.Pause()
			}
		}
		if repeat <= 1 && rounds > max(0, n) {
			t.Errorf("%d rounds of %d", rounds, n)
		}
		d := b.Distribution()
		_ = d.WriteText(io.Discard, histogram.TextOptions{Bins: repeat, Width: keep, Min: precision, Max: float64(until), Step: precision})
		if kept := b.LapNanos(); len(kept) > max(0, keep) || int64(len(kept)) > d.N {
			t.Errorf("%d laps kept of %d", len(kept), d.N)
		}
		d.Quantile(precision)
		watch := NewStopwatch(n, KeepLaps(keep))
		watch.Stop(watch.StartAt(time.Unix(until, int64(n))))
		watch.Stop(Lap{})
		r := watch.Result()
		r.Response.Quantile(precision)
		_ = r.Service.String()
		if len(watch.Spans()) > 1 || r.Unknown != 1 {
			t.Errorf("%d spans, %d unknown laps", len(watch.Spans()), r.Unknown)
		}
	})
}
