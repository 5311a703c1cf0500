package paused

import "testing"

// BenchmarkPair is BenchmarkPaused, or with the build tag unpaused
// BenchmarkUnpaused, under one name, so that tare compare runs the two in
// lockstep:
//
//	tare compare -bench Pair .,tags=unpaused . ./samples/paused
func BenchmarkPair(b *testing.B) {
	forEach(b, func(b *testing.B, k int) {
		var c Counter
		for range b.N {
			if pausing {
				b.StopTimer()
				c.Reset()
				b.StartTimer()
			}
			c.Add(k)
		}
	})
}
