package tare

import (
	"math"
	"slices"
	"sync/atomic"

	"github.com/tarebench/tare/clock"
)

// weight is what the scale itself weighs, in ticks of its clock.
type weight struct {
	weighing     bool // this is the weighing itself
	cycles       bool
	nanosPerTick float64
	resolution   float64
	lap          clock.Cost // an empty lap
	pause        clock.Cost // a pause in a lap, without what happens in it
	perOperation float64    // at most: one more operation in a lap, empty
	moment       clock.Pairing
}

// agreement is a batch size that several goroutines share.
type agreement struct{ size atomic.Int64 }

const (
	weighRounds  = 64
	lapsPerRound = 128
)

// weigh picks the clock and weighs it: the cycle clock, unless there is none
// or a hypervisor traps it, which makes it dearer than the system's.
func weigh(monotonic bool) weight {
	if !monotonic {
		if w, read, err := weighCycles(); err == nil && read < 1.25*costOfNow() {
			return w
		}
	}
	return weighNow()
}

func weighNow() weight {
	w := weight{nanosPerTick: 1, resolution: clock.Calibrate().Resolution, moment: clock.Pair()}
	w.weighLaps()
	return w
}

func weighCycles() (w weight, read float64, err error) {
	calibration, rate, err := clock.CalibrateCycles()
	if err != nil {
		return weight{}, 0, err
	}
	w = weight{cycles: true, nanosPerTick: rate.NanosPerTick, moment: clock.Pair()}
	w.resolution = calibration.Resolution / rate.NanosPerTick
	w.weighLaps()
	return w, calibration.Read.Lo, nil
}

// again weighs the same clock later. Where that fails the first weight stands.
func (w weight) again() weight {
	if !w.cycles {
		return weighNow()
	}
	if again, _, err := weighCycles(); err == nil {
		return again
	}
	return w
}

// weighLaps times empty laps with the code that times full ones.
func (w *weight) weighLaps() {
	empty, paused := make([]float64, weighRounds), make([]float64, weighRounds)
	for i := range weighRounds {
		empty[i] = emptyLaps(w.cycles)
		paused[i] = pausedLaps(w.cycles)
	}
	w.lap, w.pause = costOf(empty), costOf(paused)
	// Less the typical empty lap, not the one of the same round: a round in
	// which the machine did something else would count twice.
	w.pause.Lo = max(0, w.pause.Lo-w.lap.Typical)
	w.pause.Typical = max(0, w.pause.Typical-w.lap.Typical)
	w.pause.Hi = max(0, w.pause.Hi-w.lap.Typical)
	const operations = 1000
	many := make([]float64, weighRounds/8)
	for i := range many {
		many[i] = emptyBatches(w.cycles, operations)
	}
	w.perOperation = max(0, costOf(many).Typical-w.lap.Typical) / (operations - 1)
}

func costOfNow() float64 {
	const rounds, reads = 8, 64
	least := int64(math.MaxInt64)
	for range rounds {
		start := clock.Now()
		for range reads - 1 {
			clock.Now()
		}
		least = min(least, clock.Now()-start)
	}
	return float64(least) / reads
}

func emptyLaps(cycles bool) float64 {
	b := &Benchmark{weighingLaps(cycles)}
	b.startAgain()
	for b.Next() {
	}
	return b.meanOfBuffer()
}

func emptyBatches(cycles bool, operations int) float64 {
	b := &Benchmark{weighingLaps(cycles)}
	b.batch, b.target = operations, 16
	b.startAgain()
	for b.Next() {
	}
	return b.meanOfBuffer()
}

func pausedLaps(cycles bool) float64 {
	b := &Benchmark{weighingLaps(cycles)}
	b.startAgain()
	for b.Next() {
		b.Pause()
		b.Resume()
	}
	return b.meanOfBuffer()
}

func weighingLaps(cycles bool) laps {
	return laps{cycles: cycles, batch: 1, target: lapsPerRound, deadline: math.MaxInt64, before: weight{weighing: true}}
}

func (l *laps) meanOfBuffer() float64 {
	sum := int64(0)
	for _, lap := range l.buffer[:l.n] {
		sum += lap
	}
	return float64(sum) / float64(l.n)
}

// costOf sums up rounds as package clock does: least, median, nine tenths.
func costOf(rounds []float64) clock.Cost {
	slices.Sort(rounds)
	n := len(rounds)
	return clock.Cost{Lo: rounds[0], Typical: rounds[n/2], Hi: rounds[n*9/10]}
}

// between is the weight over a run that was weighed before and after it.
func between(a, b clock.Cost) clock.Cost {
	return clock.Cost{Lo: min(a.Lo, b.Lo), Typical: (a.Typical + b.Typical) / 2, Hi: max(a.Hi, b.Hi)}
}
