package bisect

import (
	"math"
	"slices"
)

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
	w := newWeights(m, segments, pairs)
	if len(segments) > 0 {
		for _, s := range scaleGrid {
			for _, by := range moved {
				w.scale(max(m.Scale, leastScale)*s, by.sd)
				for _, z := range deltaGrid {
					w.add(m.Delta+z*m.DeltaSD, math.Log(by.weight)-z*z/2)
				}
			}
		}
	}
	return w.posterior()
}

// group cuts the history at the measured commits. Segments without a commit
// that may bring a step are left out, and so are the pairs that hold no others.
func (m Model) group(seen []Observation) ([]segment, []pair) {
	last := len(m.Prior) - 1
	cuts := []int{0, last}
	for _, o := range seen {
		cuts = append(cuts, o.A, o.B)
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	var segments []segment
	before := make([]int, len(cuts)) // segments before each cut
	for i := 1; i < len(cuts); i++ {
		s := segment{first: cuts[i-1] + 1, last: cuts[i]}
		for k := s.first; k <= s.last; k++ {
			s.weight += m.Prior[k]
		}
		if s.weight > 0 {
			segments = append(segments, s)
		}
		before[i] = len(segments)
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
			pairs = append(pairs, pair{from: before[from], to: before[to]})
		}
		pairs[i].logs = append(pairs[i].logs, sign*o.LogRatio)
	}
	return segments, pairs
}

// weights sums the weights of hypotheses, relative to exp(top).
type weights struct {
	m        Model
	segments []segment
	pairs    []pair
	prior    []float64 // log weight of each segment, of 1 in all
	top      float64
	total    float64
	two      float64
	moves    float64   // with the square of the size of moves
	step     []float64 // by segment
	mean     []float64
	square   []float64

	// Of one scale and one size of moves: the log likelihood of no change, of each pair and of all.
	sigma, moved, none float64
	base               []float64
	// Of one scale and one size of the whole change: what a step of each
	// share of it gains over none, by pair and summed by segment; the last
	// share is the whole.
	gains, sums [][]float64
	// Of two steps of given sizes: the log weight of the second by segment, the
	// same as a factor, and the sum of the weights so far.
	second, factor, column []float64
}

func newWeights(m Model, segments []segment, pairs []pair) *weights {
	n := len(segments)
	w := &weights{m: m, segments: segments, pairs: pairs, top: math.Inf(-1)}
	shares := len(shareGrid) + 1
	all := make([]float64, (7+shares)*n+(1+shares)*len(pairs))
	take := func(n int) (part []float64) {
		part, all = all[:n:n], all[n:]
		return part
	}
	w.prior, w.step, w.mean, w.square = take(n), take(n), take(n), take(n)
	w.second, w.factor, w.column = take(n), take(n), take(n)
	w.base = take(len(pairs))
	for range shares {
		w.gains, w.sums = append(w.gains, take(len(pairs))), append(w.sums, take(n))
	}
	sum := 0.0
	for _, s := range segments {
		sum += s.weight
	}
	for i, s := range segments {
		w.prior[i] = math.Log(s.weight / sum)
	}
	return w
}

// negligible is the log of a relative weight that no sum of doubles shows.
const negligible = -45

// relative makes log the reference of all sums if it is the largest so far, and
// returns the weight of a hypothesis of that log weight.
func (w *weights) relative(log float64) float64 {
	if log > w.top {
		factor := math.Exp(w.top - log)
		w.top = log
		w.total *= factor
		w.two *= factor
		w.moves *= factor
		for i := range w.step {
			w.step[i] *= factor
			w.mean[i] *= factor
			w.square[i] *= factor
			w.column[i] *= factor
		}
		return 1
	}
	return math.Exp(log - w.top)
}

// scale begins the hypotheses of one scale of the noise and of moves.
func (w *weights) scale(sigma, moved float64) {
	w.sigma, w.moved, w.none = sigma, moved, 0
	for i, p := range w.pairs {
		w.base[i] = pairLikelihood(p.logs, 0, sigma, moved)
		w.none += w.base[i]
	}
}

// add adds all hypotheses of one size of the whole change.
func (w *weights) add(delta, logPrior float64) {
	for j := range w.gains {
		part := delta
		if j < len(shareGrid) {
			part *= shareGrid[j]
		}
		clear(w.sums[j])
		for i, p := range w.pairs {
			gain := pairLikelihood(p.logs, part, w.sigma, w.moved) - w.base[i]
			w.gains[j][i] = gain
			between := w.sums[j][p.from:p.to]
			for s := range between {
				between[s] += gain
			}
		}
	}
	log := logPrior + w.none + math.Log(1-twoWeight)
	for s, gain := range w.sums[len(shareGrid)] {
		log := log + w.prior[s] + gain
		if log < w.top+negligible {
			continue
		}
		v := w.relative(log)
		w.total += v
		w.moves += v * w.moved * w.moved
		w.step[s] += v
		w.mean[s] += v * delta
		w.square[s] += v * delta * delta
	}
	log = logPrior + w.none + math.Log(2*twoWeight/float64(len(shareGrid)))
	for j, share := range shareGrid {
		w.addTwo(j, share*delta, delta, log)
	}
}

