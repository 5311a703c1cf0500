package strangers

import (
	"crypto/sha256"
	"slices"
	"testing"
)

func BenchmarkLength(b *testing.B) {
	b.Run("presized_log", lengthPresizedLog)
	b.Run("slower_fill", lengthSlowerFill)
	b.Run("batches_of_64", lengthBatches)
	b.Run("setup_in_time", lengthSetupInTime)
	b.Run("later_prune", lengthLaterPrune)
}

type entry struct {
	id   uint64
	name string
	tags []string
}

// A log of entries, sealed at a million, gets its capacity from b.N instead of growing by append.
func lengthPresizedLog(b *testing.B) {
	const most = 1 << 20
	var log []entry
	for i := range b.N {
		if len(log) == most || i == 0 {
			log = nil
			if changed {
				log = make([]entry, 0, min(b.N-i, most))
			}
		}
		log = append(log, entry{id: burn(150), name: "request"})
	}
	sinkAny = log
	sinkAny = nil
}

// Filling a cache of 8,000 keys costs 2.5 instead of 0.8 µs a key, which a long run with nothing but hits hides.
func lengthSlowerFill(b *testing.B) {
	cache := map[uint64]uint64{}
	for i := range b.N {
		k := uint64(i) % 8000
		v, ok := cache[k]
		if !ok {
			v = burn(pick(800, 2500))
			cache[k] = v
		}
		sinkU += v + burn(300)
	}
}

// Records are hashed in b.N/64 batches with one state for all 64, instead of b.N times with a fresh one.
func lengthBatches(b *testing.B) {
	rec := make([]byte, 200)
	if changed {
		out := make([]byte, 0, sha256.Size)
		for i := range b.N / 64 {
			h := sha256.New()
			for j := range 64 {
				rec[0], rec[1] = byte(i), byte(j)
				h.Reset()
				h.Write(rec)
				out = h.Sum(out[:0])
			}
			sinkU += uint64(out[0])
		}
		return
	}
	for i := range b.N {
		h := sha256.New()
		rec[0], rec[1] = byte(i>>6), byte(i)
		h.Write(rec)
		sinkB = h.Sum(nil)
		sinkU += uint64(sinkB[0])
	}
}

// A setup of 6 ms stands in the time of the old b.N loop and, by b.Loop, outside that of the new one; the operation is the same.
func lengthSetupInTime(b *testing.B) {
	seed := burn(5_000_000)
	if changed {
		for b.Loop() {
			sinkU += seed ^ burn(900)
		}
		return
	}
	for range b.N {
		sinkU += seed ^ burn(900)
	}
}

// A sorted list, grown by insertion, is cut back at 40,000 instead of 4,000 keys, so that insertions move ten times as much.
func lengthLaterPrune(b *testing.B) {
	most := pick(4000, 40000)
	var keys []uint64
	x := uint64(3)
	for range b.N {
		x = next(x)
		at, _ := slices.BinarySearch(keys, x)
		keys = slices.Insert(keys, at, x)
		if len(keys) == most {
			keys = keys[:most/50]
		}
	}
	sinkU += uint64(len(keys))
}
