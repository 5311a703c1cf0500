// Package tare measures every latency of an operation, with the overhead of the
// clock subtracted.
//
// [NewBenchmark] runs an operation lap by lap. A [Stopwatch] times laps that
// begin in one goroutine and end in another. Each returns a [Distribution]:
// quantiles with intervals, the mean, text bars, and findings about the limits
// of the numbers. Package benchmark does the same inside a testing benchmark.
// Package plot draws laps and distributions.
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
