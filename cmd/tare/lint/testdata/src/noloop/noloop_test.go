package noloop

import (
	"sort"
	"testing"
)

func BenchmarkOnce(b *testing.B) { // want `BenchmarkOnce uses neither b.N nor b.Loop`
	sort.Ints([]int{3, 1, 2})
}

func BenchmarkOwnCount(b *testing.B) { // want `BenchmarkOwnCount uses neither b.N nor b.Loop`
	b.ReportAllocs()
	for range 1000 {
		sort.Ints([]int{3, 1, 2})
	}
}

func BenchmarkUnnamed(_ *testing.B) { // want `BenchmarkUnnamed uses neither b.N nor b.Loop`
	sort.Ints([]int{3, 1, 2})
}

func BenchmarkSometimesSkipped(b *testing.B) { // want `BenchmarkSometimesSkipped uses neither b.N nor b.Loop`
	if testing.Short() {
		b.Skip("short")
	}
	sort.Ints([]int{3, 1, 2})
}

// Near misses.

func BenchmarkN(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sort.Ints([]int{3, 1, 2})
	}
}

func BenchmarkLoop(b *testing.B) {
	for b.Loop() {
		sort.Ints([]int{3, 1, 2})
	}
}

func BenchmarkHelper(b *testing.B) { helper(b, 10) }

func helper(b *testing.B, n int) {
	for range b.N {
		sort.Ints(make([]int, n))
	}
}

func BenchmarkSub(b *testing.B) {
	b.Run("a", BenchmarkN)
}

func BenchmarkOuter(b *testing.B) {
	run := func() {
		for range b.N {
			sort.Ints([]int{3, 1, 2})
		}
	}
	run()
}

func BenchmarkParallel(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			sort.Ints([]int{3, 1, 2})
		}
	})
}

func BenchmarkMetric(b *testing.B) {
	b.ReportMetric(float64(cap(append([]int{}, 1, 2, 3))), "cap")
}

func BenchmarkSkipped(b *testing.B) {
	b.Skip("not yet")
	sort.Ints([]int{3, 1, 2})
}

func BenchmarkEmpty(b *testing.B) {}

func Benchmarking(b *testing.B) { sort.Ints(nil) }

type suite struct{}

func (suite) BenchmarkMethod(b *testing.B) { sort.Ints(nil) }

func BenchmarkSubs(b *testing.B) {
	b.Run("once", func(b *testing.B) { // want `uses neither b.N nor b.Loop`
		work()
	})
	b.Run("group", func(b *testing.B) {
		b.Run("inner", func(b *testing.B) {
			for b.Loop() {
				work()
			}
		})
	})
	b.Run("helper", func(b *testing.B) { handed(b) })
}

func handed(b *testing.B) {
	for b.Loop() {
		work()
	}
}

func work() {}
