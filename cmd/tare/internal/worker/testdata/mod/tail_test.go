package mod

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"
)

// A recorder keeps the time of every operation, by the operation itself: what a
// machine that interrupts it makes of its known length.
type recorder struct {
	sync.Mutex
	took  []time.Duration
	index int
}

// spin runs for the time of operation i, and records how long it did.
func (r *recorder) spin(of func(i int) time.Duration) {
	r.Lock()
	i := r.index
	r.index++
	r.Unlock()
	began := time.Now()
	for d := of(i); time.Since(began) < d; {
	}
	took := time.Since(began)
	r.Lock()
	r.took = append(r.took, took)
	r.Unlock()
}

// report reports the percentiles of the last n operations, and how far off they
// are if a few operations were recorded just before an interruption.
func (r *recorder) report(b *testing.B, n int) {
	last := slices.SortedFunc(slices.Values(r.took[max(0, len(r.took)-n):]), cmp.Compare)
	for _, percent := range []int{50, 90, 99} {
		for k, name := range []string{"lo", "", "hi"} {
			rank := (len(last)*percent+99)/100 - 1 + (k-1)*(2+len(last)/500)
			b.ReportMetric(last[min(max(0, rank), len(last)-1)].Seconds(), "true-"+name+"p"+strconv.Itoa(percent))
		}
	}
}

// tailShapes are operations of known length, in microseconds.
var tailShapes = map[string]func(i int) time.Duration{
	"bimodal": func(i int) time.Duration {
		if i%4 == 0 {
			return 40 * time.Microsecond
		}
		return 5 * time.Microsecond
	},
	// Pareto with the index 1.5, at every quantile once in 997 operations.
	"heavy": func(i int) time.Duration {
		u := (float64(i*387%997) + 0.5) / 997
		return time.Duration(5e3 * math.Pow(u, -1/1.5))
	},
	"stall": func(i int) time.Duration {
		if i%1000 == 500 {
			return time.Millisecond
		}
		return 4 * time.Microsecond
	},
}

func BenchmarkTail(b *testing.B) {
	for name, shape := range tailShapes {
		b.Run(name, func(b *testing.B) {
			r := new(recorder)
			for b.Loop() {
				r.spin(shape)
			}
			r.report(b, 3000)
		})
	}
}

func BenchmarkTailParallel(b *testing.B) {
	for name, shape := range tailShapes {
		b.Run(name, func(b *testing.B) {
			r := new(recorder)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					r.spin(shape)
				}
			})
			r.report(b, b.N)
		})
	}
}
