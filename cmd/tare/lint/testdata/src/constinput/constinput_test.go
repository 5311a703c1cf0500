package constinput

import (
	"math/bits"
	"testing"
)

var (
	Sink  int
	Input uint64 = 3
)

func popcount(x uint64) int {
	x -= x >> 1 & 0x5555555555555555
	return int(x * 0x0101010101010101 >> 56)
}

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

func length(s string) int { return len(s) }

const size = 64

func BenchmarkLiteral(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Sink = popcount(0xdeadbeef) // want `the arguments of popcount are constant`
	}
}

func BenchmarkConst(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Sink += bits.Len(size) // want `the arguments of Len are constant`
	}
}

func BenchmarkLocal(b *testing.B) {
	x := uint64(12)
	for i := 0; i < b.N; i++ {
		Sink = popcount(x) // want `the arguments of popcount are constant`
	}
}

func BenchmarkDeclared(b *testing.B) {
	var x uint64 = 12
	for range b.N {
		Sink = popcount(x) // want `the arguments of popcount are constant`
	}
}

// b.Loop keeps the result alive, but does not make its computation happen.
func BenchmarkLoop(b *testing.B) {
	for b.Loop() {
		popcount(0xdeadbeef) // want `the arguments of popcount are constant`
	}
}

// Near misses.

func BenchmarkVariable(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Sink = popcount(Input)
	}
}

func BenchmarkCounter(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Sink = popcount(uint64(i))
	}
}

func BenchmarkChanged(b *testing.B) {
	x := uint64(12)
	for i := 0; i < b.N; i++ {
		Sink = popcount(x)
		x++
	}
}

func BenchmarkNotFolded(b *testing.B) {
	for b.Loop() {
		fib(10)
	}
}

func BenchmarkText(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Sink = length("text")
	}
}
