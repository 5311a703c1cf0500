package history

import (
	"cmp"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/stats"
)

// Contradiction is an edge that the rest of the history contradicts.
type Contradiction struct {
	Key
	Residual
	Edge Edge
	File string
	P    float64
}

// Contradictions are the edges whose loops do not close, at an error rate of
// alpha over the whole history (Bonferroni), by Student's t with the degrees of
// freedom of the edge.
func (g *Graph) Contradictions(alpha float64) []Contradiction {
	var all []Contradiction
	tests := 0
	for _, key := range g.Keys() {
		edges := g.of(key)
		if len(edges) == 0 {
			continue
		}
		for _, reference := range parts(len(g.Commits), edges) {
			l := solve(len(g.Commits), edges, reference, true)
			for _, r := range l.Residuals {
				tests++
				p := stats.FTail(square(r.Z), 1, edges[r.Edge].degrees())
				all = append(all, Contradiction{Key: key, Residual: r, Edge: edges[r.Edge], File: g.files[edges[r.Edge].Source].Name, P: p})
			}
		}
	}
	all = slices.DeleteFunc(all, func(c Contradiction) bool { return c.P*float64(tests) > alpha })
	slices.SortStableFunc(all, func(a, b Contradiction) int { return cmp.Compare(a.P, b.P) })
	return all
}

// parts has a commit of every connected set of commits.
func parts(n int, edges []Edge) (one []int) {
	joined := newSets(n)
	for _, e := range edges {
		joined.join(e.Old, e.New)
	}
	seen := make(map[int]bool)
	for _, e := range edges {
		if root := joined.root(e.Old); !seen[root] {
			seen[root] = true
			one = append(one, root)
		}
	}
	return one
}
