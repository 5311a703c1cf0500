// Package popcnt is lesson 2: work that the compiler deletes.
//
//	go test -bench . ./samples/popcnt
//
// Dropped reports a fraction of a nanosecond, which is an empty loop: Popcnt is
// inlined, its result is not used, and the compiler deletes its code.
package popcnt

const (
	m1  = 0x5555555555555555
	m2  = 0x3333333333333333
	m4  = 0x0f0f0f0f0f0f0f0f
	h01 = 0x0101010101010101
)

// Popcnt counts the bits of x that are set (Hamming weight, after Hacker's
// Delight, 5-1).
func Popcnt(x uint64) uint64 {
	x -= (x >> 1) & m1
	x = (x & m2) + ((x >> 2) & m2)
	x = (x + (x >> 4)) & m4
	return (x * h01) >> 56
}