// addTwo adds the hypotheses of two steps, of which the first has the given
// share of delta.
func (w *weights) addTwo(share int, size, delta, log float64) {
	other, whole := len(shareGrid)-1-share, len(shareGrid)
	for b, gain := range w.sums[other] {
		w.second[b] = w.prior[b] + gain
	}
	clear(w.column)
	reference, stale := 0.0, true
	for a, gain := range w.sums[share] {
		// What lies between the commits of a pair is the whole change where
		// both steps are there, not the sum of what each is by itself.
		for i, p := range w.pairs {
			if p.from != a || p.to <= a+1 {
				continue
			}
			both := w.gains[whole][i] - w.gains[share][i] - w.gains[other][i]
			between := w.second[a+1 : p.to]
			for b := range between {
				between[b] += both
			}
			stale = true
		}
		if a+1 == len(w.second) {
			break
		}
		most := slices.Max(w.second[a+1:])
		log := log + w.prior[a] + gain
		if log+most < w.top+negligible {
			continue
		}
		// A weight is the product of two factors, one of the first step and
		// one of the second. The reference of the latter is the largest of this
		// row or an earlier one: where it is far above this row, another is
		// taken, so that a factor of 0 stands for a negligible weight.
		if stale || reference > most-negligible {
			reference, stale = most, false
			for b := a + 1; b < len(w.second); b++ {
				w.factor[b] = 0
				if part := w.second[b] - reference; part > 2*negligible {
					w.factor[b] = math.Exp(part)
				}
			}
		}
		if log+most > w.top {
			w.relative(log + most)
		}
		first, row := math.Exp(log+reference-w.top), 0.0
		for b := a + 1; b < len(w.factor); b++ {
			v := first * w.factor[b]
			row += v
			w.column[b] += v
		}
		w.total += row
		w.two += row
		w.moves += row * w.moved * w.moved
		w.step[a] += row
		w.mean[a] += row * size
		w.square[a] += row * size * size
	}
	for b, v := range w.column {
		w.step[b] += v
		w.mean[b] += v * (delta - size)
		w.square[b] += v * (delta*delta - size*size)
	}
}

// pairLikelihood is logLikelihood with a normal offset of all values, integrated
// over three points (Gauss and Hermite).
func pairLikelihood(x []float64, mean, scale, moved float64) float64 {
	middle := logLikelihood(x, mean, scale)
	if moved == 0 {
		return middle
	}
	off := math.Sqrt(3) * moved
	below, above := logLikelihood(x, mean-off, scale), logLikelihood(x, mean+off, scale)
	top := max(middle, below, above)
	return top + math.Log(2./3*math.Exp(middle-top)+(math.Exp(below-top)+math.Exp(above-top))/6)
}

// logLikelihood of independent values around mean, with Student's t of [tails]
// degrees of freedom, up to a constant that depends on none of them.
func logLikelihood(x []float64, mean, scale float64) float64 {
	// The logarithm of a product is one logarithm; no factor exceeds 1e100.
	sum, product, unit := 0.0, 1.0, 1/(scale*scale*tails)
	for _, v := range x {
		d := v - mean
		if product *= 1 + d*d*unit; product > 1e200 {
			sum += math.Log(product)
			product = 1
		}
	}
	return -float64(len(x))*math.Log(scale) - (tails+1)/2*(sum+math.Log(product))
}

// posterior spreads the weight of each segment over its commits.
func (w *weights) posterior() Posterior {
	n := len(w.m.Prior)
	all := make([]float64, 3*n)
	p := Posterior{Step: all[:n:n], mean: all[n : 2*n : 2*n], square: all[2*n:]}
	if w.total == 0 {
		return p
	}
	p.Two, p.Moved = w.two/w.total, math.Sqrt(w.moves/w.total)
	mean, square, next := 0.0, 0.0, 1
	level := func(until int) {
		for ; next < until; next++ {
			p.mean[next], p.square[next] = mean, square
		}
	}
	for s, seg := range w.segments {
		level(seg.first)
		for k := seg.first; k <= seg.last; k++ {
			part := w.m.Prior[k] / seg.weight / w.total
			p.Step[k] = part * w.step[s]
			mean += part * w.mean[s]
			square += part * w.square[s]
			level(k + 1)
		}
	}
	level(n)
	return p
}
