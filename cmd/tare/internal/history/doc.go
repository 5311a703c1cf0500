// Package history keeps comparisons over the years. It solves the level of
// every commit and decides which commits brought a change.
//
// It stores edges, not points. An edge is a comparison of two commits on one
// machine, in lockstep. A change of machine, kernel, Go release or method
// cancels inside each edge, so a history survives it.
//
//	Run → session → Entry → Store → Graph → Candidate → Run → Decision
//
// A [store] has one small file for each [Entry]. [Graph.Series] sums the edges
// from commit to commit to the levels of a benchmark, and names candidates for a
// change. [Run] measures a commit, then its candidates again.
// [online] decides which of the fresh p-values are changes.
package history
