// Package worker starts live test processes and has them take slices.
//
// [StartGroup] runs test binaries with the overlay of internal/overlay, one per
// side, and waits until each has reached the leaf benchmark. [Group] takes
// batches of slots. In a batch the processes pass the turn to each other
// (internal/overlay/board) or, if they cannot, obey commands through pipes.
// Group returns the slices and the resources that the processes used. Its End
// lets benchmarks and clean-up code finish. An error of one side is a
// [SideError]: [ErrGone], [ErrStalled], [errTimeout], or the message of the
// benchmark. Waiting is never timed: only the worker reads the clock.
//
// [Start] runs a single worker to discover benchmarks. The worker announces
// each leaf ([Leaf]), and the parent ends it ([Worker.End]). Its result comes
// as [Over], [Skip] or [Fail].
package worker
