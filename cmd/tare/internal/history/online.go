package history

import "math"

// Alpha is the false discovery rate over the life of a history.
const Alpha = 0.05

// Online controls the false discovery rate over the life of a history: of all
// hypotheses that it ever rejects, the expected share of false ones is at most
// Alpha, whatever their number and however long it goes on, for p-values that
// are independent or positively dependent.
//
// It is LOND (Javanmard and Montanari, On online control of false discovery
// rate, 2015): the i-th test is made at beta(i) times one plus the number of
// discoveries so far, where the beta(i) sum to Alpha. The sequence is that of
// their later paper (Online rules for control of false discovery rate and
// false discovery exceedance, Annals of Statistics 2018), which the R package
// onlineFDR uses too.
type Online struct {
	// Alpha is the rate, Tests and Found count what came before.
	Alpha        float64
	Tests, Found int
}

// Level is the level of the next test.
func (o Online) Level() float64 {
	return beta(o.Tests+1) * o.Alpha * float64(o.Found+1)
}

// Test decides the next hypothesis.
func (o *Online) Test(p float64) (found bool) {
	found = p <= o.Level()
	o.Tests++
	if found {
		o.Found++
	}
	return found
}

// beta sums to 1 over all i.
func beta(i int) float64 {
	x := float64(i)
	return 0.07720838 * math.Log(math.Max(x, 2)) / (x * math.Exp(math.Sqrt(math.Log(x))))
}
