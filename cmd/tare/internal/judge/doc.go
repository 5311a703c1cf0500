// Package judge turns the blocks of a study into rows, verdicts and the outcome
// of a gate. It is pure: it measures nothing, keeps no state and prints nothing.
//
// The pipeline: the rounds of complete, undisturbed blocks become one
// difference per block. The differences become a [Look] of a group-sequential
// [Design], the look an [Interval], and the interval and δ a verdict. [Judge]
// does so while a study runs, to decide when to stop. [Compare] does it for the
// whole table, [GateOf] for the gate. [Measure] and [Run] summarize one
// variant. [Suspicions] reports signs in the rounds that they do not measure
// the intended work.
//
// docs/statistics.md states the formulas and their sources.
package judge
