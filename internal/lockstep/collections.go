package lockstep

import (
	"slices"

	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/stats"
)

// spreadCollections charges what collections cost to all slices of their side.
//
// A slice is far shorter than the time between two collections, so that most
// slices have none, and a median leaves out what garbage costs. What a slice
// with a collection takes beyond the typical one of its side, and what its
// process used after it until the collection had ended, is the cost of that
// collection; the sum of the costs, per timed iteration, is added to the
// iterations of all slices, and rounds with a collection are left out. Costs
// beyond longestCost times the median of their side count as that much: those
// slices were interrupted.
//
// Rounds stay as they are where half of them or more have a collection: such
// slices hold what garbage costs. The rule treats the variants alike, so that
// exchanging them exchanges the results.
func spreadCollections(rounds []result.Round, variants []int) []result.Round {
	collected := func(r result.Round) bool {
		return slices.ContainsFunc(variants, func(v int) bool { return r.Slices[v].Collected })
	}
	rest := slices.DeleteFunc(slices.Clone(rounds), collected)
	if len(rest) == len(rounds) || 2*len(rest) <= len(rounds) {
		return rounds
	}
	for i := range rest {
		rest[i].Slices = slices.Clone(rest[i].Slices)
	}
	for _, v := range variants {
		share := collectionShare(rounds, rest, v)
		for _, r := range rest {
			s := &r.Slices[v]
			s.Raw *= 1 + share
			s.OverheadLo *= 1 + share
			s.OverheadHi *= 1 + share
		}
	}
	return rest
}

// longestCost is how many times the typical cost of a collection one may have.
const longestCost = 4

// collectionShare is what collections cost one variant in all, as a share of
// what its slices without them take.
func collectionShare(all, without []result.Round, variant int) float64 {
	var perOp []float64
	for _, r := range without {
		perOp = append(perOp, r.Slices[variant].Seconds())
	}
	typical := stats.Median(perOp)
	if !(typical > 0) {
		return 0
	}
	var costs []float64
	iterations := 0.0
	for _, r := range all {
		s := r.Slices[variant]
		iterations += float64(s.N)
		if s.Collected {
			costs = append(costs, max(0, s.Seconds()*float64(s.N)+s.Settle/1e9-typical*float64(s.N)))
		}
	}
	if len(costs) == 0 {
		return 0
	}
	most := longestCost * stats.Median(costs)
	sum := 0.0
	for _, c := range costs {
		sum += min(c, most)
	}
	return sum / (typical * iterations)
}
