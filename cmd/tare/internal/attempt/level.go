package attempt

import "math"

// alpha is the share of false keeps among all keeps of a session, in
// expectation.
const alpha = 0.05

// firstWealth is the level that a session may spend before its first keep.
const firstWealth = alpha / 2

// Levels gives each attempt of a session the error rate at which it may be kept.
//
// It is LORD++ (Ramdas, Yang, Wainwright and Jordan, Online control of the
// false discovery rate with decaying memory, 2017, section 3.1). The level of
// an attempt depends on the number of earlier ones, and each keep gives levels
// back. Suppose that every attempt errs at most at its level, given all earlier
// answers. Then E[false keeps] is at most alpha·E[max(keeps, 1)] at any time
// (their theorem 2(a)). Edits may depend on the answers, because every attempt
// has fresh blocks. All attempts of a session share their function orders, and each
// begins with its own half of the first sixteen, which changes the share little:
// see TestSharedOrdersStayHonest.
type Levels struct {
	// Tests counts the tested attempts. Kept numbers the kept ones, from 1.
	Tests int
	Kept  []int
}

// Next is the level of the next attempt.
func (l Levels) Next() float64 {
	t := l.Tests + 1
	level := firstWealth * weight(t)
	for i, at := range l.Kept {
		share := alpha
		if i == 0 {
			share -= firstWealth
		}
		level += share * weight(t-at)
	}
	return level
}

// Add counts an attempt that was tested.
func (l *Levels) Add(kept bool) {
	l.Tests++
	if kept {
		l.Kept = append(l.Kept, l.Tests)
	}
}

// weight is 1/i^1.6 divided by its sum over all i, ζ(1.6). SAFFRON uses this
// sequence (Ramdas, Zrnic, Wainwright and Jordan 2018). Early attempts get more
// than in LORD.
func weight(i int) float64 { return math.Pow(float64(i), -1.6) / 2.2857656 }
