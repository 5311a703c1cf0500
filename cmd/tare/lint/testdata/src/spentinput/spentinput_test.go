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
	"sync"
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

func BenchmarkReversed(b *testing.B) {
	values := make([]int, 1000)
	for i := 0; i < len(values); i++ {
		values[i] = -i
	}
	for b.Loop() {
		sort.Ints(values) // want `values is sorted from the second iteration on`
	}
}

// Near misses.

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

func BenchmarkOnceItself(b *testing.B) {
	var once sync.Once
	f := func() {}
	for b.Loop() {
		once.Do(f)
	}
}

func BenchmarkOnceWork(b *testing.B) {
	var once sync.Once
	for b.Loop() {
		once.Do(func() { sort.Ints([]int{3, 1, 2}) }) // want `once is used up in the first iteration`
	}
}

func BenchmarkScanner(b *testing.B) {
	sc := bufio.NewScanner(strings.NewReader("a\nb\n"))
	for b.Loop() {
		for sc.Scan() { // want `sc is used up in the first iteration`
			_ = sc.Text()
		}
	}
}

func BenchmarkScannerFresh(b *testing.B) {
	for b.Loop() {
		sc := bufio.NewScanner(strings.NewReader("a\nb\n"))
		for sc.Scan() {
			_ = sc.Text()
		}
	}
}

func BenchmarkReaderChecked(b *testing.B) {
	r := bufio.NewReader(strings.NewReader("ab"))
	for b.Loop() {
		if _, err := r.ReadByte(); err != nil {
			b.Fatal(err)
		}
	}
}
