package wrong2

import (
	"bytes"
	"io"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"
)

var History []int

// mistake: spentinput
func BenchmarkSort(b *testing.B) {
	values := rand.Perm(10000)
	for i := 0; i < b.N; i++ {
		sort.Ints(values)
	}
}

// mistake: spentinput
func BenchmarkSortFunc(b *testing.B) {
	names := strings.Fields(strings.Repeat(text+" ", 100))
	for b.Loop() {
		slices.SortFunc(names, func(x, y string) int { return len(x) - len(y) })
	}
}

// mistake: spentinput
func BenchmarkReadAll(b *testing.B) {
	r := bytes.NewReader([]byte(strings.Repeat(text, 1000)))
	for b.Loop() {
		all, err := io.ReadAll(r)
		if err != nil {
			b.Fatal(err)
		}
		Count = len(all)
	}
}
