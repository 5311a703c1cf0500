// Package study plans rounds, runs them, and decides when to stop.
//
// The pipeline: a [Source] builds every package of every variant, and each
// binary is asked for its benchmarks, several packages at a time; [Plan] draws
// the random choices of every block ahead (pure, from the seed); layouts are
// linked while others are measured; a block starts fresh workers, the first
// one after a probe that sizes the slices (probe.go), and runs rounds in
// which the workers hand the turn to each other; a block is written when it
// ends, and its spreads size the next one (share.go); the [Watcher] says whether
// the benchmark is decided. Workers stand after an interface (processes.go), so
// that the scheduler is tested without compiling.
package study
