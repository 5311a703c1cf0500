package history

import (
	"math"
	"slices"

	"github.com/tarebench/tare/stats"
)

// Candidate is a commit at which the levels seem to step. It is a question for
// a fresh measurement, not a change.
type Candidate struct {
	// Commit is the first one at the new level.
	Commit int
	// Step is the log ratio of the step, SD its standard error.
	Step, SD float64
}

// Z is the step in standard errors.
func (c Candidate) Z() float64 { return c.Step / c.SD }

// The screen asks for a gain of leastGain in χ² for a step, which one edge of
// pure noise reaches once in some 2,000; the measurement that follows decides.
// A residual counts for at most mostZ standard errors, so that a single wild
// edge is no step.
const (
	leastGain = 12.0
	mostZ     = 6.0
	mostSteps = 64
	// leastNeighbors are enough edges to tell their scatter.
	leastNeighbors = 8
)

// Screen names the commits at which a piecewise constant history steps. It
// fits the edges themselves, whose errors are independent, and not the levels,
// whose errors accumulate along a chain of edges: a segmentation of levels
// takes that for drift and steps. Commits are numbered in the order of the
// history.
//
// Steps are added one by one where they explain the most, each time all are
// fitted again and moved to their best places. Standard errors are scaled up
// where the edges scatter more than they claim.
func Screen(n int, edges []Edge) []Candidate {
	f := newFit(n, edges)
	if len(f.edges) == 0 {
		return nil
	}
	for len(f.steps) < mostSteps {
		f.scale()
		k, gain := f.best()
		if gain < leastGain {
			break
		}
		f.steps = append(f.steps, k)
		f.refit()
		f.move()
		if !f.prune() {
			break
		}
	}
	f.spikes()
	return f.candidates()
}

// spikes adds the steps of commits that differ from their neighbor by what a
// later commit takes back: over the whole history they gain nothing, and the
// edge between the two is all that shows them.
func (f *fit) spikes() {
	f.scale()
	for i, e := range f.edges {
		far := math.Abs(f.residual[i]) > 4*e.SD*f.factor
		if e.New-e.Old == 1 && far && !slices.Contains(f.steps, e.New) && len(f.steps) < mostSteps {
			f.steps = append(f.steps, e.New)
			f.refit()
		}
	}
	if len(f.steps) > 0 {
		f.move()
		f.prune()
	}
}

// fit is a piecewise constant history fitted to edges.
type fit struct {
	n        int
	edges    []Edge
	residual []float64
	factor   float64 // of all standard errors
	steps    []int   // commits, in the order found
	size     []float64
	sd       []float64
}

func newFit(n int, edges []Edge) *fit {
	f := &fit{n: n, factor: 1}
	for _, e := range edges {
		if e.Old > e.New {
			e.Old, e.New, e.LogRatio = e.New, e.Old, -e.LogRatio
		}
		if e.Old == e.New {
			continue
		}
		e.SD = max(e.SD, leastSD)
		f.edges = append(f.edges, e)
	}
	f.refit()
	return f
}

// scale estimates how much more the edges scatter than their intervals say,
// from the edges between neighbors: few of those hold a step, whereas every
// edge to an old anchor holds all that came since.
func (f *fit) scale() {
	var z []float64
	for i, e := range f.edges {
		if e.New-e.Old == 1 {
			z = append(z, math.Abs(f.residual[i])/e.SD)
		}
	}
	f.factor = 1
	if len(z) >= leastNeighbors {
		f.factor = max(1, stats.Median(z)/0.6745)
	}
}

// best is the commit whose step gains the most.
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
		if b > 1e-12 && !slices.Contains(f.steps, k) {
			if g := a * a / b; g > gain {
				commit, gain = k, g
			}
		}
	}
	return commit, gain
}

// refit solves for the sizes of all steps by weighted least squares.
func (f *fit) refit() {
	m := len(f.steps)
	a := make([][]float64, m)
	for i := range a {
		a[i] = make([]float64, m+1)
	}
	for _, e := range f.edges {
		w := 1 / square(e.SD)
		for i, k := range f.steps {
			if !covers(e, k) {
				continue
			}
			a[i][m] += w * e.LogRatio
			for j, l := range f.steps {
				if covers(e, l) {
					a[i][j] += w
				}
			}
		}
	}
	inverse := invert(a)
	f.size, f.sd = make([]float64, m), make([]float64, m)
	for i := range f.steps {
		for j := range f.steps {
			f.size[i] += inverse[i][j] * a[j][m]
		}
		f.sd[i] = math.Sqrt(max(0, inverse[i][i])) * f.factor
	}
	f.residual = make([]float64, len(f.edges))
	for i, e := range f.edges {
		f.residual[i] = e.LogRatio
		for j, k := range f.steps {
			if covers(e, k) {
				f.residual[i] -= f.size[j]
			}
		}
	}
}

func covers(e Edge, k int) bool { return e.Old < k && k <= e.New }

// loss is the capped χ² of the fit.
func (f *fit) loss() float64 {
	sum := 0.0
	for i, e := range f.edges {
		z := f.residual[i] / (e.SD * f.factor)
		sum += min(z*z, mostZ*mostZ)
	}
	return sum
}

// move shifts each step by a few commits where that fits better: a step found
// while another one was missing can be off.
func (f *fit) move() {
	for i := range f.steps {
		best, least := f.steps[i], f.loss()
		from := f.steps[i]
		for k := max(1, from-3); k <= min(f.n-1, from+3); k++ {
			if k != from && slices.Contains(f.steps, k) {
				continue
			}
			f.steps[i] = k
			f.refit()
			if l := f.loss(); l < least-1e-9 {
				best, least = k, l
			}
		}
		f.steps[i] = best
		f.refit()
	}
}

// prune removes the steps that the others have made needless, and reports
// whether the last one found is still there.
func (f *fit) prune() bool {
	last := f.steps[len(f.steps)-1]
	for {
		weakest, least := -1, leastGain/2
		for i := range f.steps {
			if z := f.size[i] / f.sd[i]; f.sd[i] > 0 && z*z < least {
				weakest, least = i, z*z
			}
		}
		if weakest < 0 {
			return slices.Contains(f.steps, last)
		}
		f.steps = slices.Delete(f.steps, weakest, weakest+1)
		f.refit()
	}
}

func (f *fit) candidates() []Candidate {
	var all []Candidate
	for i, k := range f.steps {
		all = append(all, Candidate{k, f.size[i], f.sd[i]})
	}
	slices.SortFunc(all, func(a, b Candidate) int { return a.Commit - b.Commit })
	return all
}

// invert inverts the left part of a by Gauss-Jordan elimination; rows of a
// singular matrix become 0. Systems have as many rows as there are steps.
func invert(a [][]float64) [][]float64 {
	n := len(a)
	m := make([][]float64, n)
	for i := range m {
		m[i] = make([]float64, 2*n)
		copy(m[i], a[i][:n])
		m[i][n+i] = 1
	}
	for c := range n {
		p := c
		for i := c; i < n; i++ {
			if math.Abs(m[i][c]) > math.Abs(m[p][c]) {
				p = i
			}
		}
		m[c], m[p] = m[p], m[c]
		if math.Abs(m[c][c]) < 1e-9 {
			clear(m[c])
			continue
		}
		d := m[c][c]
		for j := range m[c] {
			m[c][j] /= d
		}
		for i := range m {
			if i != c && m[i][c] != 0 {
				by := m[i][c]
				for j := range m[i] {
					m[i][j] -= by * m[c][j]
				}
			}
		}
	}
	for i := range m {
		m[i] = m[i][n:]
	}
	return m
}
