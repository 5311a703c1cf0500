package bisect

import (
	"cmp"
	"math"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/stats"
)

// point is a measured commit. The commits after the point before it, up to its
// own, form its segment: the likelihood of a step is the same for each of them.
type point struct {
	commit int
	logs   []float64 // over the good end
	links  []link
	weight float64 // prior of the segment
	others int     // commits with other code in the segment
}

type link struct {
	from int // a point
	logs []float64
}

func (m model) points(seen []observation) []point {
	last := len(m.Prior) - 1
	first := last
	for _, o := range seen {
		first = min(first, o.A, o.B)
	}
	pairs := map[[2]int][]float64{{first, last}: nil}
	for _, o := range seen {
		if o.A > o.B {
			o = observation{o.B, o.A, -o.LogRatio}
		}
		pairs[[2]int{o.A, o.B}] = append(pairs[[2]int{o.A, o.B}], o.LogRatio)
	}
	var all []point
	at := func(commit int) int {
		i, known := slices.BinarySearchFunc(all, commit, func(p point, k int) int { return cmp.Compare(p.commit, k) })
		if !known {
			all = slices.Insert(all, i, point{commit: commit})
		}
		return i
	}
	for pair := range pairs {
		at(pair[0])
		at(pair[1])
	}
	for pair, logs := range pairs {
		if p := &all[at(pair[1])]; pair[0] == first {
			p.logs = logs
		} else if pair[0] < pair[1] {
			p.links = append(p.links, link{at(pair[0]), logs})
		}
	}
	for i := 1; i < len(all); i++ {
		slices.SortFunc(all[i].links, func(a, b link) int { return cmp.Compare(a.from, b.from) })
		for k := all[i-1].commit + 1; k <= all[i].commit; k++ {
			if m.Prior[k] > 0 {
				all[i].weight += m.Prior[k]
				all[i].others++
			}
		}
	}
	return all
}

// located fits the center of values with Student's t. It returns the most
// likely center, its precision, and the logarithm of the likelihood there.
func located(x []float64, scale float64) (center, precision, log float64) {
	if len(x) == 0 {
		return 0, 0, 0
	}
	center = stats.Median(x)
	for range 8 {
		sum, weights := 0.0, 0.0
		for _, v := range x {
			d := (v - center) / scale
			w := (tails + 1) / (tails + d*d)
			sum, weights = sum+w*v, weights+w
		}
		center, precision = sum/weights, weights/(scale*scale)
	}
	return center, precision, logLikelihood(x, center, scale)
}

// logLikelihood is the log likelihood of independent values around mean, with
// Student's t of [tails] degrees of freedom, up to a constant.
func logLikelihood(x []float64, mean, scale float64) float64 {
	sum := 0.0
	for _, v := range x {
		d := (v - mean) / scale
		sum += math.Log1p(d * d / tails)
	}
	return -float64(len(x))*math.Log(scale) - (tails+1)/2*sum
}

// levels are the levels of points for one scale of the noise. They are sums that
// give the likelihood of every run of points between two moves of the code.
type levels struct {
	log                     float64   // of all blocks around their levels
	precision, sum, scatter []float64 // of the points up to each
	keep                    []float64 // log probability that no code moved up to each
	move, step              []float64 // of each segment, log: the code moves, a step
}

func newLevels(points []point, scale float64) *levels {
	n := len(points)
	l := &levels{precision: make([]float64, n), sum: make([]float64, n), scatter: make([]float64, n),
		keep: make([]float64, n), move: make([]float64, n), step: make([]float64, n)}
	center, precision := make([]float64, n), make([]float64, n)
	precision[0] = math.Inf(1)
	weight := 0.0
	for _, p := range points {
		weight += p.weight
	}
	for i := 1; i < n; i++ {
		p := points[i]
		c, w, log := located(p.logs, scale)
		l.log += log
		for _, of := range p.links {
			d, v, log := located(of.logs, scale)
			l.log += log
			if precision[of.from] == 0 {
				continue // the model has no level for it
			}
			v = 1 / (1/v + 1/precision[of.from])
			c, w = (c*w+(center[of.from]+d)*v)/(w+v), w+v
		}
		center[i], precision[i] = c, w
		l.precision[i], l.sum[i], l.scatter[i] = l.precision[i-1]+w, l.sum[i-1]+w*c, l.scatter[i-1]+w*c*c
		stay := math.Pow(1-moving, float64(p.others))
		l.keep[i], l.move[i], l.step[i] = l.keep[i-1]+math.Log(stay), math.Log(1-stay), math.Log(p.weight/weight)
	}
	return l
}

// run is the log likelihood of a series of points that share a move, with no
// move inside, as a polynomial of the mean of the move.
type run struct{ none, mean, square float64 }

func (r run) at(mean float64) float64 { return r.none + mean*(r.mean+mean*r.square) }

func (l *levels) runs(variance float64) [][]run {
	all := make([][]run, len(l.keep))
	for from := range all {
		all[from] = make([]run, len(l.keep))
		for to := from; to < len(l.keep); to++ {
			kept := l.keep[to] - l.keep[from]
			if from == 0 { // all points are compared with the good end
				all[from][to] = run{none: kept - l.scatter[to]/2}
				continue
			}
			a, s, q := l.precision[to]-l.precision[from-1], l.sum[to]-l.sum[from-1], l.scatter[to]-l.scatter[from-1]
			over := 1 + variance*a
			all[from][to] = run{kept - (math.Log(over)+q-s*s*variance/over)/2, s / over, -a / over / 2}
		}
	}
	return all
}

// forward returns the likelihood of the points up to each, if a run ends there.
// enter is the likelihood of the points before a run.
func forward(runs [][]run, first int, mean float64, enter func(i int, f []float64) float64) []float64 {
	f, terms := make([]float64, len(runs)), make([]float64, len(runs))
	for i := range first {
		f[i] = math.Inf(-1)
	}
	entered := make([]float64, len(f))
	for e := first; e < len(f); e++ {
		entered[e] = enter(e, f)
		for i := first; i <= e; i++ {
			terms[i] = entered[i] + runs[i][e].at(mean)
		}
		f[e] = sumLogs(terms[first : e+1])
	}
	return f
}

// backward returns the likelihood of the points from each on, if a run begins
// there. leave is the likelihood of the points after a run.
func backward(runs [][]run, mean float64, leave func(e int, b []float64) float64) []float64 {
	b, terms := make([]float64, len(runs)), make([]float64, len(runs))
	left := make([]float64, len(b))
	for i := len(b) - 1; i > 0; i-- {
		left[i] = leave(i, b)
		for e := i; e < len(b); e++ {
			terms[e] = left[e] + runs[i][e].at(mean)
		}
		b[i] = sumLogs(terms[i:])
	}
	return b
}

// sumLogs is the logarithm of a sum of numbers with these logarithms.
func sumLogs(logs []float64) float64 {
	const negligible = -20
	top := slices.Max(logs)
	if math.IsInf(top, -1) {
		return top
	}
	sum := 0.0
	for _, v := range logs {
		if v -= top; v > negligible {
			sum += math.Exp(v)
		}
	}
	return top + math.Log(sum)
}

func addLogs(a, b float64) float64 { return sumLogs([]float64{a, b}) }
