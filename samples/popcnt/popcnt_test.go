package popcnt

import (
	"math/bits"
	"testing"
	"testing/quick"
)

func TestPopcnt(t *testing.T) {
	same := func(x uint64) bool { return Popcnt(x) == uint64(bits.OnesCount64(x)) }
	if err := quick.Check(same, nil); err != nil {
		t.Error(err)
	}
}

func BenchmarkPopcntDropped(b *testing.B) {
	for i := range b.N {
		Popcnt(uint64(i))
	}
}

// Result is exported: the compiler cannot know that it is not read.
var Result uint64

func BenchmarkPopcntStored(b *testing.B) {
	var r uint64
	for i := range b.N {
		r += Popcnt(uint64(i))
	}
	Result = r
}

func BenchmarkPopcntLoop(b *testing.B) {
	x := uint64(0)
	for b.Loop() {
		Popcnt(x)
		x++
	}
}
