// Package deleted has benchmarks whose work the compiler deletes or computes in
// advance: -prove reports each of them.
package deleted

import (
	"bytes"
	"fmt"
	"math"
	"math/bits"
	"strings"
	"testing"
	"unicode/utf8"
)

var (
	In   uint64 = 0x1234567
	Out  uint64
	X, Y = 3.5, 4.5
	S    = "a string"
	D    = []byte("some bytes")
)

func hash(x uint64) uint64 {
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	return x
}

func lerp(a, b, t float64) float64 { return a + (b-a)*t }

type shape interface{ area() float64 }

type square struct{ side float64 }

func (s square) area() float64 { return s.side * s.side }

type pair[T any] struct{ a, b T }

func (p pair[T]) first() T { return p.a }

func apply(f func(uint64) uint64, x uint64) uint64 { return f(x) }

func BenchmarkDropped(b *testing.B) {
	for i := 0; i < b.N; i++ {
		hash(uint64(i))
	}
}

func BenchmarkBlank(b *testing.B) {
	for range b.N {
		_ = hash(In)
	}
}

func BenchmarkLocal(b *testing.B) {
	var last uint64
	for i := range b.N {
		last = hash(uint64(i))
	}
	_ = last
}

func BenchmarkSum(b *testing.B) {
	var sum uint64
	for i := 0; i < b.N; i++ {
		sum += hash(In)
	}
}

func BenchmarkDevirtualized(b *testing.B) {
	var s shape = square{X}
	for i := 0; i < b.N; i++ {
		s.area()
	}
}

func BenchmarkFuncVariable(b *testing.B) {
	f := hash
	for i := 0; i < b.N; i++ {
		f(uint64(i))
	}
}

func BenchmarkClosure(b *testing.B) {
	x := In
	twice := func() uint64 { return hash(x) * 2 }
	for i := 0; i < b.N; i++ {
		twice()
	}
}

func BenchmarkClosureBody(b *testing.B) {
	for b.Loop() {
		func() {
			hash(In)
		}()
	}
}

func BenchmarkHelperFunc(b *testing.B) {
	for i := 0; i < b.N; i++ {
		apply(hash, uint64(i))
	}
}

func BenchmarkArithmetic(b *testing.B) {
	x, y := X, Y
	for i := 0; i < b.N; i++ {
		_ = x*y + float64(i)
	}
}

func BenchmarkCompareStrings(b *testing.B) {
	for i := 0; i < b.N; i++ {
		_ = S == "another"
	}
}

func BenchmarkIntrinsics(b *testing.B) {
	for i := 0; i < b.N; i++ {
		bits.TrailingZeros64(uint64(i))
		math.Abs(X)
	}
}

func BenchmarkGeneric(b *testing.B) {
	p := pair[uint64]{1, 2}
	for i := 0; i < b.N; i++ {
		p.first()
	}
}

func BenchmarkTable(b *testing.B) {
	for _, t := range []float64{0, 0.5, 1} {
		b.Run(fmt.Sprint(t), func(b *testing.B) {
			for i := 0; i < b.N; i++ {
				lerp(X, Y, t)
			}
		})
	}
}

func BenchmarkParallel(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			hash(In)
		}
	})
}

func BenchmarkHelperLoop(b *testing.B) { dropAll(b, In) }

func dropAll(b *testing.B, x uint64) {
	for i := 0; i < b.N; i++ {
		hash(x)
	}
}

func BenchmarkConstantArgument(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Out = hash(42)
	}
}

func BenchmarkConstantInLoop(b *testing.B) {
	key := uint64(7)
	for b.Loop() {
		hash(key)
	}
}

func BenchmarkRuneLen(b *testing.B) {
	for _, r := range "aß世" {
		for i := 0; i < b.N; i++ {
			utf8.RuneLen(r)
		}
	}
}

func BenchmarkField(b *testing.B) {
	sq := square{2}
	for i := 0; i < b.N; i++ {
		sq.side = float64(i)
		_ = sq.area()
	}
}

func BenchmarkMinMax(b *testing.B) {
	lo := int(In)
	for i := 0; i < b.N; i++ {
		_ = min(lo, i) + max(lo, 7)
	}
}

func BenchmarkCondition(b *testing.B) {
	n := 0
	for i := 0; i < b.N; i++ {
		if hash(uint64(i))&1 == 0 {
			n++
		}
	}
}

func BenchmarkEqualEmpty(b *testing.B) {
	for i := 0; i < b.N; i++ {
		bytes.Equal(D[:0], nil)
	}
}

func BenchmarkHasPrefix(b *testing.B) {
	for i := 0; i < b.N; i++ {
		strings.HasPrefix(S, "")
	}
}
