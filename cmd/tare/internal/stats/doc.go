// Package stats contains the mathematics of a comparison as functions of
// []float64. They do not modify their input.
//
// For one sample there are [Median], [MAD], [Quantile], [Center] and
// [CenterBounds]. For two independent samples there are the rank tests
// [MannWhitney], [RankSums] and [Shifts]. [SerialCorrelation] is about values in
// run order. [Holm] adjusts the p-values of a table.
//
// The comment of package judge contains the formulas and their
// sources.
package stats
