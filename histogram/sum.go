package histogram

import "math/bits"

type sum128 struct {
	hi int64
	lo uint64
}

// product multiplies two signed numbers, n being positive.
func product(v, n int64) sum128 {
	high, lo := bits.Mul64(uint64(v), uint64(n))
	hi := int64(high)
	if v < 0 {
		hi -= n // uint64(v) is v + 2⁶⁴
	}
	return sum128{hi, lo}
}

func (s *sum128) add(v int64) { s.addSum(sum128{v >> 63, uint64(v)}) }

func (s *sum128) addSum(o sum128) {
	var carry uint64
	s.lo, carry = bits.Add64(s.lo, o.lo, 0)
	s.hi += o.hi + int64(carry)
}

func (s sum128) float() float64 {
	const word = 1 << 64
	if s.hi >= 0 {
		return float64(s.hi)*word + float64(s.lo)
	}
	// Negate first: -1 is 2⁶⁴-1 below zero, and float64 would round it.
	lo, borrow := bits.Sub64(0, s.lo, 0)
	hi, _ := bits.Sub64(0, uint64(s.hi), borrow)
	return -(float64(hi)*word + float64(lo))
}
