package history

import (
	"math"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/stats"
)

// Candidate is a commit at which the levels seem to step. It is a question for
// a fresh measurement, not a change.
type Candidate struct {
	// Commit is the first one at the new level.
	Commit int
	// Step is the log ratio of the step, SD its standard error.
	Step, SD float64
	// Tries counts its undecided measurements.
	Tries int
}

// Z is the step in standard errors.
func (c Candidate) Z() float64 { return c.Step / c.SD }

// The screen needs a gain of leastGain in χ² for a step. An edge of pure noise
// reaches it once in about 2,000. The measurement that follows decides. A
// residual counts for at most mostZ standard errors, so a single outlying edge
// is not a step.
const (
	leastGain = 12.0
	mostZ     = 6.0
	mostSteps = 64
	// leastNeighbors edges are enough to estimate their scatter.
	leastNeighbors = 8
)

// screen returns the commits at which a piecewise constant history steps,
// except the decided ones. It fits the edges, whose errors are independent, and
// not the levels. Errors of levels accumulate along a chain of edges and look
// like drift and steps. Commits are numbered in the order of the history.
//
// The decided commits may step from the beginning. Others are added one by one
// at the place that explains the most. Each time all are fitted again and moved
// to their best places. Standard errors are scaled up if the edges scatter more
// than their errors.
func screen(n int, edges []Edge, decided []int) []Candidate {
	f := newFit(n, edges, decided)
	if len(f.edges) == 0 {
		return nil
	}
	// Each added step may make others unnecessary. The count ends that.
	for range mostSteps {
		f.scale()
		k, gain := f.best()
		if gain < leastGain {
			break
		}
		f.add(k)
		f.refit()
		f.move()
		if !f.prune() {
			break
		}
	}
	f.spikes()
	return f.candidates()
}

// spikes adds the steps of changes that a later commit reverts. Over the whole
// history they gain nothing. Only the edge between the two commits shows them.
func (f *fit) spikes() {
	f.scale()
	before := len(f.steps)
	for i, e := range f.edges {
		far := math.Abs(f.residual[i]) > 4*e.SD*f.factor
		if e.New-e.Old == 1 && far && !f.at[e.New] && len(f.steps)-before < mostSteps {
			f.add(e.New)
			f.refit()
		}
	}
	if len(f.steps) > before {
		f.move()
		f.prune()
	}
}

type fit struct {
	n        int
	edges    []Edge
	same     []bool // by edge: both commits have the same code
	residual []float64
	factor   float64 // of all standard errors
	steps    []int   // commits: first the decided ones, then others as found
	decided  int     // how many of them are decided
	at       []bool  // by commit: it is one of the steps

	segment  []int     // by commit: the steps up to it
	level    []float64 // by segment
	factored *network  // of the segments, the first being the ground
}

func newFit(n int, edges []Edge, decided []int) *fit {
	f := &fit{n: n, factor: 1, at: make([]bool, n+1), segment: make([]int, n)}
	f.edges, f.same = make([]Edge, 0, len(edges)), make([]bool, 0, len(edges))
	for _, e := range edges {
		if e.Old > e.New {
			e.Old, e.New, e.LogRatio = e.New, e.Old, -e.LogRatio
		}
		if e.Old == e.New {
			continue
		}
		f.same = append(f.same, e.SD == 0)
		e.SD = max(e.SD, leastSD)
		f.edges = append(f.edges, e)
	}
	for _, k := range decided {
		if k > 0 && k < n && !f.at[k] {
			f.add(k)
		}
	}
	f.decided = len(f.steps)
	f.residual = make([]float64, len(f.edges))
	f.refit()
	return f
}

func (f *fit) add(k int) {
	f.steps = append(f.steps, k)
	f.at[k] = true
}

// scale estimates how much more the edges scatter than their intervals, from the
// edges between neighbors. Few of those contain a step, but every edge to an old
// anchor contains all steps since then. Edges of the same code do not scatter.
func (f *fit) scale() {
	var z []float64
	for i, e := range f.edges {
		if e.New-e.Old == 1 && !f.same[i] {
			z = append(z, math.Abs(f.residual[i])/e.SD)
		}
	}
	f.factor = 1
	if len(z) >= leastNeighbors {
		f.factor = max(1, stats.Median(z)/0.6745)
	}
}

