package peers

import (
	"testing"

	"github.com/tarebench/tare"
)

// BenchmarkSeveralPauses prints the error of laps with several pauses, for each
// pause. A lap has p operations of 32 multiplications, each after a pause with
// work in it, and alternates with the same multiplications timed as a whole.
// The same applies to laps of several operations (tare.Repeat, and by default
// short ones).
func BenchmarkSeveralPauses(b *testing.B) {
	for _, clocks := range []struct {
		name    string
		options []tare.Option
	}{
		{"default clock", nil},
		{"monotonic", []tare.Option{tare.Monotonic()}},
	} {
		for p := 1; p <= 16; p *= 2 {
			var offs []float64
			for range 21 {
				const n, eights = 1000, 4
				b := tare.NewBenchmark(n, append(clocks.options, tare.Repeat(p), tare.KeepLaps(n))...)
				x := sink
				for b.Next() {
					b.Pause()
					for range 48 {
						x = eight(x)
					}
					b.Resume()
					for range eights {
						x = eight(x)
					}
				}
				sink = x
				offs = append(offs, calm(b.LapNanos())-8*eights*whole(40))
			}
			b.Logf("%s, %2d pauses in a lap: %s each", clocks.name, p, withInterval(offs, "ns"))
		}
	}
}
