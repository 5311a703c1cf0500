package bisect

import (
	"math"
	"slices"
)

// Observation is one measured block: the natural logarithm of the cost of
// commit B over that of commit A. Commits are numbered along the history, 0 is
// the good end.
type Observation struct {
	A, B     int
	LogRatio float64
}

// Model is what is assumed about a history before its commits are measured.
type Model struct {
	// Prior[k] is the weight of the hypothesis that commit k brings the step,
	// for k = 1 … len(Prior)-1; Prior[0] is not used. A commit whose machine
	// code equals that of its parent has weight 0. Weights need not sum to 1.
	Prior []float64
	// Delta is the log ratio of the bad end over the good end, and DeltaSD
	// the standard error of that estimate.
	Delta, DeltaSD float64
	// Scale is a first guess of the spread of one block's log ratio (the
	// standard deviation, or 1.4826 times the MAD).
	Scale float64
}

// The grids over which step, scale and the share of the first of two steps are
// integrated (docs/decisions/bisect.md).
var (
	deltaGrid = []float64{-2.25, -1.5, -0.75, 0, 0.75, 1.5, 2.25} // in standard errors
	scaleGrid = []float64{0.6, 1, 1.6}
	shareGrid = []float64{0.2, 0.35, 0.5, 0.65, 0.8}
)

const (
	twoWeight  = 0.1 // prior weight of two steps
	tails      = 3.0 // degrees of freedom of the likelihood
	leastScale = 2e-4
)

// Posterior is what is known about a history.
type Posterior struct {
	// Step[k] is the probability that commit k brings a step. The entries sum
	// to 1 plus the probability of a second step.
	Step []float64
	// Two is the probability that there are two steps.
	Two float64
	// mean and square are the expected level of each commit over the good end
	// and that of its square.
	mean, square []float64
}

// Uncertainty is the standard deviation of the level of commit k over the good
// end, in log ratio: what a measurement of k can teach.
func (p Posterior) Uncertainty(k int) float64 {
	return math.Sqrt(max(0, p.square[k]-p.mean[k]*p.mean[k]))
}

// Best is the most probable commit.
func (p Posterior) Best() (commit int, probability float64) {
	for k, v := range p.Step {
		if v > probability {
			commit, probability = k, v
		}
	}
	return commit, probability
}

// between is the probability that a commit after a, up to b, brings a step.
func (p Posterior) between(a, b int) float64 {
	sum := 0.0
	for k := a + 1; k <= b; k++ {
		sum += p.Step[k]
	}
	return sum
}

// Set is the smallest set of commits whose probabilities sum to at least
// share, in the order of the history.
func (p Posterior) Set(share float64) []int {
	order := make([]int, 0, len(p.Step))
	for k := 1; k < len(p.Step); k++ {
		order = append(order, k)
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case p.Step[a] > p.Step[b]:
			return -1
		case p.Step[a] < p.Step[b]:
			return 1
		}
		return 0
	})
	sum := 0.0
	for i, k := range order {
		sum += p.Step[k]
		if sum >= share-1e-12 {
			set := order[:i+1]
			slices.Sort(set)
			return set
		}
	}
	slices.Sort(order)
	return order
}

// segment is a run of commits between two measured ones: the likelihood of a
// step is the same for each of them.
type segment struct {
	first, last int // commits that may bring the step
	weight      float64
}

// pair is what was measured between the same two commits.
type pair struct {
	from, to int // segments from … to-1 lie between the commits
	logs     []float64
}

// Posterior integrates over all hypotheses. Its cost grows with the square of
// the number of different commits measured, not with the length of the history.
func (m Model) Posterior(seen []Observation) Posterior {
	segments, pairs := m.group(seen)
	w := newWeights(m, segments)
	for _, s := range scaleGrid {
		scale := max(m.Scale, leastScale) * s
		for _, z := range deltaGrid {
			delta := m.Delta + z*m.DeltaSD
			w.add(pairs, scale, delta, -z*z/2)
		}
	}
	return w.posterior()
}

