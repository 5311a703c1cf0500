package capturedvar

import "testing"

// Since Go 1.22 every iteration has its own variable.
func BenchmarkNewGo(b *testing.B) {
	var runs []func(*testing.B)
	for _, n := range []int{1, 2} {
		runs = append(runs, func(b *testing.B) {
			for i := 0; i < b.N; i++ {
				work(n)
			}
		})
	}
	b.Run("x", runs[0])
}
