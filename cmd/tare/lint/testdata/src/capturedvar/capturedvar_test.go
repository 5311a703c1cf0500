//go:build go1.21

package capturedvar

import "testing"

func work(n int) {}

func BenchmarkStored(b *testing.B) {
	var runs []func(*testing.B)
	for _, n := range []int{1, 2} {
		runs = append(runs, func(b *testing.B) { // want `captures the loop variable n`
			for i := 0; i < b.N; i++ {
				work(n)
			}
		})
	}
	for _, run := range runs {
		b.Run("x", run)
	}
}

func BenchmarkMap(b *testing.B) {
	runs := map[int]func(*testing.B){}
	for i := 0; i < 3; i++ {
		runs[i] = func(b *testing.B) { // want `captures the loop variable i`
			for range make([]int, b.N) {
				work(i)
			}
		}
	}
	b.Run("x", runs[0])
}

// Near misses.

func BenchmarkAtOnce(b *testing.B) {
	for _, n := range []int{1, 2} {
		b.Run("x", func(b *testing.B) {
			for i := 0; i < b.N; i++ {
				work(n)
			}
		})
	}
}

func BenchmarkCopied(b *testing.B) {
	var runs []func(*testing.B)
	for _, n := range []int{1, 2} {
		n := n
		runs = append(runs, func(b *testing.B) {
			for i := 0; i < b.N; i++ {
				work(n)
			}
		})
	}
	b.Run("x", runs[0])
}
