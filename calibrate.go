package tare

import (
	"math"
	"slices"
	"sync"

	"github.com/tarebench/tare/clock"
)

type timebase struct {
	cycles       bool
	nanosPerTick float64
	resolution   float64 // ticks
	drift        float64 // share by which nanosPerTick differs from calibration
}

type overhead struct {
	timebase
	unfenced     bool
	lap          clock.Cost // an empty lap
	pause        clock.Cost // the first pause in a lap, without the work in it
	another      clock.Cost // each later pause
	perOperation float64    // at most: one more operation in a lap, empty
}

const (
	calibrationRounds = 64
	lapsPerRound      = 128
)

// The results of calibration, once in a process. They are not package-level
// sync.OnceValue: the linker keeps everything that a variable's initial value
// refers to. A program with only a stopwatch would then contain the laps of a
// benchmark too.
var (
	cyclesBase, nowBase struct {
		once sync.Once
		timebase
		read float64 // ns
	}
	cyclesLaps, nowLaps, unfencedLaps struct {
		once sync.Once
		overhead
	}
)

// baseOf picks the clock. It is the cycle clock if there is one, except if a
// hypervisor traps it, which makes it more expensive than the system's clock.
func baseOf(monotonic bool) timebase {
	n := &nowBase
	n.once.Do(func() {
		calibration := clock.Calibrate()
		n.timebase = timebase{nanosPerTick: 1, resolution: calibration.Resolution}
		n.read = calibration.Read.Lo
	})
	if monotonic {
		return n.timebase
	}
	c := &cyclesBase
	c.once.Do(func() {
		c.timebase = n.timebase
		calibration, rate, err := clock.CalibrateCycles()
		if err == nil && calibration.Read.Lo < 1.25*n.read {
			c.timebase = timebase{cycles: true, nanosPerTick: rate.NanosPerTick,
				resolution: calibration.Resolution / rate.NanosPerTick}
		}
	})
	return c.timebase
}

func calibrated(s settings) overhead {
	base := baseOf(s.monotonic)
	c := &nowLaps
	switch {
	case base.cycles:
		c = &cyclesLaps
	case s.unfenced:
		c = &unfencedLaps
	}
	c.once.Do(func() {
		c.timebase, c.unfenced = base, s.unfenced && !base.cycles
		c.measureLaps()
	})
	return c.overhead
}

// measureLaps times laps with the code that times all laps: without a pause,
// with one, and with two. A lap with pauses ends and begins in separate code,
// and the cost of that code is in the first pause alone.
func (o *overhead) measureLaps() {
	scratch := new(Benchmark)
	cost := overheadsInTurns(
		func(rulers int) float64 { return o.time(scratch, rulers, 0) },
		func(rulers int) float64 { return o.time(scratch, rulers, 1) },
		func(rulers int) float64 { return o.time(scratch, rulers, 2) })
	o.lap = cost[0]
	o.pause, o.another = beyond(cost[1], cost[0].Typical), beyond(cost[2], cost[1].Typical)

	const operations = 1000
	many := make([]float64, calibrationRounds/4)
	for i := range many {
		many[i] = o.emptyBatches(operations)
	}
	o.perOperation = max(0, costOf(many).Typical-o.lap.Typical) / (operations - 1)
}

// beyond is the part of c above less.
func beyond(c clock.Cost, less float64) clock.Cost {
	return clock.Cost{Lo: max(0, c.Lo-less), Typical: max(0, c.Typical-less), Hi: max(0, c.Hi-less)}
}

