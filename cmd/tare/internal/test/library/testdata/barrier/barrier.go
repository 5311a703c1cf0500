// Package barrier times twenty multiplications, each of which needs the result
// of the previous one, with barriers.
package barrier

import "github.com/tarebench/tare"

// Kept has a barrier on both sides.
func Kept(watch *tare.Stopwatch, x uint64) uint64 {
	lap := watch.Start()
	x = tare.Keep(multiply(tare.Keep(x)))
	watch.Stop(lap)
	return x
}

// KeptInPause does its work between Resume and the next Pause.
func KeptInPause(bench *tare.Benchmark, x uint64) uint64 {
	bench.Pause()
	bench.Resume()
	x = tare.Keep(multiply(tare.Keep(x)))
	bench.Pause()
	bench.Resume()
	return x
}

// multiply consists of small parts, so that all of it is inlined.
func multiply(x uint64) uint64 { return five(five(five(five(x)))) }

func five(x uint64) uint64 {
	x *= x
	x *= x
	x *= x
	x *= x
	return x * x
}
