// Package study plans rounds, runs them, and decides when to stop.
//
// The pipeline: a [Source] builds every package of every variant, and each
// binary lists its benchmarks, several packages at a time. [BlockPlan] has the
// random choices of a block, drawn from the seed in advance. Function orders are
// linked while other benchmarks are measured. A block starts fresh workers.
// Before the first block, a probe sizes the slices (probe.go). The block runs
// rounds in which the workers hand the turn to each other. A block is written
// when it ends, and its spreads size the next one (share.go). The [Watcher]
// reports whether the benchmark is decided. Workers are behind an interface
// (processes.go), so that tests of the scheduler need no compiler.
package study