// overheadsInTurns measures the overhead of timing, given functions that return
// the mean time of a number of rulers. The functions alternate, so that a
// change of the CPU's speed affects all of them.
//
// An empty interval is the most that timing can cost. Around a real operation
// timing costs less, because the CPU does some of that work during the
// operation unless a fence prevents it. The rest is the point at which the
// straight line through intervals of one to seven rulers meets zero. That is
// Typical. Lo is below it by the largest distance of a point from the line. Hi
// includes the empty interval.
func overheadsInTurns(times ...func(rulers int) float64) []clock.Cost {
	lengths := [...]float64{0, 1, 2, 3, 5, 7}
	rounds := make([]float64, len(times)*len(lengths)*calibrationRounds)
	of := func(t, i int) []float64 { return rounds[(t*len(lengths)+i)*calibrationRounds:][:calibrationRounds] }
	for round := range calibrationRounds {
		for t, time := range times {
			for i, n := range lengths {
				of(t, i)[round] = time(int(n))
			}
		}
	}
	costs := make([]clock.Cost, len(times))
	for t := range costs {
		var typical [len(lengths)]float64
		most := costOf(of(t, 0))
		for i := 1; i < len(lengths); i++ {
			typical[i] = costOf(of(t, i)).Typical
		}
		at0, miss := extend(lengths[1:], typical[1:])
		at0 = min(at0, most.Typical)
		costs[t] = clock.Cost{Lo: at0 - miss, Typical: at0, Hi: max(most.Hi, at0+miss)}
	}
	return costs
}

// extend returns the value at x = 0 of the least-squares line through the
// points, and the distance of the farthest point from the line.
func extend(x, y []float64) (at0, miss float64) {
	var n, sx, sy, sxx, sxy float64
	for i := range x {
		n, sx, sy, sxx, sxy = n+1, sx+x[i], sy+y[i], sxx+x[i]*x[i], sxy+x[i]*y[i]
	}
	slope := (n*sxy - sx*sy) / (n*sxx - sx*sx)
	at0 = (sy - slope*sx) / n
	for i := range x {
		miss = max(miss, math.Abs(y[i]-at0-slope*x[i]))
	}
	return at0, miss
}

// time returns the mean lap of a number of rulers, or of laps with pauses, each
// with that many rulers after it.
func (o *overhead) time(b *Benchmark, rulers, pauses int) float64 {
	b.laps = o.calibrationLaps()
	b.target /= int64(max(1, pauses)) // pauses make calibration take longer
	x := uint64(1)
	b.startAgain()
	for b.Next() {
		for left := pauses; ; left-- {
			if left > 0 {
				b.Pause()
				for range 16 { // a pause surrounds some work, and costs more after it
					x = ruler(x)
				}
				b.Resume()
			}
			for range rulers {
				x = ruler(x)
			}
			if left <= 1 {
				break
			}
		}
	}
	Keep(x)
	return b.meanOfBuffer()
}

// ruler takes the time of 8 shifts and multiplications. Each needs the result
// of the previous one, so the CPU cannot overlap them. It is inlined, because a
// call would count as overhead of the lap.
func ruler(x uint64) uint64 {
	const a = 6364136223846793005
	x = (x ^ x>>32) * a
	x = (x ^ x>>32) * a
	x = (x ^ x>>32) * a
	x = (x ^ x>>32) * a
	x = (x ^ x>>32) * a
	x = (x ^ x>>32) * a
	x = (x ^ x>>32) * a
	return (x ^ x>>32) * a
}

func (o *overhead) emptyBatches(operations int) float64 {
	b := &Benchmark{o.calibrationLaps()}
	b.repeat, b.target = operations, 16
	b.startAgain()
	for b.Next() {
	}
	return b.meanOfBuffer()
}

func (o *overhead) calibrationLaps() laps {
	return laps{cycles: o.cycles, unfenced: o.unfenced, settings: settings{repeat: 1}, target: lapsPerRound, deadline: math.MaxInt64, calibrating: true}
}

func (l *laps) meanOfBuffer() float64 {
	laps := l.buffer[l.n/8 : l.n] // the CPU mispredicts the first ones
	sum := int64(0)
	for _, lap := range laps {
		sum += lap
	}
	return float64(sum) / float64(len(laps))
}

func costOf(rounds []float64) clock.Cost {
	slices.Sort(rounds)
	n := len(rounds)
	return clock.Cost{Lo: rounds[0], Typical: rounds[n/2], Hi: rounds[n*9/10]}
}
