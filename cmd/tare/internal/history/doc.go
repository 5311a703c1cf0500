// Package history keeps comparisons over the years and solves the level of
// every commit from them.
//
// It stores edges, not points: an edge is a comparison of two commits on one
// machine, in lockstep. A change of machine, kernel, Go release or method of
// measurement cancels inside each edge, so a history survives it.
//
// The pipeline:
//
//  1. An [Entry] is one comparison with a row for each benchmark, or what was
//     decided about a change, encoded as one small file and never rewritten. A
//     [Store] holds the files: a folder ([OpenFolder]) or a branch of the
//     repository ([OpenBranch]).
//  2. [Load] reads a store. A file that cannot be read is a [Skipped], and
//     nothing else is lost.
//  3. [NewGraph] numbers the commits; [Graph.Series] has the levels of one
//     benchmark with what they contradict and the changes confirmed so far.
//     [Solve] computes them by weighted least squares over all edges.
//  4. [Screen] names candidates for a change in a series of levels.
//  5. A candidate is measured again, k-1 against k. [Online] decides which of
//     the fresh p-values are changes, so that among all that a history ever
//     reports at most a given share is false.
//
// The model is that of levelling networks in geodesy and of network
// meta-analysis (Rücker, Network meta-analysis, electrical networks and graph
// theory, Research Synthesis Methods 2012).
package history
