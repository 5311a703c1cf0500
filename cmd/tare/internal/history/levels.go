package history

import (
	"math"
	"slices"
)

// Edge is one comparison of two commits for one benchmark.
type Edge struct {
	// Old and New are commits, by index.
	Old, New int
	// LogRatio is ln(new/old), SD its standard error. Both are 0 for the same code.
	LogRatio, SD float64
	// Blocks is the number of blocks of the comparison.
	Blocks int
	// Source is the edge's index in the caller's list.
	Source int
}

// degrees are the degrees of freedom of the standard error.
func (e Edge) degrees() float64 { return float64(max(1, e.Blocks-1)) }

// Levels are the solved levels of one benchmark.
type Levels struct {
	// Level is the log ratio of each commit to the reference, SD its standard
	// error. Both are NaN if no edges connect the two.
	Level, SD []float64
	// Component numbers the connected sets of commits. A commit without an edge
	// has -1.
	Component []int
}

// leastSD bounds the weight of an edge. No measurement is better than a
// thousandth of a percent, and a block spread of 0 must not outweigh all
// others.
const leastSD = 1e-5

// solve computes the levels of commits 0 … n-1 over edges, relative to the
// commit reference, by weighted least squares: it minimizes the sum of
// (level[new] - level[old] - ratio)²/sd². Commits that an edge of the same code
// connects share one level.
func solve(n int, edges []Edge, reference int) Levels {
	l := Levels{Level: make([]float64, n), SD: make([]float64, n), Component: make([]int, n)}
	same := newSets(n)
	for _, e := range edges {
		if e.SD == 0 {
			same.join(e.Old, e.New)
		}
	}
	joined := newSets(n)
	used := make([]bool, n)
	for _, e := range edges {
		joined.join(e.Old, e.New)
		used[e.Old], used[e.New] = true, true
	}
	number := make(map[int]int)
	for k := range n {
		root := joined.root(k)
		if !used[k] && k != reference {
			l.Component[k] = -1
			continue
		}
		c, ok := number[root]
		if !ok {
			c = len(number)
			number[root] = c
		}
		l.Component[k] = c
	}
	at := same.root(reference)
	g := newNetwork(n)
	for _, e := range edges {
		a, b := same.root(e.Old), same.root(e.New)
		if e.SD == 0 || a == b || joined.root(a) != joined.root(at) {
			continue
		}
		g.add(a, b, e.LogRatio, 1/square(max(e.SD, leastSD)))
	}
	f := g.factor(at)
	level := f.solve(g.right(at))
	for k := range n {
		root := same.root(k)
		if joined.root(k) != joined.root(at) {
			l.Level[k], l.SD[k] = math.NaN(), math.NaN()
			continue
		}
		l.Level[k] = level[root]
	}
	variance := make(map[int]float64)
	for k := range n {
		root := same.root(k)
		if math.IsNaN(l.Level[k]) || root == at {
			continue
		}
		v, ok := variance[root]
		if !ok {
			v = f.resistance(root, -1)
			variance[root] = v
		}
		l.SD[k] = math.Sqrt(v)
	}
	return l
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

// network is a graph of weights: the Laplacian matrix of the least squares.
type network struct {
	near []map[int]float64 // weight to each neighbor
	flow []float64         // right-hand side
}

func newNetwork(n int) *network {
	g := &network{near: make([]map[int]float64, n), flow: make([]float64, n)}
	for k := range g.near {
		g.near[k] = make(map[int]float64)
	}
	return g
}

func (g *network) add(a, b int, ratio, weight float64) {
	g.near[a][b] += weight
	g.near[b][a] += weight
	g.flow[a] -= weight * ratio
	g.flow[b] += weight * ratio
}

func (g *network) right(ground int) []float64 {
	right := slices.Clone(g.flow)
	right[ground] = 0
	return right
}

// factor is the Cholesky factor of the Laplacian without its ground. It
// eliminates the node with the fewest neighbors first. A history is nearly a
// path, so the factor has few more entries than the edges.
type factor struct {
	ground int
	order  []int
	pivot  []float64 // by node
	below  [][]share // by node: neighbors eliminated later
	work   []float64
}

// share is a weight divided by the pivot.
type share struct {
	node int
	of   float64
}

func (g *network) factor(ground int) *factor {
	n := len(g.near)
	f := &factor{ground: ground, pivot: make([]float64, n), below: make([][]share, n), work: make([]float64, n)}
	near := make([]map[int]float64, n)
	toGround := make([]float64, n)
	var left []int
	for k := range n {
		near[k] = make(map[int]float64, len(g.near[k]))
		for j, w := range g.near[k] {
			if j == ground {
				toGround[k] = w
			} else if k != ground {
				near[k][j] = w
			}
		}
		if k != ground && len(g.near[k]) > 0 {
			left = append(left, k)
		}
	}
	for len(left) > 0 {
		best := 0
		for i, k := range left {
			if len(near[k]) < len(near[left[best]]) {
				best = i
			}
		}
		k := left[best]
		left[best] = left[len(left)-1]
		left = left[:len(left)-1]
		f.eliminate(k, near, toGround)
	}
	return f
}

// eliminate replaces node k by weights between its neighbors, as a mesh
// replaces a star of resistors.
func (f *factor) eliminate(k int, near []map[int]float64, toGround []float64) {
	neighbors := make([]int, 0, len(near[k]))
	total := toGround[k]
	for j, w := range near[k] {
		neighbors = append(neighbors, j)
		total += w
	}
	slices.Sort(neighbors) // the order of a map would show in the last digits
	f.order = append(f.order, k)
	f.pivot[k] = total
	for i, a := range neighbors {
		wa := near[k][a]
		f.below[k] = append(f.below[k], share{a, wa / total})
		toGround[a] += wa * toGround[k] / total
		delete(near[a], k)
		for _, b := range neighbors[i+1:] {
			w := wa * near[k][b] / total
			near[a][b] += w
			near[b][a] += w
		}
	}
}

// solve returns the levels for a right-hand side. Nodes without edges stay 0.
func (f *factor) solve(right []float64) []float64 {
	x := slices.Clone(right)
	for _, k := range f.order {
		for _, s := range f.below[k] {
			x[s.node] += s.of * x[k]
		}
	}
	for i := len(f.order) - 1; i >= 0; i-- {
		k := f.order[i]
		if f.pivot[k] == 0 {
			x[k] = 0
			continue
		}
		v := x[k] / f.pivot[k]
		for _, s := range f.below[k] {
			v += s.of * x[s.node]
		}
		x[k] = v
	}
	x[f.ground] = 0
	return x
}

// resistance is the variance of level[a] - level[b], or of level[a] itself when
// b is -1.
func (f *factor) resistance(a, b int) float64 {
	clear(f.work)
	f.work[a] = 1
	if b >= 0 {
		f.work[b] = -1
	}
	f.work[f.ground] = 0
	x := f.solve(f.work)
	if b < 0 {
		return x[a]
	}
	return x[a] - x[b]
}
