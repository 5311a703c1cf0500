// Package tare measures every latency of an operation, with the overhead of the
// clock subtracted.
//
// The pipeline: [NewBenchmark] runs an operation lap by lap, and a [Stopwatch]
// times laps that begin in one goroutine and end in another; each answers with a
// [Distribution]: quantiles with intervals, mean, text bars, and findings on
// what the numbers cannot show. Package benchmark does the same inside a testing
// benchmark, and package plot draws laps and distributions.
//
//	bench := tare.NewBenchmark(10_000)
//	for bench.Next() {
//		_ = fmt.Sprintf("hello, world %d", 123)
//	}
//	fmt.Println(bench.Distribution())
//
// The clock is calibrated once in a process. All times are in nanoseconds per
// operation.
package tare
