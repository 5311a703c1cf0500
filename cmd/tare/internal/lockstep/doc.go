// Package lockstep turns the blocks of a study into comparisons.
//
// The pipeline: the rounds of complete, undisturbed blocks become one
// difference per block (blocks.go, pairing.go), these a look of
// internal/sequential, this an interval, and internal/judge reads it. [Judge]
// does so while a study runs, to know when to stop; [Compare] for the whole
// table; [Measure] and [Run] summarize one variant. [SmallestChange] predicts
// what a study would find, and [Samples] makes independent samples of a
// recording for internal/benchtab.
package lockstep
