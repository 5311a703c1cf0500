package peers

import (
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/tarebench/tare/histogram"
)

// latencies are log-normal around 1 µs: they fall into a few hundred buckets.
func latencies() *[512]int64 {
	r := rand.New(rand.NewPCG(1, 2))
	var v [512]int64
	for i := range v {
		v[i] = int64(1000 * math.Exp(0.5*r.NormFloat64()))
	}
	return &v
}

func threeDigits(tb testing.TB) *histogram.Histogram {
	h, err := histogram.Options{Error: 0.001}.New()
	if err != nil {
		tb.Fatal(err)
	}
	return h
}

func BenchmarkRecord(b *testing.B) {
	values := latencies()
	b.Run("of=nothing", func(b *testing.B) {
		sum := int64(0)
		for i := range b.N {
			sum += values[i&511]
		}
		b.ReportMetric(float64(sum)*0, "ignore")
	})
	b.Run("of=tare", func(b *testing.B) {
		h := histogram.New()
		b.ReportAllocs()
		for i := range b.N {
			h.Record(values[i&511])
		}
	})
	b.Run("of=tare-3-digits", func(b *testing.B) {
		h := threeDigits(b)
		b.ReportAllocs()
		for i := range b.N {
			h.Record(values[i&511])
		}
	})
	b.Run("of=hdrhistogram-go-3-digits", func(b *testing.B) {
		h := hdrhistogram.New(1, int64(time.Hour), 3)
		b.ReportAllocs()
		for i := range b.N {
			_ = h.RecordValue(values[i&511])
		}
	})
	b.Run("of=hdrhistogram-go-2-digits", func(b *testing.B) {
		h := hdrhistogram.New(1, int64(time.Hour), 2)
		b.ReportAllocs()
		for i := range b.N {
			_ = h.RecordValue(values[i&511])
		}
	})
}

// BenchmarkShared records from as many goroutines as -cpu sets.
func BenchmarkShared(b *testing.B) {
	b.Run("of=tare-sharded", func(b *testing.B) {
		s, err := histogram.Options{}.NewSharded()
		if err != nil {
			b.Fatal(err)
		}
		b.RunParallel(func(pb *testing.PB) {
			for v := int64(1000); pb.Next(); v++ {
				s.Record(v & 8191)
			}
		})
	})
	b.Run("of=tare-sharded-with-an-interval-every-millisecond", func(b *testing.B) {
		s, err := histogram.Options{}.NewSharded()
		if err != nil {
			b.Fatal(err)
		}
		done := make(chan struct{})
		defer close(done)
		go func() {
			for {
				select {
				case <-done:
					return
				case <-time.After(time.Millisecond):
					s.Interval()
				}
			}
		}()
		b.ResetTimer()
		b.RunParallel(func(pb *testing.PB) {
			for v := int64(1000); pb.Next(); v++ {
				s.Record(v & 8191)
			}
		})
	})
	b.Run("of=mutex-and-hdrhistogram-go", func(b *testing.B) {
		h := hdrhistogram.New(1, int64(time.Hour), 2)
		var mu sync.Mutex
		b.RunParallel(func(pb *testing.PB) {
			for v := int64(1000); pb.Next(); v++ {
				mu.Lock()
				_ = h.RecordValue(v & 8191)
				mu.Unlock()
			}
		})
	})
}

func BenchmarkQuantile(b *testing.B) {
	values := latencies()
	ours, theirs := histogram.New(), hdrhistogram.New(1, int64(time.Hour), 2)
	for range 1000 {
		for _, v := range values {
			ours.Record(v)
			_ = theirs.RecordValue(v)
		}
	}
	b.Run("of=tare", func(b *testing.B) {
		for b.Loop() {
			ours.Quantile(0.99)
		}
	})
	b.Run("of=hdrhistogram-go", func(b *testing.B) {
		for b.Loop() {
			theirs.ValueAtQuantile(99)
		}
	})
}
