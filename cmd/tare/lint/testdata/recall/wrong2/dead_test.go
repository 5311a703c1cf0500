package wrong2

import (
	"math"
	"math/bits"
	"testing"
	"unicode"
)

// mistake: deadresult
func BenchmarkLuma(b *testing.B) {
	p := pixel{12, 34, 56}
	for i := 0; i < b.N; i++ {
		luma(p.r, p.g, p.b)
	}
}

// mistake: deadresult
func BenchmarkGray(b *testing.B) {
	pixels := []pixel{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}
	for i := 0; i < b.N; i++ {
		for _, p := range pixels {
			_ = p.gray()
		}
	}
}

// mistake: deadresult
func BenchmarkDot(b *testing.B) {
	v, w := vector{1, 2, 3}, vector{4, 5, 6}
	b.ReportAllocs()
	for range b.N {
		v.dot(w)
	}
}

// mistake: deadresult
func BenchmarkClamp(b *testing.B) {
	b.Run("int", func(b *testing.B) {
		for i := 0; i < b.N; i++ {
			_ = clamp(i, 10, 100)
		}
	})
}

// mistake: deadresult
func BenchmarkReverseBits(b *testing.B) {
	var x uint64 = 0xdeadbeef
	for n := 0; n < b.N; n++ {
		_ = bits.Reverse64(x)
		bits.RotateLeft64(x, 13)
	}
}

// mistake: deadresult
func benchmarkHypot(b *testing.B, p, q float64) {
	for i := 0; i < b.N; i++ {
		_ = math.Sqrt(p*p + q*q)
	}
}

// mistake: deadresult
func BenchmarkLastOnly(b *testing.B) {
	var level uint32
	for i := 0; i < b.N; i++ {
		level = luma(uint8(i), 3, 4)
	}
	_ = level
}

// mistake: deadresult
func BenchmarkIsUpper(b *testing.B) {
	r := rune('x')
	for i := b.N; i > 0; i-- {
		_ = unicode.IsUpper(r)
	}
}

var Leap bool

var Level uint32

var Sum uint32

func BenchmarkHypot(b *testing.B) { benchmarkHypot(b, 3, 4) }
