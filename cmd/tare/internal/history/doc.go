// Package history keeps comparisons over the years. It solves the level of
// every commit and decides which commits brought a change.
//
// It stores edges, not points. An edge is a comparison of two commits on one
// machine, in lockstep. A change of machine, kernel, Go release or method
// cancels inside each edge, so a history survives it.
//
//	Run → session → Entry → Store → Graph → Candidate → Run → Decision
//
// A [store] has one small file for each [Entry]. [Graph.Series] solves the
// levels of a benchmark by weighted least squares over all edges, and names
// candidates for a change. [Run] measures a commit, then its candidates again.
// [online] decides which of the fresh p-values are changes.
//
// The model is known from levelling networks in geodesy and from network
// meta-analysis (Rücker, Network meta-analysis, electrical networks and graph
// theory, Research Synthesis Methods 2012).
package history
