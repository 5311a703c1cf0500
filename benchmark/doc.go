// Package benchmark times every operation of a testing benchmark.
//
// [NewB] wraps a [testing.B]. [B.Lap], the last statement in the loop body,
// ends an operation. The result line of the benchmark function then has
// p50-ns/op, p90-ns/op and p99-ns/op, which benchstat and tare stat compare as
// any other unit. Its ns/op is without the overhead of the clock. Its raw-ns/op
// includes the overhead.
//
//	func BenchmarkGreeting(b *testing.B) {
//		tb := benchmark.NewB(b)
//		for tb.Loop() {
//			Greeting(123)
//			tb.Lap()
//		}
//	}
//
// Percentiles are percentiles of single operations. The build tag notare turns
// everything into plain testing.
package benchmark
