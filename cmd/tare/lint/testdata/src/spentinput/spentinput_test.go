package spentinput

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"math/rand"
	"slices"
	"sort"
	"strings"
	"testing"
)

func BenchmarkInts(b *testing.B) {
	values := rand.Perm(1000)
	for b.Loop() {
		sort.Ints(values) // want `values is sorted from the second iteration on`
	}
}

func BenchmarkWrapped(b *testing.B) {
	values := rand.Perm(1000)
	for i := 0; i < b.N; i++ {
		sort.Sort(sort.Reverse(sort.IntSlice(values))) // want `values is sorted from the second iteration on`
	}
}

func BenchmarkFunc(b *testing.B) {
	values := rand.Perm(1000)
	for i := 0; i < b.N; i++ {
		slices.SortFunc(values, func(x, y int) int { return x - y }) // want `values is sorted from the second iteration on`
	}
}

func BenchmarkReadAll(b *testing.B) {
	r := strings.NewReader("text")
	for b.Loop() {
		io.ReadAll(r) // want `r is at its end from the second iteration on`
	}
}

func BenchmarkDecode(b *testing.B) {
	r := bytes.NewReader([]byte("{}"))
	for b.Loop() {
		var v any
		json.NewDecoder(r).Decode(&v) // want `r is at its end from the second iteration on`
	}
}

func BenchmarkScanner(b *testing.B) {
	s := bufio.NewScanner(strings.NewReader("a b c"))
	for b.Loop() {
		for s.Scan() { // want `s is at its end after the first iterations`
		}
	}
}

func BenchmarkDecoder(b *testing.B) {
	r := strings.NewReader("{}")
	d := json.NewDecoder(r)
	for i := 0; i < b.N; i++ {
		var v any
		d.Decode(&v) // want `d is at its end after the first iterations`
	}
}

// Near misses.

func BenchmarkSeeking(b *testing.B) {
	r := strings.NewReader("{}")
	d := json.NewDecoder(r)
	for i := 0; i < b.N; i++ {
		var v any
		r.Seek(0, io.SeekStart)
		d.Decode(&v)
	}
}

func BenchmarkInOrder(b *testing.B) {
	var values []int
	for i := 0; i < 1000; i++ {
		values = append(values, 2*i)
	}
	for b.Loop() {
		sort.Ints(values)
	}
}

func BenchmarkCopied(b *testing.B) {
	values := rand.Perm(1000)
	work := make([]int, len(values))
	for b.Loop() {
		copy(work, values)
		sort.Ints(work)
	}
}

func BenchmarkRefilled(b *testing.B) {
	values := make([]int, 1000)
	for b.Loop() {
		for i := range values {
			values[i] = -i
		}
		sort.Ints(values)
	}
}

func BenchmarkCloned(b *testing.B) {
	values := rand.Perm(1000)
	for b.Loop() {
		work := slices.Clone(values)
		sort.Ints(work)
	}
}

func BenchmarkSortedInput(b *testing.B) {
	values := []int{1, 2, 3}
	for b.Loop() {
		sort.Ints(values)
	}
}

func BenchmarkTwice(b *testing.B) {
	values := rand.Perm(1000)
	for b.Loop() {
		sort.Sort(sort.Reverse(sort.IntSlice(values)))
		sort.Ints(values)
	}
}

func BenchmarkRewound(b *testing.B) {
	r := strings.NewReader("text")
	for b.Loop() {
		r.Reset("text")
		io.ReadAll(r)
	}
}

func BenchmarkFreshReader(b *testing.B) {
	for b.Loop() {
		io.ReadAll(strings.NewReader("text"))
	}
}
