package strangers

import (
	"slices"
	"testing"
)

func BenchmarkLarge(b *testing.B) {
	b.Run("append_to_presized", largeAppendToPresized)
	b.Run("fresh_to_reused", largeFreshToReused)
	b.Run("rare_snapshot", largeRareSnapshot)
	b.Run("clone_spelling", largeCloneSpelling)
	b.Run("longer_ring", largeLongerRing)
}

// A slice of 1 MB is made with its capacity instead of growing by append.
func largeAppendToPresized(b *testing.B) {
	for b.Loop() {
		var s []uint64
		if changed {
			s = make([]uint64, 0, 1<<17)
		}
		for i := range uint64(1 << 17) {
			s = append(s, i*i)
		}
		sinkU += s[len(s)-1]
		sinkAny = s
	}
}

// A 4 MB frame is copied into a kept buffer instead of a fresh one.
func largeFreshToReused(b *testing.B) {
	src := make([]byte, 4<<20)
	kept := make([]byte, 4<<20)
	for i := range b.N {
		dst := kept
		if !changed {
			dst = make([]byte, 4<<20)
		}
		src[i&0xffff]++
		copy(dst, src)
		sinkB = dst
	}
}

// Every 64th operation of 20 µs takes a snapshot of 8 MB, which the new variant writes into one kept buffer.
func largeRareSnapshot(b *testing.B) {
	state := make([]byte, 8<<20)
	kept := make([]byte, 8<<20)
	for i := range b.N {
		state[i&(8<<20-1)]++
		sinkU += burn(20000)
		if i%64 != 63 {
			continue
		}
		if changed {
			copy(kept, state)
			sinkB = kept
		} else {
			sinkB = slices.Clone(state)
		}
	}
}

// Two spellings of the same copy of 1 MB, append to nil and slices.Clone, with the same cost.
func largeCloneSpelling(b *testing.B) {
	src := make([]byte, 1<<20)
	for i := 0; b.Loop(); i++ {
		src[i&(1<<20-1)]++
		if changed {
			sinkB = slices.Clone(src)
		} else {
			sinkB = append([]byte(nil), src...)
		}
	}
}

// The last 400 instead of the last 8 packets of 256 KB stay alive, which fills only after 400 operations and moves the work out of the caches.
func largeLongerRing(b *testing.B) {
	setGC(b, 100)
	ring := make([][]byte, pick(8, 400))
	for i := range b.N {
		p := make([]byte, 256<<10)
		for j := 0; j < len(p); j += 512 {
			p[j] = byte(i)
		}
		ring[i%len(ring)] = p
		sinkU += uint64(p[512]) + burn(5000)
	}
	sinkAny = ring
	sinkAny = nil
}
