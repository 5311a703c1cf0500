// Package judge turns the blocks of a study into rows, verdicts and the outcome
// of a gate. It is pure: it measures nothing, keeps no state and prints nothing.
//
// The pipeline: the rounds of complete, undisturbed blocks become one difference
// per block, these a [Look] of a group-sequential [Design], this an [Interval],
// and the interval and δ a verdict. [Judge] does so while a study runs, to know
// when to stop; [Compare] for the whole table, [GateOf] for the gate. [Measure]
// and [Run] summarize one variant, and [Suspicions] says what in the rounds makes
// it likely that they measure something else than meant.
//
// docs/statistics.md states the formulas and their sources.
package judge
