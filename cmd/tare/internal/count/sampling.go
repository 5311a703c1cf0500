package count

import "math"

// fisher is the two-sided p-value of Fisher's exact test for two samples of n
// and m, with k and l of one kind. It is the probability of at least this
// difference if both are drawn from one population. Two-sided means the sum
// over all tables with the same margins that are at most as likely as the
// observed one, as in R and SciPy.
func fisher(k, n, l, m int) float64 {
	if n == 0 || m == 0 {
		return 1
	}
	kind := k + l
	// log P(X = x) of the hypergeometric distribution, except for a constant.
	log := func(x int) float64 { return -lgamma(x) - lgamma(n-x) - lgamma(kind-x) - lgamma(m-kind+x) }
	least, most := max(0, kind-m), min(n, kind)
	at, mode := log(k), math.Inf(-1)
	for x := least; x <= most; x++ {
		mode = max(mode, log(x))
	}
	var as, all float64
	for x := least; x <= most; x++ {
		p := log(x)
		weight := math.Exp(p - mode)
		all += weight
		if p <= at+1e-7 { // rounding must not separate equally likely tables
			as += weight
		}
	}
	return min(1, as/all)
}

// lgamma is log(n!).
func lgamma(n int) float64 {
	v, _ := math.Lgamma(float64(n) + 1)
	return v
}
