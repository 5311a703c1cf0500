package wrong

import (
	"math"
	"math/bits"
	"testing"
)

// mistake: deadresult
func BenchmarkMixDropped(b *testing.B) {
	for i := range b.N {
		mix(uint64(i) ^ Seed)
	}
}

// mistake: deadresult
func BenchmarkNormBlank(b *testing.B) {
	p := point{3, 4}
	for n := b.N; n > 0; n-- {
		p.x++
		_ = p.norm2()
	}
}

// mistake: deadresult
func BenchmarkAccumulated(b *testing.B) {
	var total uint64
	for i := 0; i < b.N; i++ {
		total += mix(uint64(i))
	}
	_ = total
}

// mistake: deadresult
func BenchmarkParallelDropped(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		x := Seed
		for pb.Next() {
			_ = bits.Reverse64(x) ^ x
			bits.LeadingZeros64(x)
		}
	})
}

// The mistake is in measureRoot.
func BenchmarkRootTable(b *testing.B) {
	for name, v := range map[string]float64{"small": 2, "large": 2e9} {
		b.Run(name, func(b *testing.B) {
			measureRoot(b, v)
		})
	}
}

// mistake: deadresult
func measureRoot(b *testing.B, v float64) {
	b.Helper()
	for i := 0; i < b.N; i++ {
		math.Sqrt(v + float64(i))
	}
}

// mistake: deadresult
func TestCostOfMix(t *testing.T) {
	res := testing.Benchmark(func(bench *testing.B) {
		for i := 0; i < bench.N; i++ {
			mix(Seed + uint64(i))
		}
	})
	t.Logf("%d ns", res.NsPerOp())
}

// mistake: deadresult
func BenchmarkClosureInLoop(b *testing.B) {
	for b.Loop() {
		func() {
			mix(Seed)
		}()
	}
}
