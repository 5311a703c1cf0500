// Package loop has one operation in three loops. All of them drop its result.
package loop

import (
	"testing"

	"github.com/tarebench/tare/benchmark"
)

func popcount(x uint64) (n int) {
	x -= x >> 1 & 0x5555555555555555
	x = x&0x3333333333333333 + x>>2&0x3333333333333333
	return int((x + x>>4) & 0x0f0f0f0f0f0f0f0f * 0x0101010101010101 >> 56)
}

// benchmark.B embeds *testing.B: the loop is package testing's.
func BenchmarkEmbedded(b *testing.B) {
	tb := benchmark.NewB(b)
	x := uint64(b.N)
	for tb.Loop() {
		popcount(x)
		tb.Lap()
	}
}

// wrapper defines Loop, as a type that does not embed must.
type wrapper struct{ b *testing.B }

// Not inlined, so that the machine code has a loop on the line of the source.
//
//go:noinline
func (w wrapper) Loop() bool { return w.b.Loop() }

func BenchmarkWrapped(b *testing.B) {
	w := wrapper{b}
	x := uint64(b.N)
	for w.Loop() {
		popcount(x)
	}
}

func BenchmarkCounted(b *testing.B) {
	x := uint64(b.N)
	for range b.N {
		popcount(x)
	}
}
