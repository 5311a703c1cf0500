package pairs

import "testing"

// A loop of batches: the batch grows, and an operation takes the same time.
func BenchmarkDivided(b *testing.B) {
	batch := choose(100, 10_000)
	for range b.N / batch {
		for range batch {
			sink = work(4, sink+1)
		}
	}
}

// A large gain: half a millisecond becomes ten microseconds.
func BenchmarkLargeGain(b *testing.B) {
	for b.Loop() {
		sink = work(choose(1_000_000, 20_000), sink+1)
	}
}

// The operation slows down with the number of operations.
func BenchmarkGrows(b *testing.B) {
	kept := make([]uint64, 0, 64)
	for i := 0; i < b.N; i++ {
		if i%choose(1000, 100) == 0 && len(kept) < 4000 {
			kept = append(kept, uint64(i))
		}
		for _, v := range kept {
			sink += v
		}
		sink = work(200, sink)
	}
}
