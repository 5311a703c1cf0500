package right2

import (
	"slices"
	"strings"
	"testing"
)

// These look like what rules report that were made wider for package wrong2.

type queue struct{ items []int }

func (q *queue) take() (int, bool) {
	if len(q.items) == 0 {
		return 0, false
	}
	v := q.items[0]
	q.items = q.items[1:]
	return v, true
}

func (q *queue) drop() {
	if len(q.items) == 0 {
		return
	}
	q.items = q.items[1:]
}

func (q *queue) put(v int) { q.items = append(q.items, v) }

func (q *queue) rotate() {
	if len(q.items) == 0 {
		return
	}
	v := q.items[0]
	q.items = q.items[1:]
	q.items = append(q.items, v)
}

func BenchmarkDropOfMany(b *testing.B) {
	q := &queue{items: make([]int, b.N)}
	for i := 0; i < b.N; i++ {
		q.drop()
	}
}

func BenchmarkDropRefilled(b *testing.B) {
	var q queue
	for i := 0; i < b.N; i++ {
		q.put(i)
		q.drop()
	}
}

func BenchmarkDropSetAgain(b *testing.B) {
	all := make([]int, 100)
	var q queue
	for i := 0; i < b.N; i++ {
		q.items = all
		q.drop()
	}
}

func BenchmarkRotate(b *testing.B) {
	q := &queue{items: make([]int, 100)}
	for i := 0; i < b.N; i++ {
		q.rotate()
	}
}

func BenchmarkTakeChecked(b *testing.B) {
	q := &queue{items: make([]int, 100)}
	for i := 0; i < b.N; i++ {
		v, ok := q.take()
		if !ok {
			q.items = make([]int, 100)
		}
		Count = v
	}
}

func BenchmarkSortedSetup(b *testing.B) {
	keys := make([]int, b.N)
	for i := range keys {
		keys[i] = collatz(i%100 + 1)
	}
	slices.Sort(keys)
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		Count = keys[i]
	}
}

func BenchmarkSortedAfter(b *testing.B) {
	samples := make([]int, b.N)
	for i := range b.N {
		samples[i] = collatz(i%100 + 1)
	}
	b.StopTimer()
	slices.Sort(samples)
	b.ReportMetric(float64(samples[len(samples)/2]), "p50-steps")
}

func BenchmarkElements(b *testing.B) {
	out := make([]uint32, b.N)
	for i := range b.N {
		out[i] = luma(uint8(i), 2, 3)
	}
	Level = out[0]
}

func BenchmarkPart(b *testing.B) {
	all := strings.Repeat("ab", b.N)
	for i := 0; i < b.N; i++ {
		Count = strings.Count(all[i:i+2], "a")
	}
}

func BenchmarkGrowingBatches(b *testing.B) {
	for n := 1; n < b.N; n *= 2 {
		for i := range min(n, b.N-n) {
			Count = collatz(i + 1)
		}
	}
}

func twice(n int) int { return collatz(n) + collatz(n+1) }

func BenchmarkTwice(b *testing.B) {
	for i := 0; i < b.N; i += 2 {
		Count = twice(27)
	}
}

func BenchmarkFilledBytes(b *testing.B) {
	var in []byte
	in = append(in, text...)
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		Count = strings.Count(string(in), "fox")
	}
}

func BenchmarkFieldDivided(b *testing.B) {
	var t struct{ hits int }
	for i := 0; i < b.N; i++ {
		if leap(i) {
			t.hits++
		}
	}
	b.ReportMetric(float64(t.hits)/float64(b.N), "hits/op")
}

func BenchmarkFieldOfOne(b *testing.B) {
	var t struct{ hits int }
	for i := 0; i < b.N; i++ {
		t.hits = 0
		for year := range 10 {
			if leap(year + i) {
				t.hits++
			}
		}
	}
	b.ReportMetric(float64(t.hits), "hits/op")
}

func BenchmarkIndexOnce(b *testing.B) {
	for i := 0; i < b.N; i++ {
		x := index{lists: make(map[string][]int)}
		x.add("fox", i)
	}
}

func BenchmarkMemoOfFew(b *testing.B) {
	memo := make(map[uint8]int)
	for i := 0; i < b.N; i++ {
		if _, ok := memo[uint8(i)]; !ok {
			memo[uint8(i)] = collatz(i%100 + 1)
		}
	}
}
