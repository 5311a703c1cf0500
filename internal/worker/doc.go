// Package worker starts live test processes and speaks with them.
//
// The pipeline: [Start] runs a test binary that carries the overlay of
// internal/overlay; the worker announces each leaf benchmark ([Leaf]); the
// parent asks for slices ([Worker.Slice]) and ends the benchmark
// ([Worker.End]); how it ended comes as [Over], [Skip] or [Fail]. Waiting is
// never timed: the clock runs in the worker alone. Where the benchmark stops its
// timer, hardware counters are handed over ([Worker.Hold]), to stand still
// meanwhile ([Worker.CountedSlice], [Worker.Empty]).
package worker
