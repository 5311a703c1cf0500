// Package sequential is the group-sequential signed-rank test of a lockstep
// study: when to look at the blocks, what a look may decide, and the intervals
// and the p-value that stay valid although the study stops at any look.
//
// The pipeline: the centers and spreads of all blocks meet in a [Look];
// [NewDesign] says at which numbers of blocks to look and how much of the
// error rate each look may spend, for one row and for a row of a family;
// [Design.Decide] gives the weighted Hodges–Lehmann center with its repeated
// intervals and the p-value.
//
// docs/statistics.md states the formulas and their sources.
package sequential
