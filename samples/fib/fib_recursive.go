//go:build recursive || !unrolled

// Package fib is lesson 3: did the change make it faster?
//
// Fib has an old and a new version, chosen by a build tag. Compare them in
// lockstep, not one after the other:
//
//	tare compare -bench Fib .,tags=recursive .,tags=unrolled ./samples/fib
package fib

// Fib returns the nth Fibonacci number.
func Fib(n int) int {
	if n < 2 {
		return n
	}
	return Fib(n-1) + Fib(n-2)
}
