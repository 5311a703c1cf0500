package stats

import "math"

// ChiSquaredTail is the probability that a chi-squared variable with that many
// degrees of freedom is at least x: the regularized incomplete gamma function
// Q(degrees/2, x/2), by its series below degrees/2 + 1 and by its continued
// fraction above (Abramowitz and Stegun 6.5.29 and 6.5.31). It is exact to
// about 1e-12; NaN for x below 0 or no degrees of freedom.
func ChiSquaredTail(x float64, degrees int) float64 {
	if !(x >= 0) || degrees < 1 {
		return math.NaN()
	}
	a, z := float64(degrees)/2, x/2
	if z == 0 {
		return 1
	}
	lg, _ := math.Lgamma(a)
	front := math.Exp(-z + a*math.Log(z) - lg)
	if z < a+1 {
		term := 1 / a
		sum := term
		for n := 1; n < 10_000 && term > sum*1e-16; n++ {
			term *= z / (a + float64(n))
			sum += term
		}
		return max(0, 1-front*sum)
	}
	// Lentz's evaluation of the continued fraction.
	const tiny = 1e-300
	b := z + 1 - a
	c, d := 1/tiny, 1/b
	h := d
	for n := 1; n < 10_000; n++ {
		an := -float64(n) * (float64(n) - a)
		b += 2
		d = 1 / nonZero(an*d+b, tiny)
		c = nonZero(b+an/c, tiny)
		delta := c * d
		h *= delta
		if math.Abs(delta-1) < 1e-15 {
			break
		}
	}
	return front * h
}

func nonZero(x, tiny float64) float64 {
	if math.Abs(x) < tiny {
		return tiny
	}
	return x
}
