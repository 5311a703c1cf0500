// Package worker starts live test processes and has them take slices.
//
// The pipeline: [StartGroup] runs test binaries that carry the overlay of
// internal/overlay, one a side, and waits until each stands at the leaf
// benchmark; [Group] takes batches of slots, in which the processes hand the
// turn to each other (internal/overlay/board) or, where they cannot, are
// commanded through pipes, and gives the slices and what the processes used;
// its End lets benchmarks and clean-up code finish. An error of one side is a
// [SideError]: [ErrGone], [ErrStalled], [errTimeout], or what the benchmark
// said. Waiting is never timed: the clock runs in the worker alone.
//
// [Start] runs a single worker, for the discovery of benchmarks: it announces
// each leaf ([Leaf]) and is asked to end it ([Worker.End]); how it ended comes as
// [Over], [Skip] or [Fail]. Where a benchmark stops its timer, hardware counters
// are handed over between two batches ([Worker.Hold]), to stand still meanwhile
// ([Worker.CountedSlice], [Worker.Empty]).
package worker
