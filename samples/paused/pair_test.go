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

// BenchmarkPairChain is the same for k multiplications, each of which needs the
// result of the previous one. An atomic add costs less in a short burst than in
// a long sequence, with any clock. A multiplication does not.
func BenchmarkPairChain(b *testing.B) {
	forEach(b, func(b *testing.B, k int) {
		x := uint64(1)
		for range b.N {
			if pausing {
				b.StopTimer()
				x++
				b.StartTimer()
			}
			x = multiply(x, k)
		}
		product = x
	})
}

var product uint64

//go:noinline
func multiply(x uint64, k int) uint64 {
	for range k {
		x = x*0x9E3779B97F4A7C15 ^ 1
	}
	return x
}