// group cuts the history at the measured commits.
func (m Model) group(seen []Observation) ([]segment, []pair) {
	last := len(m.Prior) - 1
	cuts := []int{0, last}
	for _, o := range seen {
		cuts = append(cuts, o.A, o.B)
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	var segments []segment
	for i := 1; i < len(cuts); i++ {
		s := segment{first: cuts[i-1] + 1, last: cuts[i]}
		for k := s.first; k <= s.last; k++ {
			s.weight += m.Prior[k]
		}
		segments = append(segments, s)
	}
	at := make(map[[2]int]int)
	var pairs []pair
	for _, o := range seen {
		key, sign := [2]int{o.A, o.B}, 1.0
		if o.A > o.B {
			key, sign = [2]int{o.B, o.A}, -1
		}
		i, ok := at[key]
		if !ok {
			from, _ := slices.BinarySearch(cuts, key[0])
			to, _ := slices.BinarySearch(cuts, key[1])
			i = len(pairs)
			at[key] = i
			pairs = append(pairs, pair{from: from, to: to})
		}
		pairs[i].logs = append(pairs[i].logs, sign*o.LogRatio)
	}
	return segments, pairs
}

// weights sums the weights of hypotheses, relative to exp(top).
type weights struct {
	m        Model
	segments []segment
	top      float64
	total    float64
	two      float64
	step     []float64 // by segment
	mean     []float64
	square   []float64
}

func newWeights(m Model, segments []segment) *weights {
	n := len(segments)
	return &weights{m: m, segments: segments, top: math.Inf(-1),
		step: make([]float64, n), mean: make([]float64, n), square: make([]float64, n)}
}

// relative makes log the reference of all sums if it is the largest so far, and
// returns the weight of a hypothesis of that log weight.
func (w *weights) relative(log float64) float64 {
	if log > w.top {
		factor := math.Exp(w.top - log)
		w.top = log
		w.total *= factor
		w.two *= factor
		for i := range w.step {
			w.step[i] *= factor
			w.mean[i] *= factor
			w.square[i] *= factor
		}
	}
	return math.Exp(log - w.top)
}

// add adds all hypotheses of one scale and one size of the whole change.
func (w *weights) add(pairs []pair, scale, delta, logPrior float64) {
	sum := 0.0
	for _, s := range w.segments {
		sum += s.weight
	}
	if sum == 0 {
		return
	}
	none := 0.0
	whole := newGains(len(w.segments))
	base := make([]float64, len(pairs))
	for i, p := range pairs {
		base[i] = logLikelihood(p.logs, 0, scale)
		none += base[i]
		whole.cover(p, logLikelihood(p.logs, delta, scale)-base[i])
	}
	for s, seg := range w.segments {
		if seg.weight == 0 {
			continue
		}
		v := w.relative(logPrior + none + whole.one[s] + math.Log((1-twoWeight)*seg.weight/sum))
		w.total += v
		w.step[s] += v
		w.mean[s] += v * delta
		w.square[s] += v * delta * delta
	}
	for _, share := range shareGrid {
		first, second := newGains(len(w.segments)), newGains(len(w.segments))
		for i, p := range pairs {
			first.cover(p, logLikelihood(p.logs, share*delta, scale)-base[i])
			second.cover(p, logLikelihood(p.logs, (1-share)*delta, scale)-base[i])
		}
		w.addTwo(twoSteps{whole, first, second, share * delta, delta, logPrior + none + math.Log(2*twoWeight/float64(len(shareGrid))), sum})
	}
}

// twoSteps are the hypotheses of two steps of given sizes.
type twoSteps struct {
	whole, first, second *gains
	size, delta          float64 // of the first step, of both
	log                  float64
	sum                  float64
}

func (w *weights) addTwo(t twoSteps) {
	for a, sa := range w.segments {
		if sa.weight == 0 {
			continue
		}
		for b := a + 1; b < len(w.segments); b++ {
			sb := w.segments[b]
			if sb.weight == 0 {
				continue
			}
			log := t.log + math.Log(sa.weight/t.sum) + math.Log(sb.weight/t.sum) +
				t.first.one[a] - t.first.both(a, b) + t.second.one[b] - t.second.both(a, b) + t.whole.both(a, b)
			v := w.relative(log)
			w.total += v
			w.two += v
			w.step[a] += v
			w.step[b] += v
			w.mean[a] += v * t.size
			w.mean[b] += v * (t.delta - t.size)
			w.square[a] += v * t.size * t.size
			w.square[b] += v * (t.delta*t.delta - t.size*t.size)
		}
	}
}

// gains are the gains in log likelihood of a step over none, summed over the
// pairs that a segment lies between.
type gains struct {
	one    []float64
	shared []float64 // by a*n+b, the pairs that hold both segments
}

func newGains(n int) *gains {
	return &gains{one: make([]float64, n), shared: make([]float64, n*n)}
}

func (g *gains) cover(p pair, gain float64) {
	n := len(g.one)
	for a := p.from; a < p.to; a++ {
		g.one[a] += gain
		for b := a + 1; b < p.to; b++ {
			g.shared[a*n+b] += gain
		}
	}
}

func (g *gains) both(a, b int) float64 { return g.shared[a*len(g.one)+b] }

// logLikelihood of independent values around mean, with Student's t of [tails]
// degrees of freedom, up to a constant that depends on none of them.
func logLikelihood(x []float64, mean, scale float64) float64 {
	sum := -float64(len(x)) * math.Log(scale)
	for _, v := range x {
		z := (v - mean) / scale
		sum -= (tails + 1) / 2 * math.Log1p(z*z/tails)
	}
	return sum
}

// posterior spreads the weight of each segment over its commits.
func (w *weights) posterior() Posterior {
	n := len(w.m.Prior)
	p := Posterior{Step: make([]float64, n), mean: make([]float64, n), square: make([]float64, n)}
	if w.total == 0 {
		return p
	}
	p.Two = w.two / w.total
	mean, square := 0.0, 0.0
	for s, seg := range w.segments {
		for k := seg.first; k <= seg.last; k++ {
			part := 0.0
			if seg.weight > 0 {
				part = w.m.Prior[k] / seg.weight / w.total
			}
			p.Step[k] = part * w.step[s]
			mean += part * w.mean[s]
			square += part * w.square[s]
			p.mean[k], p.square[k] = mean, square
		}
	}
	return p
}
