//go:build checked || !hinted

package bounds

// Dot is the dot product of a and the first len(a) elements of b. It is not inlined, so that
// its name stays.
//
//go:noinline
func Dot(a, b []int) int {
	sum := 0
	for i, v := range a {
		sum += v * b[i] // checked in every iteration
	}
	return sum
}
