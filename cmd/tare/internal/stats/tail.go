package stats

import "math"

// FTail is the probability that an F variable with d1 and d2 degrees of freedom
// is at least f. With d1 = 1, f is the square of Student's t, and this is its
// two-sided p-value.
func FTail(f, d1, d2 float64) float64 {
	if !(f > 0) {
		return 1
	}
	return incompleteBeta(d2/2, d1/2, d2/(d2+d1*f))
}

// incompleteBeta is the regularized incomplete beta function I_x(a, b), by its
// continued fraction (Abramowitz and Stegun 26.5.8), evaluated by Lentz's
// method.
func incompleteBeta(a, b, x float64) float64 {
	if x <= 0 || x >= 1 {
		return min(1, max(0, x))
	}
	if x > (a+1)/(a+b+2) {
		return 1 - incompleteBeta(b, a, 1-x)
	}
	sum, _ := math.Lgamma(a + b)
	la, _ := math.Lgamma(a)
	lb, _ := math.Lgamma(b)
	front := math.Exp(sum-la-lb+a*math.Log(x)+b*math.Log1p(-x)) / a
	const tiny = 1e-300
	c, d := 1.0, 1/nonZero(1-(a+b)*x/(a+1), tiny)
	h := d
	step := func(term float64) {
		c, d = nonZero(1+term/c, tiny), 1/nonZero(1+term*d, tiny)
		h *= c * d
	}
	for m := 1.0; m < 1000; m++ {
		step(m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m)))
		step(-(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1)))
		if math.Abs(c*d-1) < 1e-15 {
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
