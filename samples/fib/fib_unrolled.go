//go:build unrolled && !recursive

package fib

// Fib returns the nth Fibonacci number. It saves the last calls.
func Fib(n int) int {
	switch n {
	case 0:
		return 0
	case 1, 2:
		return 1
	}
	return Fib(n-1) + Fib(n-2)
}
