package wrong

import (
	"bytes"
	"io"
	"slices"
	"sort"
	"testing"
)

type journal struct{ lines []string }

// mistake: spentinput
func BenchmarkSortInts(b *testing.B) {
	data := fill(4096)
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		sort.Ints(data)
	}
}

// mistake: spentinput
func BenchmarkSortStable(b *testing.B) {
	for _, n := range []int{10, 1000} {
		b.Run("n", func(b *testing.B) {
			list := fill(n)
			for b.Loop() {
				slices.SortStableFunc(list, func(x, y int) int { return y - x })
			}
		})
	}
}

// mistake: spentinput
func BenchmarkReadAll(b *testing.B) {
	src := bytes.NewReader(make([]byte, 8192))
	for i := 0; i < b.N; i++ {
		data, err := io.ReadAll(src)
		if err != nil {
			b.Fatal(err)
		}
		Sink = len(data)
	}
}
