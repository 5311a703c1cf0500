// Package kept2 has benchmarks that look like those of package deleted2 and
// whose work is done.
package kept2

import (
	"math"
	"math/bits"
	"strings"
	"testing"
	"time"
	"unicode"
)

var (
	A, B   = 7, 9
	F, G   = 1.25, 3.5
	Word   = "benchmark"
	Bytes  = []byte("a slice of bytes")
	Result int
	Flag   bool
	Real   float64
	Text   string
)

type money struct {
	units int64
	cents int32
}

func (m money) plus(o money) money {
	c := m.cents + o.cents
	return money{m.units + o.units + int64(c/100), c % 100}
}

type adder interface{ add(a, b int) int }

type plain struct{ offset int }

func (p plain) add(a, b int) int { return a + b + p.offset }

var Adder adder = plain{3}

func mix(h uint32) uint32 { return (h ^ h>>16) * 0x85ebca6b }

func digit(c byte) bool { return '0' <= c && c <= '9' }

//go:noinline
func far(h uint32) uint32 { return mix(h) }

func sum(values []int) (total int) {
	for _, v := range values {
		total += v
	}
	return total
}

func BenchmarkPlus(b *testing.B) {
	m, o := money{3, 50}, money{4, 75}
	for i := 0; i < b.N; i++ {
		m = m.plus(o)
	}
	Result = int(m.units)
}

func BenchmarkPlusLoop(b *testing.B) {
	m, o := money{int64(A), 50}, money{int64(B), 75}
	for b.Loop() {
		m.plus(o)
	}
}

func BenchmarkInterface(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Adder.add(A, B)
	}
}

func BenchmarkFar(b *testing.B) {
	for i := 0; i < b.N; i++ {
		far(uint32(i))
	}
}

func BenchmarkMixChain(b *testing.B) {
	h := uint32(A)
	for i := 0; i < b.N; i++ {
		h = mix(h)
	}
	Result = int(h)
}

func BenchmarkSum(b *testing.B) {
	values := []int{1, 2, 3, 4, 5, 6, 7, 8}
	for i := 0; i < b.N; i++ {
		sum(values) // inlined, and its loop is not removed
	}
}

func BenchmarkStore(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Flag = Word == "benchmarks"
	}
}

func BenchmarkContains(b *testing.B) {
	for i := 0; i < b.N; i++ {
		strings.Contains(Word, "mark")
	}
}

func BenchmarkSqrt(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Real = math.Sqrt(F*F + G*G)
	}
}

func BenchmarkBits(b *testing.B) {
	n := 0
	for i := 0; i < b.N; i++ {
		n += bits.OnesCount64(uint64(i))
	}
	Result = n
}

func BenchmarkConcat(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Text = Word + " " + Word
	}
}

func BenchmarkNow(b *testing.B) {
	for i := 0; i < b.N; i++ {
		time.Now()
	}
}

func BenchmarkCopy(b *testing.B) {
	out := make([]byte, len(Bytes))
	for i := 0; i < b.N; i++ {
		copy(out, Bytes)
	}
}

func BenchmarkBoundsCheck(b *testing.B) {
	for i := 0; i < b.N; i++ {
		_ = Bytes[A] // may panic
	}
}

func BenchmarkMapRead(b *testing.B) {
	m := map[string]int{Word: 1}
	for i := 0; i < b.N; i++ {
		_ = m[Word]
	}
}

func BenchmarkChannel(b *testing.B) {
	c := make(chan int, 1)
	for i := 0; i < b.N; i++ {
		c <- i
		<-c
	}
}

func BenchmarkDefer(b *testing.B) {
	for i := 0; i < b.N; i++ {
		func() {
			defer func() { Result++ }()
		}()
	}
}

func BenchmarkLargeMake(b *testing.B) {
	for i := 0; i < b.N; i++ {
		_ = make([]byte, A*1000)
	}
}

func BenchmarkParallelMix(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		h := uint32(1)
		for pb.Next() {
			h = mix(h)
		}
		if h == 12 {
			b.Log(h)
		}
	})
}

func BenchmarkDivide(b *testing.B) {
	for i := 0; i < b.N; i++ {
		_ = A / B // may panic
	}
}

func BenchmarkDigit(b *testing.B) {
	count := 0
	for i := 0; i < b.N; i++ {
		if digit(Word[0]) { // may panic
			count++
		}
	}
	_ = count
}

func BenchmarkIsSpace(b *testing.B) {
	for i := 0; i < b.N; i++ {
		unicode.IsSpace(' ')
	}
}
