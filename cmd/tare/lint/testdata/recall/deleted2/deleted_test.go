// Package deleted2 is a second set of benchmarks whose work the compiler deletes
// or computes in advance: their loops take the time of an empty one.
package deleted2

import (
	"math"
	"math/bits"
	"strings"
	"testing"
	"time"
)

var (
	A, B  = 7, 9
	F, G  = 1.25, 3.5
	Word  = "benchmark"
	Bytes = []byte("a slice of bytes")
)

type money struct {
	units int64
	cents int32
}

func (m money) plus(o money) money {
	c := m.cents + o.cents
	return money{m.units + o.units + int64(c/100), c % 100}
}

func (m *money) isZero() bool { return m.units == 0 && m.cents == 0 }

type adder interface{ add(a, b int) int }

type plain struct{ offset int }

func (p plain) add(a, b int) int { return a + b + p.offset }

func gcd(a, b uint) uint { return a&-a | b&-b }

func mix(h uint32) uint32 { return (h ^ h>>16) * 0x85ebca6b }

func apply(f func(int) int, v int) int { return f(v) }

func swap[K, V any](k K, v V) (V, K) { return v, k }

func lastOf[T any](s []T) (zero T) {
	if len(s) == 0 {
		return zero
	}
	return s[len(s)-1]
}

func BenchmarkPlus(b *testing.B) {
	m, o := money{3, 50}, money{4, 75}
	for i := 0; i < b.N; i++ {
		m.plus(o)
	}
}

func BenchmarkIsZero(b *testing.B) {
	m := &money{3, 50}
	for range b.N {
		_ = m.isZero()
	}
}

func BenchmarkInterface(b *testing.B) {
	var a adder = plain{3}
	for i := 0; i < b.N; i++ {
		a.add(A, B)
	}
}

func BenchmarkFuncVariable(b *testing.B) {
	double := func(v int) int { return 2 * v }
	for i := 0; i < b.N; i++ {
		double(A)
	}
}

func BenchmarkApply(b *testing.B) {
	for i := 0; i < b.N; i++ {
		_ = apply(func(v int) int { return v*v + 1 }, B)
	}
}

func BenchmarkGCD(b *testing.B) {
	for n := b.N; n > 0; n-- {
		gcd(uint(n), 48)
	}
}

func BenchmarkMix(b *testing.B) {
	b.Run("one", func(b *testing.B) {
		for i := 0; i < b.N; i++ {
			mix(uint32(i))
		}
	})
}

func runMix(b *testing.B, seed uint32) {
	b.ReportAllocs()
	for i := 0; i < b.N; i++ {
		_ = mix(mix(seed))
	}
}

func BenchmarkHelper(b *testing.B) { runMix(b, 77) }

func BenchmarkSwap(b *testing.B) {
	for i := 0; i < b.N; i++ {
		_, _ = swap(A, Word)
	}
}

func BenchmarkLastOf(b *testing.B) {
	for i := 0; i < b.N; i++ {
		lastOf(Bytes)
	}
}

func BenchmarkDistance(b *testing.B) {
	for i := 0; i < b.N; i++ {
		dx, dy := F-G, F+G
		_ = math.Sqrt(dx*dx + dy*dy)
	}
}

func BenchmarkBits(b *testing.B) {
	for i := 0; i < b.N; i++ {
		bits.Len64(uint64(i))
		bits.TrailingZeros32(uint32(A))
	}
}

func BenchmarkCompare(b *testing.B) {
	for i := 0; i < b.N; i++ {
		_ = Word == "benchmarks"
	}
}

func BenchmarkHasPrefix(b *testing.B) {
	for i := 0; i < b.N; i++ {
		strings.HasPrefix(Word, "bench")
	}
}

func BenchmarkDuration(b *testing.B) {
	d := 90 * time.Minute
	for i := 0; i < b.N; i++ {
		_ = d.Hours()
	}
}

func BenchmarkArithmetic(b *testing.B) {
	x := A
	for i := 0; i < b.N; i++ {
		y := x * 3
		_ = y + i
	}
}

func BenchmarkStructCopy(b *testing.B) {
	m := money{1, 2}
	for i := 0; i < b.N; i++ {
		n := m
		n.units++
	}
}

func BenchmarkClosureInLoop(b *testing.B) {
	for i := 0; i < b.N; i++ {
		func() { mix(uint32(A)) }()
	}
}

func BenchmarkSmallMake(b *testing.B) {
	for i := 0; i < b.N; i++ {
		_ = make([]byte, 16)
	}
}
