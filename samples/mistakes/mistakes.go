// Package mistakes is lesson 3: benchmarks whose number means nothing.
//
//	go test -bench . -benchtime 30x ./samples/mistakes
//
// FibWrong and FibWrong2 use b.N, or the count of the loop, as the input. The
// operation changes with the number of iterations, and never settles. Do not
// run them without -benchtime 30x. SearchWrong times the random numbers along
// with the search.
package mistakes

// Fib returns the nth Fibonacci number.
func Fib(n int) int {
	if n < 2 {
		return n
	}
	return Fib(n-1) + Fib(n-2)
}

// Search returns the place of the first element that is at least x in sorted.
func Search(sorted []int, x int) int {
	lo, hi := 0, len(sorted)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if sorted[mid] < x {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}
