package history

import "slices"

// network has the weights of least squares between nodes. Node 0 is the ground,
// whose level is 0. Weights span ten orders of magnitude, and the ridge is 1e-12
// of the heaviest, so that a Cholesky decomposition (gonum) would lose most
// digits of the small ones. Here nothing is subtracted.
type network struct {
	weights [][]float64 // to the nodes before
	pivot   []float64
	flow    []float64 // right-hand side
}

func newNetwork(n int) *network {
	g := &network{weights: make([][]float64, n), pivot: make([]float64, n), flow: make([]float64, n)}
	for k := range g.weights {
		g.weights[k] = make([]float64, k)
	}
	return g
}

func (g *network) add(a, b int, ratio, weight float64) {
	g.weights[max(a, b)][min(a, b)] += weight
	g.flow[a] -= weight * ratio
	g.flow[b] += weight * ratio
}

// factor eliminates the nodes, the last first. It replaces each by weights between
// its neighbors, as a mesh replaces a star of resistors.
func (g *network) factor() {
	for k := len(g.weights) - 1; k > 0; k-- {
		row := g.weights[k]
		for _, w := range row {
			g.pivot[k] += w
		}
		for a, w := range row {
			if w > 0 {
				for b := range a {
					g.weights[a][b] += w * row[b] / g.pivot[k]
				}
			}
		}
	}
}

func (g *network) solve(right []float64) []float64 {
	x := slices.Clone(right)
	for k := len(x) - 1; k > 0; k-- {
		if x[k] /= g.pivot[k]; g.pivot[k] == 0 {
			x[k] = 0 // a node without edges
		}
		for a, w := range g.weights[k] {
			x[a] += w * x[k]
		}
	}
	x[0] = 0
	for k := 1; k < len(x); k++ {
		for a, w := range g.weights[k] {
			if w > 0 {
				x[k] += w / g.pivot[k] * x[a]
			}
		}
	}
	return x
}

// resistance is the variance of level[a] - level[b].
func (g *network) resistance(a, b int) float64 {
	right := make([]float64, len(g.weights))
	right[a], right[b] = 1, -1
	x := g.solve(right)
	return x[a] - x[b]
}
