// Package pairs has benchmarks in two variants: built with the tag changed, each
// does its work in another way. Slices of a tenth of a millisecond on one CPU
// miss the difference, or see another one.
package pairs

// choose returns the value of the variant.
func choose[T any](old, new T) T {
	if changed {
		return new
	}
	return old
}

// work takes a few nanoseconds for each step.
func work(steps int, x uint64) uint64 {
	for range steps {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

var sink uint64
