// Package compare turns result sets into comparisons with verdicts.
//
// The pipeline for lockstep rounds: the rounds of complete, undisturbed blocks
// become per-block differences, these a look of package stats, this an
// interval, this a verdict ([Judge], called by the study to know when to stop;
// [Lockstep] for the whole table). [Adjust] corrects a table for its size,
// [GateOutcome] reads it as a gate. [Run] summarises a study of one variant.
// Benchmark files, which have no blocks, go their own way to the same rows.
package compare
