package deadresult

import (
	"math"
	"math/bits"
	"strings"
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

type point struct{ x, y int }

func (p point) sum() int { return p.x + p.y }

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

func total(list []int) (t int) {
	for _, v := range list {
		t += v
	}
	return t
}

var calls int

func counted(x int) int { calls++; return x }

//go:noinline
func kept(x int) int { return x }

func BenchmarkStatement(b *testing.B) {
	for i := 0; i < b.N; i++ {
		popcount(uint64(i)) // want `the result of popcount is unused`
	}
}

func BenchmarkBlank(b *testing.B) {
	for range b.N {
		_ = popcount(Input) // want `the result of popcount is unused`
	}
}

func BenchmarkLocal(b *testing.B) {
	r := 0
	for i := 0; i < b.N; i++ {
		r = popcount(uint64(i)) // want `the result of popcount is unused`
	}
	_ = r
}

func BenchmarkSum(b *testing.B) {
	r := 0
	for i := 0; i < b.N; i++ {
		r += popcount(uint64(i)) // want `the result of popcount is unused`
	}
	_ = r
}

func BenchmarkMethod(b *testing.B) {
	p := point{1, 2}
	for i := 0; i < b.N; i++ {
		p.sum() // want `the result of sum is unused`
	}
}

func BenchmarkLibrary(b *testing.B) {
	for i := 0; i < b.N; i++ {
		_ = bits.OnesCount64(uint64(i)) // want `the result of OnesCount64 is unused`
		_ = math.Sqrt(float64(i))       // want `the result of Sqrt is unused`
	}
}

func BenchmarkExpression(b *testing.B) {
	for i := 0; i < b.N; i++ {
		_ = i*i + 3 // want `this value is unused`
	}
}

func BenchmarkParallel(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			popcount(Input) // want `the result of popcount is unused`
		}
	})
}

// Near misses.

func BenchmarkSink(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Sink = popcount(uint64(i))
	}
}

func BenchmarkSinkAfter(b *testing.B) {
	r := 0
	for i := 0; i < b.N; i++ {
		r += popcount(uint64(i))
	}
	Sink = r
}

func BenchmarkRead(b *testing.B) {
	for i := 0; i < b.N; i++ {
		r := popcount(uint64(i))
		if r > 64 {
			b.Fatal(r)
		}
	}
}

func BenchmarkLoop(b *testing.B) {
	for b.Loop() {
		popcount(Input)
	}
}

func BenchmarkNotDeletable(b *testing.B) {
	list := []int{1, 2, 3}
	for i := 0; i < b.N; i++ {
		fib(10)                 // recursive: not inlined
		total(list)             // a loop stays
		counted(i)              // a store
		kept(i)                 // not inlined
		strings.ToUpper("text") // not seen
		_ = i / len(list)       // may panic
	}
}

type table struct{ set []uint64 }

func (t *table) has(i uint) bool { return t.set[i>>6]&(1<<(i&63)) != 0 }

func BenchmarkBounds(b *testing.B) {
	t := table{make([]uint64, 4)}
	for i := 0; i < b.N; i++ {
		t.has(uint(i) % 256) // its bounds check stays
	}
}

func BenchmarkUntimed(b *testing.B) {
	for i := 0; i < b.N; i++ {
		b.StopTimer()
		_ = popcount(uint64(i))
		b.StartTimer()
		fib(3)
	}
}
