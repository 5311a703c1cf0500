// Package study plans rounds, runs them, and decides when to stop.
//
// The pipeline: binaries of every variant come from a [Source]; discovery
// asks each which benchmarks it has; [Plan] draws the coins of every block
// ahead (pure, from the seed); a block starts fresh workers with fresh
// layouts, sizes the slices (size.go, pure), and runs rounds in lockstep;
// every round is appended to the recording before the next begins; after
// each block [Options.Judge] says whether the benchmark is decided.
package study
