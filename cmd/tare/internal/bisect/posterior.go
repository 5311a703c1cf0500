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
	shareGrid = []float64{0.2, 0.35, 0.5, 0.65, 0.8} // symmetric around a half
)

// moved is how much code that was compiled again moves without a reason, with the
// weight of each size: all blocks of two commits share it, since a new link
// does not draw it again.
var moved = []struct{ sd, weight float64 }{{0, 0.3}, {0.003, 0.3}, {0.01, 0.4}}

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
	// Moved is how much code moves without a reason: a standard deviation.
	Moved float64
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
