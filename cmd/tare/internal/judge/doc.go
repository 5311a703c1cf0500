// Package judge turns intervals into verdicts: the one place that does, for
// lockstep rows, rows from benchmark files and instruction counts. It is pure:
// it measures nothing, keeps no state and prints nothing.
//
// The pipeline: an [Interval] and δ become a verdict ([Interval.Verdict]) and
// a change ([Interval.Change]); constant sides are judged by [Exact]; an
// undecided row learns how much more it takes from [Needed]. [Adjust] corrects
// the p-values of a table for its size, [GateRows] reads the table as a gate,
// [Summarize] counts its verdicts, [GeoMeans] averages it.
package judge
