package tare

// Keep returns v, hidden from the compiler's optimizations: what computes v
// happens before the call, and what uses the result after it.
//
// For the compiler, a read of a clock is a call like any other. It may move
// arithmetic past it, and remove what is not used. Keep the result of an operation before the
// end of its lap, and take its arguments through Keep after the beginning, if
// they are constants or computed nearby:
//
//	lap := watch.Start()
//	sum := tare.Keep(checksum(tare.Keep(data)))
//	watch.Stop(lap)
//
// It costs a call, 1 to 2 ns. Calls that are not inlined and operations on
// memory are not moved, and the Loop of a testing benchmark keeps arguments and
// results of the calls in its body by itself.
//
//go:noinline
func Keep[T any](v T) T { return v }
