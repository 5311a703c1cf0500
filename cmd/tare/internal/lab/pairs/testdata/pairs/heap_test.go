package pairs

import (
	"runtime/debug"
	"testing"
)

type node struct {
	left, right *node
	value       [2]uint64
}

func tree(depth int) *node {
	if depth == 0 {
		return nil
	}
	return &node{left: tree(depth - 1), right: tree(depth - 1)}
}

var live, garbage *node

// liveHeap keeps some 100 MB alive during a benchmark.
func liveHeap(b *testing.B) {
	live = tree(21)
	b.Cleanup(func() { live = nil })
	b.ResetTimer()
}

// A live heap of 100 MB, collected less often, while the new code allocates
// more.
func BenchmarkCollectsLessOften(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(choose(100, 400)))
	liveHeap(b)
	for b.Loop() {
		for range choose(10, 11) {
			garbage = tree(5)
		}
	}
}

// The new code allocates less, and computes more.
func BenchmarkAllocatesLess(b *testing.B) {
	liveHeap(b)
	for b.Loop() {
		for range choose(10, 5) {
			garbage = tree(5)
		}
		sink = work(choose(0, 2500), sink+1)
	}
}

// A live heap of maps, and an operation that fills maps.
func BenchmarkFillsMaps(b *testing.B) {
	all := make([]map[int]*[4]uint64, 2000)
	for i := range all {
		all[i] = make(map[int]*[4]uint64)
		for k := range 500 {
			all[i][k] = new([4]uint64)
		}
	}
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		m := make(map[int]*[4]uint64)
		for k := range 100 {
			m[k] = all[i%len(all)][k]
			if k%choose(1, 4) == 0 {
				m[k] = new([4]uint64)
			}
		}
		sink = work(choose(0, 1200), sink+1)
		all[i%len(all)][0] = m[0]
	}
}

// 1.2 MB an operation in large objects, and none.
func BenchmarkLargeObjects(b *testing.B) {
	pool := make([][]byte, 20)
	for b.Loop() {
		for i := range pool {
			if !changed || pool[i] == nil {
				pool[i] = make([]byte, 60<<10)
			}
			pool[i][i] = 1
			sink = work(20, sink+1)
		}
	}
}
