package tare

import (
	"math"
	"slices"
	"time"

	"github.com/tarebench/tare/histogram"
	"github.com/tarebench/tare/internal/ticks"
)

type collected struct {
	started, finished bool
	moment, end       ticks.Pairing // at the first lap and at the last one
	count             int64
	nextCheck         int64
	histogram         *histogram.Histogram
	ring              []int64
	oldest            int64 // in ring
	batches           batches
}

const (
	// mostTicks is an hour at 5 GHz.
	mostTicks = 5 * int64(time.Hour)
	// A shorter lap, in steps of the clock, takes only a few different values.
	leastSteps = 100
	mostBatch  = 1 << 20
)

func (l *laps) record() {
	if l.batches.running {
		l.batches.add(l.buffer[:l.n])
		l.n = 0
		return
	}
	l.histogram.RecordAll(l.buffer[:l.n])
	l.count += int64(l.n)
	if l.keep > 0 {
		for _, lap := range l.buffer[:l.n] {
			if len(l.ring) < l.keep {
				l.ring = append(l.ring, lap)
			} else {
				l.ring[l.oldest] = lap
				l.oldest = (l.oldest + 1) % int64(l.keep)
			}
		}
	}
	l.n = 0
}

func (l *laps) done() int64 { return l.count + l.batches.done }

// precise looks at the interval of the median, at ever longer distances so that
// looking costs little.
func (l *laps) precise() bool {
	if l.precision == 0 || l.count < l.nextCheck {
		return false
	}
	l.nextCheck = l.count + l.count/4
	q := l.histogram.Quantile(0.5)
	median := q.Value - l.overhead.lap.Typical
	return (q.Hi-q.Lo)/2 <= l.precision*median
}

func (l *laps) finish() {
	if l.finished {
		return
	}
	l.finished = true
	if !l.started {
		return
	}
	l.record()
	l.limit, l.left, l.pauses = 0, 0, 0
	l.end = ticks.Pair()
}

func (l *laps) merge(o *laps) {
	if o.histogram == nil || l.histogram == nil {
		return
	}
	_ = l.histogram.Merge(o.histogram) // of one size: cannot fail
	l.count += o.count
	l.pausing.laps += o.pausing.laps
	l.pausing.pauses += o.pausing.pauses
	l.pausing.ticks += o.pausing.ticks
	l.batches.laps += o.batches.laps
	l.batches.operations += o.batches.operations
	l.batches.ticks += o.batches.ticks
	l.batches.size = max(l.batches.size, o.batches.size)
	others := o.oldestFirst()
	l.ring = append(l.ring, others[:min(len(others), l.keep-len(l.ring))]...)
}

func (l *laps) oldestFirst() []int64 { return slices.Concat(l.ring[l.oldest:], l.ring[:l.oldest]) }

func durations(nanos []float64) []time.Duration {
	all := make([]time.Duration, len(nanos))
	for i, n := range nanos {
		all[i] = time.Duration(math.Round(n))
	}
	return all
}
