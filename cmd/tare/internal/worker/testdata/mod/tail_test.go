package mod

import (
	"math"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A recorder has two times of every operation. The inner one is from its begin to
// its end. The outer one is from the end of the operation before it to the begin of
// the next one. The time that the loop measures lies between them.
type recorder struct {
	sync.Mutex
	index        atomic.Int64
	inner, outer []time.Duration
}

// A strand records the operations of one goroutine.
type strand struct {
	*recorder
	began, ended []time.Time
}

func (r *recorder) strand() *strand {
	return &strand{recorder: r, ended: []time.Time{time.Now()}}
}

// spin runs for the time of the next operation.
func (s *strand) spin(of func(i int) time.Duration) {
	began := time.Now()
	for d := of(int(s.index.Add(1)) - 1); time.Since(began) < d; {
	}
	s.began, s.ended = append(s.began, began), append(s.ended, time.Now())
}

// done gives the last n operations to the recorder.
func (s *strand) done(n int) {
	s.Lock()
	defer s.Unlock()
	s.began = append(s.began, time.Now())
	for i := max(0, len(s.began)-1-n); i < len(s.began)-1; i++ {
		s.inner = append(s.inner, s.ended[i+1].Sub(s.began[i]))
		s.outer = append(s.outer, s.began[i+1].Sub(s.ended[i]))
	}
}

// report reports both times at the percentiles, two operations lower and higher.
func (r *recorder) report(b *testing.B) {
	slices.Sort(r.inner)
	slices.Sort(r.outer)
	for _, percent := range []int{50, 90, 99} {
		rank, name := (len(r.inner)*percent+99)/100-1, strconv.Itoa(percent)
		b.ReportMetric(r.inner[max(rank-2, 0)].Seconds(), "inner-p"+name)
		b.ReportMetric(r.outer[min(rank+2, len(r.outer)-1)].Seconds(), "outer-p"+name)
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
			s := r.strand()
			for b.Loop() {
				s.spin(shape)
			}
			s.done(3000)
			r.report(b)
		})
	}
}

func BenchmarkTailParallel(b *testing.B) {
	for name, shape := range tailShapes {
		b.Run(name, func(b *testing.B) {
			r := new(recorder)
			b.RunParallel(func(pb *testing.PB) {
				s := r.strand()
				for pb.Next() {
					s.spin(shape)
				}
				s.done(b.N)
			})
			r.report(b)
		})
	}
}
