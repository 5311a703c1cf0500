// Package tare measures every latency of an operation, with the weight of the
// clock taken off.
//
// The pipeline: [NewBenchmark] runs an operation lap by lap, a [Stopwatch]
// times laps that begin in one goroutine and end in another, and [NewB] does
// it inside a testing benchmark; each weighs its own empty lap before and
// after, and answers with a [Distribution]: quantiles with intervals, mean,
// text bars, and in words what the numbers cannot show.
//
//	bench := tare.NewBenchmark(10_000)
//	for bench.Next() {
//		fmt.Sprintf("hello, world %d", 123)
//	}
//	fmt.Println(bench.Distribution())
//
// In a testing benchmark, for benchstat to compare p50, p90 and p99:
//
//	func BenchmarkGreeting(b *testing.B) {
//		tb := tare.NewB(b)
//		for tb.Loop() {
//			Greeting(123)
//			tb.Lap()
//		}
//	}
//
// All times are in nanoseconds per operation.
package tare
