package history

import "math"

// Edge is one comparison of two commits for one benchmark.
type Edge struct {
	// Old and New are commits, by index.
	Old, New int
	// LogRatio is ln(new/old), SD its standard error. Both are 0 for the same code.
	LogRatio, SD float64
	// Blocks is the number of blocks of the comparison.
	Blocks int
}

func (e Edge) degrees() float64 { return float64(max(1, e.Blocks-1)) }

// Levels are the solved levels of one benchmark.
type Levels struct {
	// Level is the log ratio of each commit to the reference, SD its standard
	// error. Both are NaN if no edges connect the two.
	Level, SD []float64
}

// leastSD bounds the weight of an edge. No measurement is better than a
// thousandth of a percent, and a block spread of 0 must not outweigh all
// others.
const leastSD = 1e-5

// solve computes the levels of commits 0 … n-1 relative to the commit reference.
// The level of a commit is the sum of the ratios along the path of comparisons
// whose errors are the smallest together: mostly from neighbor to neighbor, or
// from tag to tag. Comparisons of one pair count as one. Commits that an edge of
// the same code connects share one level.
func solve(n int, edges []Edge, reference int) Levels {
	l := Levels{Level: make([]float64, n), SD: make([]float64, n)}
	near := make([]map[int]link, n)
	for k := range n {
		l.Level[k], l.SD[k], near[k] = math.NaN(), math.Inf(1), make(map[int]link)
	}
	for _, e := range edges {
		if e.Old != e.New {
			near[e.Old][e.New] = near[e.Old][e.New].with(e.LogRatio, e.SD)
			near[e.New][e.Old] = near[e.New][e.Old].with(-e.LogRatio, e.SD)
		}
	}
	l.Level[reference], l.SD[reference] = 0, 0 // the variance, until all are known
	for done := make([]bool, n); ; {
		k := -1
		for i := range n {
			if !done[i] && !math.IsInf(l.SD[i], 1) && (k < 0 || l.SD[i] < l.SD[k]) {
				k = i
			}
		}
		if k < 0 {
			break
		}
		done[k] = true
		for to, link := range near[k] {
			if v := l.SD[k] + link.variance; v < l.SD[to] {
				l.Level[to], l.SD[to] = l.Level[k]+link.ratio, v
			}
		}
	}
	for k := range n {
		if math.IsInf(l.SD[k], 1) {
			l.SD[k] = math.NaN()
		}
		l.SD[k] = math.Sqrt(l.SD[k])
	}
	return l
}

// link is the mean of the comparisons of one pair of commits. Its variance is 0
// for the same code.
type link struct {
	ratio, variance float64
	known           bool
}

func (l link) with(ratio, sd float64) link {
	v := square(sd)
	if sd > 0 {
		v = square(max(sd, leastSD))
	}
	switch {
	case !l.known || v == 0:
		return link{ratio, v, true}
	case l.variance == 0:
		return l
	}
	w := l.variance / (l.variance + v) // the weight of the new one
	return link{l.ratio + w*(ratio-l.ratio), w * v, true}
}

func square(x float64) float64 { return x * x }

// sets joins numbers into disjoint sets.
type sets []int

func newSets(n int) sets {
	s := make(sets, n)
	for i := range s {
		s[i] = i
	}
	return s
}

func (s sets) root(k int) int {
	for s[k] != k {
		s[k] = s[s[k]]
		k = s[k]
	}
	return k
}

func (s sets) join(a, b int) {
	a, b = s.root(a), s.root(b)
	s[max(a, b)] = min(a, b)
}