func (f *fit) best() (commit int, gain float64) {
	up, weight := make([]float64, f.n+1), make([]float64, f.n+1)
	for i, e := range f.edges {
		sd := e.SD * f.factor
		r := max(-mostZ*sd, min(mostZ*sd, f.residual[i]))
		w := 1 / (sd * sd)
		up[e.Old+1] += w * r
		weight[e.Old+1] += w
		if e.New+1 <= f.n {
			up[e.New+1] -= w * r
			weight[e.New+1] -= w
		}
	}
	a, b := 0.0, 0.0
	for k := 1; k < f.n; k++ {
		a += up[k]
		b += weight[k]
		if b > 1e-12 && !f.at[k] {
			if g := a * a / b; g > gain {
				commit, gain = k, g
			}
		}
	}
	return commit, gain
}

// ridge joins neighboring segments that no edge connects. The step between them
// is 0, with a large standard error. Next to an edge this weight does not
// matter.
const ridge = 1e-12

func (f *fit) refit() {
	m := len(f.steps)
	order := slices.Sorted(slices.Values(f.steps))
	for k, j := 0, 0; k < f.n; k++ {
		for j < m && order[j] <= k {
			j++
		}
		f.segment[k] = j
	}
	g := newNetwork(m + 1)
	heaviest := 1.0
	for _, e := range f.edges {
		if s, t := f.segment[e.Old], f.segment[e.New]; s != t {
			w := 1 / square(e.SD)
			heaviest = max(heaviest, w)
			g.add(s, t, e.LogRatio, w)
		}
	}
	for s := range m {
		g.add(s, s+1, 0, ridge*heaviest)
	}
	g.factor()
	f.factored, f.level = g, g.solve(g.flow)
	for i, e := range f.edges {
		f.residual[i] = e.LogRatio - (f.level[f.segment[e.New]] - f.level[f.segment[e.Old]])
	}
}

func (f *fit) step(i int) (size, sd float64) {
	t := f.segment[f.steps[i]]
	return f.level[t] - f.level[t-1], math.Sqrt(f.factored.resistance(t, t-1)) * f.factor
}

func (f *fit) loss() float64 {
	sum := 0.0
	for i, e := range f.edges {
		z := f.residual[i] / (e.SD * f.factor)
		sum += min(z*z, mostZ*mostZ)
	}
	return sum
}

// move shifts each undecided step by a few commits if that fits better. A step
// that was found before another one may be at the wrong commit.
func (f *fit) move() {
	for i := f.decided; i < len(f.steps); i++ {
		best, least := f.steps[i], f.loss()
		from := f.steps[i]
		for k := max(1, from-3); k <= min(f.n-1, from+3); k++ {
			if k == from || f.at[k] {
				continue
			}
			f.steps[i] = k
			f.refit()
			if l := f.loss(); l < least-1e-9 {
				best, least = k, l
			}
		}
		f.at[from] = false
		f.steps[i], f.at[best] = best, true
		f.refit()
	}
}

// prune removes the steps that others have made unnecessary. It reports whether
// the last one is still there.
func (f *fit) prune() bool {
	last := f.steps[len(f.steps)-1]
	for {
		weakest, least := -1, leastGain/2
		for i := f.decided; i < len(f.steps); i++ {
			size, sd := f.step(i)
			if z := size / sd; sd > 0 && z*z < least {
				weakest, least = i, z*z
			}
		}
		if weakest < 0 {
			return f.at[last]
		}
		f.at[f.steps[weakest]] = false
		f.steps = slices.Delete(f.steps, weakest, weakest+1)
		f.refit()
	}
}

func (f *fit) candidates() []Candidate {
	var all []Candidate
	for i := f.decided; i < len(f.steps); i++ {
		size, sd := f.step(i)
		all = append(all, Candidate{Commit: f.steps[i], Step: size, SD: sd})
	}
	slices.SortFunc(all, func(a, b Candidate) int { return a.Commit - b.Commit })
	return all
}
