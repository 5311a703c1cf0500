package tare

// Keep returns v, and the compiler does not know that: what computes v happens
// before the call, and what uses the result after it.
//
// The compiler knows nothing of time. It may move arithmetic past the read of a
// clock, and drop what is not used. Keep the result of an operation before the
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
