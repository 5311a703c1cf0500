package bisect

import (
	"cmp"
	"math"
	"slices"
)

// observation is one measured block: the natural logarithm of the cost of commit
// B over the cost of commit A. Commits are numbered along the history, 0 is the
// good end.
type observation struct {
	A, B     int
	LogRatio float64
}

type model struct {
	// Prior[k] is the weight of the hypothesis that commit k brings the step,
	// for k from 1. Prior[0] is not used. A commit with the machine code of its
	// parent has weight 0. Weights need not sum to 1.
	Prior []float64
	// Delta is the log ratio of the bad end over the good end, and DeltaSD
	// the standard error of that estimate.
	Delta, DeltaSD float64
	// Moves are the probabilities of the sizes of movedGrid.
	Moves []float64
	Whole float64
	// Scale is a first guess of the spread of one block's log ratio (the
	// standard deviation, or 1.4826 times the MAD).
	Scale float64
}

// The grids over which the step, the scale of noise and the share of the first of
// two steps are integrated.
var (
	deltaGrid = []float64{-2, -1, 0, 1, 2} // in standard errors
	scaleGrid = []float64{0.75, 1.5}
	shareGrid = []float64{0.25, 0.5, 0.75} // symmetric around a half
)

// movedGrid has standard deviations of moves of compiled code without a reason,
// as parts of the change between the ends. All are equally probable before any
// measurement. The last one hides every step: no measurement then names a commit.
var movedGrid = []float64{0, 0.1, 0.25, 0.6}

func evenMoves() []float64 {
	return slices.Repeat([]float64{1 / float64(len(movedGrid))}, len(movedGrid))
}

// stepsPrior are the probabilities of no step, because only code moved, of one
// and of two.
var stepsPrior = [3]float64{0.25, 0.65, 0.1}

const (
	moving     = 0.25 // part of the commits with other code that move it
	tails      = 3.0  // degrees of freedom of the noise
	leastScale = 2e-4
)

type posterior struct {
	// Step[k] is the probability that commit k brings a step. The entries sum
	// to 1, less the probability of no step, plus the probability of two.
	Step []float64
	// steps are the probabilities of no step, one and two.
	steps [3]float64
	// sizes has the parts of Step by the size of moves.
	sizes []size
	// Moved is the standard deviation of moves of code without a reason. Moves
	// are the probabilities of its sizes.
	Moved float64
	Moves []float64
	// mean and square are the expected level of each commit over the good end and
	// the expected square of the level.
	mean, square []float64
}

// Hidden is the probability that moves of code are too large to name a commit.
func (p posterior) Hidden() float64 {
	if len(p.Moves) == 0 {
		return 0
	}
	return p.Moves[len(p.Moves)-1]
}

// Uncertainty is the standard deviation, from steps alone, of the level of
// commit k over the good end, as a log ratio.
func (p posterior) Uncertainty(k int) float64 {
	return math.Sqrt(max(0, p.square[k]-p.mean[k]*p.mean[k]))
}

// gain is the information that n more blocks of this variance can add about the
// level of commit k, which has some blocks. It is Fisher's information, in
// units of the uncertainty. It has a limit, because the effect of moved code
// does not average out.
func (p posterior) gain(k, there, n int, variance float64) float64 {
	information := func(blocks int) float64 {
		if blocks == 0 {
			return 0
		}
		return 1 / (p.Moved*p.Moved + variance/float64(blocks))
	}
	u := p.Uncertainty(k)
	return u * u * (information(there+n) - information(there))
}

// Best is the most probable commit.
func (p posterior) Best() (commit int, probability float64) {
	for k, v := range p.Step {
		if v > probability {
			commit, probability = k, v
		}
	}
	return commit, probability
}

// between is the probability that a commit after a, up to b, brings a step.
func (p posterior) between(a, b int) float64 {
	sum := 0.0
	for k := a + 1; k <= b; k++ {
		sum += p.Step[k]
	}
	return sum
}

// doubt compares the steps elsewhere, for the size of moves that suits them
// best, with all hypotheses. It bounds the part of histories in which a commit
// after a, up to b, is named and the step is elsewhere, for each size of moves
// and not only on average: if moves have size i, P(named, elsewhere) is the
// integral of P(measurements, elsewhere | i) over the measurements that name it,
// and there the integrand is at most doubt times P(measurements).
func (p posterior) doubt(a, b int) float64 {
	prior := (1 - stepsPrior[0]) / float64(len(movedGrid))
	most := 0.0
	for _, s := range p.sizes {
		elsewhere := s.total
		for _, v := range s.step[a+1 : b+1] {
			elsewhere -= v
		}
		most = max(most, elsewhere/prior)
	}
	return most
}

// Set is the smallest set of commits whose probabilities sum to at least
// share, in the order of the history.
func (p posterior) Set(share float64) []int {
	var order []int
	for k := 1; k < len(p.Step); k++ {
		order = append(order, k)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p.Step[b], p.Step[a]) })
	for i, sum := 0, 0.0; i < len(order); i++ {
		if sum += p.Step[order[i]]; sum >= share-1e-12 {
			order = order[:i+1]
		}
	}
	slices.Sort(order)
	return order
}
