package pausedloop

import (
	"sort"
	"sync/atomic"
	"testing"
)

var (
	total atomic.Int64
	table = map[int]int{}
)

func small(x int) int { return x*x + 1 }

func setup() int { return 1 }

func BenchmarkAtomic(b *testing.B) {
	for i := 0; i < b.N; i++ {
		b.StopTimer() // want `the timer is paused in every iteration`
		x := setup()
		b.StartTimer()
		total.Add(int64(x))
	}
}

func BenchmarkSmall(b *testing.B) {
	for b.Loop() {
		b.StopTimer() // want `the timer is paused in every iteration`
		x := setup()
		b.StartTimer()
		table[small(x)]++
	}
}

func BenchmarkStartFirst(b *testing.B) {
	b.StopTimer()
	for i := 0; i < b.N; i++ {
		setup()
		b.StartTimer()
		total.Add(1)
		b.StopTimer() // want `the timer is paused in every iteration`
	}
}

// Near misses.

func BenchmarkLong(b *testing.B) {
	list := make([]int, 1000)
	for i := 0; i < b.N; i++ {
		b.StopTimer()
		list[0] = i
		b.StartTimer()
		sort.Ints(list) // long against a pause
	}
}

func BenchmarkManyPerPause(b *testing.B) {
	for i := 0; i < b.N; i++ {
		b.StopTimer()
		setup()
		b.StartTimer()
		for range 100000 {
			total.Add(1)
		}
	}
}

func BenchmarkRarely(b *testing.B) {
	for i := 0; i < b.N; i++ {
		if i%1000 == 0 {
			b.StopTimer()
			setup()
			b.StartTimer()
		}
		total.Add(1)
	}
}

func BenchmarkOutside(b *testing.B) {
	b.StopTimer()
	setup()
	b.StartTimer()
	for i := 0; i < b.N; i++ {
		total.Add(1)
	}
	b.StopTimer()
	setup()
}
