package work

import (
	"math"
	"testing"
)

var (
	Sink  int
	Float float64
	Input uint64 = 0xdeadbeef
	funcs        = []func(uint64) int{Popcount}
)

func BenchmarkDropped(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Popcount(uint64(i))
	}
}

func BenchmarkBlank(b *testing.B) {
	for i := range b.N {
		_ = Popcount(uint64(i))
	}
}

func BenchmarkConstant(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Sink = Popcount(0xdeadbeef)
	}
}

func BenchmarkKept(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Sink = Popcount(Input)
	}
}

func BenchmarkLoop(b *testing.B) {
	for b.Loop() {
		Popcount(Input)
	}
}

func BenchmarkLoopConstant(b *testing.B) {
	for b.Loop() {
		Popcount(0xdeadbeef)
	}
}

func BenchmarkFib(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Fib(10)
	}
}

func BenchmarkSqrt(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Float = math.Sqrt(Float + 1)
	}
}

func BenchmarkIndirect(b *testing.B) {
	for i := 0; i < b.N; i++ {
		f := funcs[i%len(funcs)]
		f(Input)
	}
}

func BenchmarkSub(b *testing.B) {
	for _, n := range []uint64{1, 2} {
		b.Run("sub", func(b *testing.B) {
			for i := 0; i < b.N; i++ {
				Popcount(n)
			}
		})
	}
}

func BenchmarkNested(b *testing.B) {
	for i := 0; i < b.N; i++ {
		for j := uint64(0); j < 8; j++ {
			Sink += Popcount(Input + j)
		}
	}
}

func BenchmarkHelper(b *testing.B) { helper(b, 3) }

func helper(b *testing.B, n uint64) {
	for i := 0; i < b.N; i++ {
		Popcount(n)
	}
}

func BenchmarkParallel(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			Popcount(Input)
		}
	})
}
