package hotkey

import (
	"sort"
	"testing"
)

var Sink int

func BenchmarkMap(b *testing.B) {
	m := make(map[int]int)
	for i := range 10000 {
		m[i] = i
	}
	for b.Loop() {
		Sink = m[77] // want `looks up the same key in m`
	}
}

func BenchmarkSorted(b *testing.B) {
	list := make([]int, 4096)
	for i := range list {
		list[i] = i
	}
	key := 99
	for b.Loop() {
		Sink = sort.SearchInts(list, key) // want `looks up the same key in list`
	}
}

// Near misses.

func BenchmarkSmall(b *testing.B) {
	m := make(map[int]int)
	for i := range 100 {
		m[i] = i
	}
	for b.Loop() {
		Sink = m[77]
	}
}

func BenchmarkDifferent(b *testing.B) {
	m := make(map[int]int)
	for i := range 10000 {
		m[i] = i
	}
	for i := 0; b.Loop(); i++ {
		Sink = m[i%10000]
	}
}

func BenchmarkTwo(b *testing.B) {
	m := make(map[int]int)
	for i := range 10000 {
		m[i] = i
	}
	for b.Loop() {
		Sink = m[1] + m[5000]
	}
}
