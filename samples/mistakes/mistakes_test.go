package mistakes

import (
	"math/rand/v2"
	"sort"
	"testing"
)

func TestSearch(t *testing.T) {
	sorted := []int{1, 3, 3, 7}
	for x := range 9 {
		if got, want := Search(sorted, x), sort.SearchInts(sorted, x); got != want {
			t.Errorf("Search(%d) = %d, want %d", x, got, want)
		}
	}
}

func BenchmarkFibWrong(b *testing.B) {
	Fib(b.N)
}

func BenchmarkFibWrong2(b *testing.B) {
	for n := 0; n < b.N; n++ {
		Fib(n)
	}
}

func BenchmarkFibRight(b *testing.B) {
	for b.Loop() {
		Fib(20)
	}
}

const size = 10_000

func numbers() []int {
	sorted := make([]int, size)
	for i := range sorted {
		sorted[i] = 3 * i
	}
	return sorted
}

func BenchmarkSearchWrong(b *testing.B) {
	sorted := numbers()
	for b.Loop() {
		Search(sorted, rand.IntN(3*size))
	}
}

func BenchmarkSearchRight(b *testing.B) {
	sorted := numbers()
	wanted := make([]int, 1<<12)
	for i := range wanted {
		wanted[i] = rand.IntN(3 * size)
	}
	i := 0
	for b.Loop() {
		Search(sorted, wanted[i&(len(wanted)-1)])
		i++
	}
}
