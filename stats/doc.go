// Package stats is the mathematics of a comparison: pure functions of
// []float64, with the seed an argument where chance is used. No function
// changes or keeps its input.
//
// The pipeline of a paired comparison: within a block, [Median] and [MAD] turn
// the logarithms of the slice ratios into a centre and a spread; the centres
// of all blocks meet in a [Look]; [NewDesign] says at which numbers of blocks
// to look and how much of the error rate each look may spend; [Design.Decide]
// gives the weighted Hodges–Lehmann centre with its repeated interval, and
// [Design.P] the p-value. [EProcess] judges a study that goes on beyond its
// design. [BenjaminiHochberg] and [Holm] adjust the p-values of a table.
//
// For single samples there are [Quantile], [QuantileInterval], [Center] and
// [CenterBounds]; for two independent samples the rank tests beside them.
//
// docs/statistics.md states the formulas and their sources.
package stats
