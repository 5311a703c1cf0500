package wrong

import (
	"fmt"
	"strings"
	"testing"
)

// mistake: bnsize
func BenchmarkPermutations(b *testing.B) {
	Sink = permutations(b.N)
}

// mistake: bnsize
func BenchmarkFillPerRun(b *testing.B) {
	for k := 0; k < b.N; k++ {
		values := make([]int, b.N)
		Sink += len(values) + find(values, k)
	}
}

// mistake: bnsize
func BenchmarkQuadratic(b *testing.B) {
	n := b.N
	Sink = quadratic(n)
}

// mistake: bninput
func BenchmarkCollatzCounter(b *testing.B) {
	for round := 1; round < b.N; round++ {
		Sink = quadratic(round)
	}
}

// mistake: bninput
func BenchmarkRepeatCounter(b *testing.B) {
	for i := range b.N {
		Text = strings.Repeat("ab", i)
	}
}

// mistake: bninput
func BenchmarkInnerCounter(b *testing.B) {
	for i := 0; b.Loop(); i++ {
		for j := 0; j < i; j++ {
			Sink += j
		}
	}
}

// mistake: noloop
func BenchmarkTokensOnce(b *testing.B) {
	b.ReportAllocs()
	words := tokens("to be or not to be")
	Sink = len(words)
}

// mistake: noloop
func BenchmarkSubOnce(b *testing.B) {
	for _, size := range []int{16, 256} {
		b.Run(fmt.Sprintf("size=%d", size), func(b *testing.B) {
			Sink = len(fill(size))
		})
	}
}

// mistake: noloop
func TestSpeedOnce(t *testing.T) {
	r := testing.Benchmark(func(b *testing.B) {
		Sink = int(checksum([]byte("once and never again")))
	})
	t.Log(r)
}

// mistake: loopcond
func BenchmarkLoopVariable(b *testing.B) {
	for more := b.Loop(); more; more = b.Loop() {
		Sink = len(tokens(Text))
	}
}

// mistake: noloop
func BenchmarkOuterCount(b *testing.B) {
	for _, words := range []string{"a b", "a b c d"} {
		b.Run(fmt.Sprintf("len=%d", len(words)), func(bb *testing.B) {
			for i := 0; i < b.N; i++ {
				Sink = len(tokens(words))
			}
		})
	}
}
