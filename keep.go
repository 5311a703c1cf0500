package tare

// Keep returns v, hidden from the compiler's optimizations. The code that
// computes v runs before the call, and the code that uses the result runs after
// it.
//
// For the compiler, a read of a clock is a call like any other. It may move
// arithmetic past the read, and remove unused results. Keep the result of an
// operation before the end of its lap. If its arguments are constants or
// computed nearby, take them through Keep after the beginning:
//
//	lap := watch.Start()
//	sum := tare.Keep(checksum(tare.Keep(data)))
//	watch.Stop(lap)
//
// Keep costs a call, 1 to 2 ns. Calls that are not inlined and operations on
// memory are not moved. The Loop of a testing benchmark keeps the arguments and
// results of the calls in its body.
//
//go:noinline
func Keep[T any](v T) T { return v }
