// Package stats is the mathematics of a comparison: pure functions of
// []float64, with the seed an argument where chance is used. No function
// changes or keeps its input.
//
// For one sample there are [Median], [MAD], [Quantile], [Center] and
// [CenterBounds]; for two independent samples the rank tests
// [MannWhitney], [Shift] and [RankSums]; for values in the order they were
// taken [MannKendall] and [SerialCorrelation]. [BenjaminiHochberg] and [Holm]
// adjust the p-values of a table.
//
// docs/statistics.md states the formulas and their sources.
package stats
