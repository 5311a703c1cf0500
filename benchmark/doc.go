// Package benchmark times every operation of a testing benchmark.
//
// The pipeline: [NewB] wraps a [testing.B]; [B.Lap], called as the last thing
// in every round of its loop, ends an operation; when the benchmark function
// returns, its result line carries p50-ns/op, p90-ns/op and p99-ns/op, which
// benchstat and tare stat compare as any other unit, ns/op with the overhead of
// the clock subtracted, and raw-ns/op without.
//
//	func BenchmarkGreeting(b *testing.B) {
//		tb := benchmark.NewB(b)
//		for tb.Loop() {
//			Greeting(123)
//			tb.Lap()
//		}
//	}
//
// Percentiles are those of single operations. The build tag notare turns
// everything into plain testing.
package benchmark
