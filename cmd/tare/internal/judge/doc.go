// Package judge turns the blocks of a study into rows, verdicts and the outcome
// of a gate. It is pure: it measures nothing, keeps no state and prints nothing.
//
// The pipeline: the rounds of complete, undisturbed blocks become one difference
// per block. The differences become a [Look] of a group-sequential [Design], the
// look becomes an [Interval], and the interval and δ give a verdict. [Judge]
// does this while a study runs, to decide when to stop. [Compare] does it for
// the whole table, and [GateOf] for the gate. [Measure] and [Run] summarize one
// variant. [Suspicions] reports signs that the rounds do not measure the
// intended work.
//
// docs/statistics.md contains the formulas and their sources.
package judge
