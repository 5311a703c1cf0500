// Package work has something to benchmark.
package work

import "math/bits"

// Popcount is small enough to be inlined.
func Popcount(x uint64) int {
	x -= x >> 1 & 0x5555555555555555
	x = x&0x3333333333333333 + x>>2&0x3333333333333333
	x = (x + x>>4) & 0x0f0f0f0f0f0f0f0f
	return int(x * 0x0101010101010101 >> 56)
}

// Fib is recursive: it is not inlined.
func Fib(n int) int {
	if n < 2 {
		return n
	}
	return Fib(n-1) + Fib(n-2)
}

// Ones is an intrinsic, inlined through a function.
func Ones(x uint64) int { return bits.OnesCount64(x) }
