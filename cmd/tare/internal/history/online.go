package history

import (
	"cmp"
	"math"
	"slices"
)

// Alpha is the false discovery rate over the life of a history.
const Alpha = 0.05

// online controls the false discovery rate over the life of a history. Of all
// hypotheses that it ever rejects, the expected share of false ones is at most
// Alpha, for any number of tests. The p-values must be independent or
// positively dependent.
//
// It is LOND (Javanmard and Montanari, On online control of false discovery
// rate, 2015): the i-th test is made at beta(i) times one plus the number of
// discoveries so far. The beta(i) sum to Alpha. The sequence is from their
// later paper (Online rules for control of false discovery rate and false
// discovery exceedance, Annals of Statistics 2018). The R package onlineFDR
// also uses it.
type online struct {
	// Tests and Found count the tests and discoveries so far.
	Tests, Found int
}

// Level is the level of the next test.
func (o online) Level() float64 {
	return beta(o.Tests+1) * Alpha * float64(o.Found+1)
}

// replay decides the tests of a history again, in the order in which they began.
// This order does not depend on their results. Each writer tested at the level
// from its own files, so several writers would use the same levels several times.
//
// A test that its writer found counts as found if its p-value is at most its
// level in this order. Otherwise it is undecided, and the candidate is measured
// again. Several tests that find one change of one benchmark are one discovery.
func replay(files []File) (decisions []Decision, o online) {
	var order []File
	for _, f := range files {
		if f.Decision != nil {
			order = append(order, f)
		}
	}
	slices.SortStableFunc(order, func(a, b File) int {
		return cmp.Or(a.Decision.Created.Compare(b.Decision.Created), cmp.Compare(a.Name, b.Name))
	})
	known := make(map[question]bool)
	for _, f := range order {
		d := *f.Decision
		if d.Found && d.P > o.Level() {
			d.Found, d.Undecided = false, true
		}
		o.Tests++
		if id := (question{d.Commit, d.Key()}); d.Found && !known[id] {
			known[id] = true
			o.Found++
		}
		decisions = append(decisions, d)
	}
	return decisions, o
}

// beta sums to 1 over all i.
func beta(i int) float64 {
	x := float64(i)
	return 0.07720838 * math.Log(math.Max(x, 2)) / (x * math.Exp(math.Sqrt(math.Log(x))))
}
