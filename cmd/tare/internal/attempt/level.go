package attempt

import "math"

// Alpha is the share of false keeps among all keeps of a session, in
// expectation.
const Alpha = 0.05

// firstWealth is the level that a session may spend before its first keep.
const firstWealth = Alpha / 2

// Levels gives each attempt of a session the error rate at which it may be kept.
//
// It is LORD++ (Ramdas, Yang, Wainwright and Jordan, Online control of the false
// discovery rate with decaying memory, 2017, section 3.1): the level of an attempt
// depends on how many were tried before, and each keep gives levels back. If every
// attempt errs at most at its level, given all earlier answers, then at every time
// E[false keeps] is at most Alpha·E[keeps, at least one] (their theorem 2(a)),
// whatever is tried next. Blocks are fresh in every attempt, so that this holds
// for edits that depend on the answers.
type Levels struct {
	// Tests is how many attempts were tested, Kept the numbers of those that
	// were kept, from 1.
	Tests int
	Kept  []int
}

// Next is the level of the next attempt.
func (l Levels) Next() float64 {
	t := l.Tests + 1
	level := firstWealth * weight(t)
	for i, at := range l.Kept {
		share := Alpha
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

// weight is 1/i^1.6 divided by its sum over all i, ζ(1.6): the sequence of SAFFRON
// (Ramdas, Zrnic, Wainwright and Jordan 2018). It gives early attempts more than
// the sequence of LORD does.
func weight(i int) float64 { return math.Pow(float64(i), -1.6) / 2.2857656 }
