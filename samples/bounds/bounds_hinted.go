//go:build hinted && !checked

package bounds

// Dot is the dot product of a and the first len(a) elements of b. It is not inlined, so that
// its name stays.
//
//go:noinline
func Dot(a, b []int) int {
	b = b[:len(a)] // one check here, so that the loop needs none
	sum := 0
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}
