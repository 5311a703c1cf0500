package clock

import (
	"fmt"
	"math"
	"runtime"
	"slices"

	"github.com/tarebench/tare/internal/ticks"
)

// Cost is a time in nanoseconds that is not a single number: the cost of code
// depends on the code before and after it. Lo is the minimum of many rounds,
// Typical their median, Hi their 90th percentile.
type Cost struct {
	Lo      float64 `json:"lo"`
	Typical float64 `json:"typical"`
	Hi      float64 `json:"hi"`
}

// String is Typical with Lo and Hi: "45.2 ns (41 to 60.3)".
func (c Cost) String() string {
	return fmt.Sprintf("%.3g ns (%.3g to %.3g)", c.Typical, c.Lo, c.Hi)
}

// Calibration is the cost of reading a clock, in nanoseconds.
type Calibration struct {
	// Resolution is the smallest step of the clock that was observed. It is NaN
	// for a clock that did not move.
	Resolution float64 `json:"resolution"`
	// Read is the cost of one read in a series of reads.
	Read Cost `json:"read"`
	// Overhead is the time that two adjacent reads report between them: the
	// overhead of a timed interval with nothing in it.
	Overhead Cost `json:"overhead"`
}

const (
	rounds        = 64
	readsPerRound = 256
	steps         = 20_000
)

// Calibrate measures [Now]. It takes about 3 ms.
func Calibrate() Calibration { return calibrate(nowReads, nowGaps) }

// CalibrateCycles measures [Cycles], and the rate that converted its ticks. It
// takes at least 10 ms. It fails if [CyclesSupported] returns an error.
func CalibrateCycles() (Calibration, Rate, error) {
	if err := CyclesSupported(); err != nil {
		return Calibration{}, Rate{}, err
	}
	const window = 10_000_000 // gives the rate to a few parts in a million
	start := ticks.Pair()
	inTicks := calibrate(cycleReads, cycleGaps)
	for Now()-start.Nanos < window {
		runtime.Gosched()
	}
	rate, err := ticks.Pair().RateSince(start)
	if err != nil {
		return Calibration{}, Rate{}, err
	}
	return inTicks.times(rate.NanosPerTick), Rate(rate), nil
}

func (c Calibration) times(nanos float64) Calibration {
	return Calibration{c.Resolution * nanos, c.Read.times(nanos), c.Overhead.times(nanos)}
}

func (c Cost) times(nanos float64) Cost { return Cost{c.Lo * nanos, c.Typical * nanos, c.Hi * nanos} }

// calibrate measures a clock in its ticks. Each clock passes whole loops,
// because a call through a variable would add to the time.
func calibrate(reads func(n int) int64, gaps func(gap []int64, work int)) Calibration {
	read, pair := make([]float64, rounds), make([]float64, rounds)
	gap := make([]int64, readsPerRound)
	for i := range rounds {
		read[i] = float64(reads(readsPerRound)) / readsPerRound
		gaps(gap, 0)
		sum := int64(0)
		for _, g := range gap {
			sum += g
		}
		pair[i] = float64(sum) / readsPerRound
	}
	gap = make([]int64, 0, steps)
	for work := range steps / readsPerRound {
		gap = gap[:len(gap)+readsPerRound]
		// Use gaps of many lengths. Reads at equal distances would make the
		// distance look like the clock's step.
		gaps(gap[len(gap)-readsPerRound:], work)
	}
	return Calibration{
		Resolution: step(gap),
		Read:       costOf(read),
		Overhead:   costOf(pair),
	}
}

func nowReads(n int) int64 {
	start := Now()
	for range n - 1 {
		Now()
	}
	return Now() - start
}

func cycleReads(n int) int64 {
	start := Cycles()
	for range n - 1 {
		Cycles()
	}
	return Cycles() - start
}

func nowGaps(gap []int64, work int) {
	x := uint64(work)
	for i := range gap {
		start := Now()
		x = chain(x, work)
		gap[i] = Now() - start
	}
	keep(x)
}

func cycleGaps(gap []int64, work int) {
	x := uint64(work)
	for i := range gap {
		start := Cycles()
		x = chain(x, work)
		gap[i] = Cycles() - start
	}
	keep(x)
}

func chain(x uint64, n int) uint64 {
	for range n {
		x = x*6364136223846793005 + 1442695040888963407
	}
	return x
}

//go:noinline
func keep(uint64) {}

func costOf(rounds []float64) Cost {
	slices.Sort(rounds)
	n := len(rounds)
	return Cost{Lo: rounds[0], Typical: rounds[n/2], Hi: rounds[n*9/10]}
}

// step returns the largest step of which the gaps are multiples, in ticks.
//
// A step need not be a whole number of ticks. A counter of 100 MHz shown in
// ticks of 2.445 GHz steps by 24.45. A gap may therefore differ from a multiple
// by one tick. A step is accepted if 98 gaps in 100 fit. Steps below 5 ticks
// cannot be distinguished from noise. The result is then the smallest distance
// between two gaps.
func step(gaps []int64) float64 {
	sorted := make([]float64, 0, len(gaps))
	for _, g := range gaps {
		if g > 0 {
			sorted = append(sorted, float64(g))
		}
	}
	if len(sorted) == 0 {
		return math.NaN()
	}
	slices.Sort(sorted)
	// Each has more than one gap in a thousand, so there are at most a thousand.
	distinct, counts := make([]float64, 0, 1000), make([]float64, 0, 1000)
	for i, n := 0, 0; i < len(sorted); i += n {
		for n = 1; i+n < len(sorted) && sorted[i+n] == sorted[i]; n++ {
		}
		if n > len(sorted)/1000 {
			distinct, counts = append(distinct, sorted[i]), append(counts, float64(n))
		}
	}
	if len(distinct) == 0 {
		return 1
	}
	if len(distinct) == 1 {
		return distinct[0]
	}
	// No step is longer than the shortest gap, nor than the shortest distance
	// between two clusters of gaps.
	longest := distinct[0] + 1
	const finest = 5
	all := 0.0
	for _, n := range counts {
		all += n
	}
	for s := longest; s >= finest; s *= 0.998 {
		fit := 0.0
		for i, g := range distinct {
			// Allow for the tick that is cut off, and for the coarse search of
			// s.
			within := 1.01 + min(g/1000, s/10)
			if off := math.Abs(g - s*math.Round(g/s)); off <= within {
				fit += counts[i]
			}
		}
		if fit*100 >= all*98 {
			return refine(s, distinct, counts)
		}
	}
	least := distinct[1] - distinct[0]
	for i := 2; i < len(distinct); i++ {
		least = min(least, distinct[i]-distinct[i-1])
	}
	return least
}

// refine fits the step to all gaps by least squares through zero.
func refine(s float64, distinct, counts []float64) float64 {
	var gk, kk float64
	for i, g := range distinct {
		k := math.Round(g / s)
		gk += counts[i] * g * k
		kk += counts[i] * k * k
	}
	return gk / kk
}
