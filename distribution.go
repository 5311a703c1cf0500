package tare

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/tarebench/tare/clock"
	"github.com/tarebench/tare/histogram"
	"github.com/tarebench/tare/internal/ticks"
	"github.com/tarebench/tare/internal/unit"
)

// Distribution is the distribution of a number of laps. Times are in
// nanoseconds per operation, without the overhead, and never below zero. The
// zero Distribution has no laps.
type Distribution struct {
	// N is the number of laps, and Operations the number of operations in each
	// lap. If Operations is 1, quantiles are quantiles of single operations.
	N          int64
	Operations int
	// Batched is the number of operations that were timed in laps of many. Mean
	// is the mean of these operations: see [AccurateMean]. Operations that ran
	// while the batch length was being chosen count neither here nor in N.
	Batched int64
	// Resolution is the step of the clock divided by Operations: a single
	// lap cannot distinguish times that are closer.
	Resolution float64
	// Overhead is the cost of timing an operation. Typical was subtracted from
	// each one. The true cost is between Lo and Hi, because a CPU may do part
	// of the timing during the operation.
	Overhead clock.Cost
	// Cycles is true if the laps were read from [clock.Cycles].
	Cycles bool

	corrected, raw histogram.View
	offset, factor float64 // of corrected
	drift          float64
	batched        Latency // mean over batches
}

func (l *laps) distribution() Distribution {
	if l.histogram == nil || l.count == 0 {
		return Distribution{}
	}
	o, count := l.overhead, float64(l.count)
	first, others := float64(l.pausing.laps)/count, float64(l.pausing.pauses-l.pausing.laps)/count
	cost := clock.Cost{
		Lo:      o.lap.Lo + first*o.pause.Lo + others*o.another.Lo,
		Typical: o.lap.Typical + first*o.pause.Typical + others*o.another.Typical,
		// Counting the operations of a lap costs a part of a nanosecond each,
		// mostly during the operation. It is in Hi, and is not subtracted.
		Hi: o.lap.Hi + first*o.pause.Hi + others*o.another.Hi + float64(l.repeat-1)*o.perOperation,
	}
	base := o.between(l.moment, l.end)
	d := base.distribution(l.histogram, l.repeat, cost, float64(l.pausing.ticks)/count)
	if l.batches.operations > l.count {
		d.Batched = l.batches.operations
		d.batched = l.batches.mean(o, base.nanosPerTick)
	}
	return d
}

// between returns the timebase with the rate of the cycle clock between two
// moments.
func (t timebase) between(from, to ticks.Pairing) timebase {
	if !t.cycles {
		return t
	}
	const leastWindow = 10_000_000 // over less time, the rate from calibration is more accurate
	rate, err := to.RateSince(from)
	if err != nil || rate.Window < leastWindow {
		return t
	}
	t.drift = math.Abs(t.nanosPerTick/rate.NanosPerTick - 1)
	t.nanosPerTick = rate.NanosPerTick
	return t
}

// distribution returns the distribution of the laps in h. Cost is the overhead
// of a lap. Subtracted is the part of it that was subtracted before the lap was
// recorded.
func (t timebase) distribution(h *histogram.Histogram, operations int, cost clock.Cost, subtracted float64) Distribution {
	if h.Count() == 0 {
		return Distribution{}
	}
	factor := t.nanosPerTick / float64(operations)
	offset := cost.Typical - subtracted
	return Distribution{
		N:          h.Count(),
		Operations: operations,
		Resolution: t.resolution * factor,
		Overhead:   clock.Cost{Lo: factor * cost.Lo, Typical: factor * cost.Typical, Hi: factor * cost.Hi},
		Cycles:     t.cycles,
		corrected:  h.View(offset, factor).NonNegative(),
		offset:     offset,
		factor:     factor,
		raw:        h.View(-subtracted, factor),
		drift:      t.drift,
	}
}

// mean is the mean of the operations in batches.
func (b batches) mean(o overhead, nanosPerTick float64) Latency {
	raw := float64(b.ticks) / float64(b.operations)
	laps := float64(b.laps) / float64(b.operations)
	counting := (1 - laps) * o.perOperation
	return Latency{
		Value: nanosPerTick * max(0, raw-laps*o.lap.Typical),
		Lo:    nanosPerTick * max(0, raw-laps*o.lap.Hi-counting),
		Hi:    nanosPerTick * (raw - laps*o.lap.Lo),
		Raw:   nanosPerTick * raw,
	}
}

// Latency is a time in nanoseconds per operation.
type Latency struct {
	// Value is corrected: Raw less the typical overhead.
	Value float64
	// Lo and Hi bound Value. They include chance (if it is known), the interval
	// of the overhead, and for a quantile the step of the clock. An unknown end
	// is NaN.
	Lo, Hi float64
	// Raw is Value as the clock showed it, with the overhead.
	Raw float64
	// Needs is 0 if there are enough laps for the answer. Otherwise Value, Lo,
	// Hi and Raw are NaN, and Needs is the number of laps that would be enough.
	Needs int64
}

// Duration is Value in whole nanoseconds. If Value is NaN, it is the longest
// Duration, so that an unknown latency never passes a limit.
func (l Latency) Duration() time.Duration {
	if math.IsNaN(l.Value) {
		return math.MaxInt64
	}
	return time.Duration(math.Round(l.Value))
}

// String is Value with its interval, in a unit that suits it: "10.81 µs (10.48 to
// 23.17)". Of an unknown latency it is the number of laps that would be enough.
func (l Latency) String() string {
	switch {
	case l.Needs > 0:
		return fmt.Sprintf("needs %d laps", l.Needs)
	case math.IsNaN(l.Value):
		return "unknown"
	}
	scale := unit.Scaling("sec/op", l.Value/1e9)
	shown := func(ns float64) string {
		if math.IsNaN(ns) {
			return "?"
		}
		return scale.Format(ns / 1e9)
	}
	text := shown(l.Value) + " " + scale.Symbol
	if l.Lo == l.Hi {
		return text
	}
	return text + " (" + shown(l.Lo) + " to " + shown(l.Hi) + ")"
}

// Mean is the mean of all laps, or of the batches if Batched is not zero. It is
// NaN without laps. Lo and Hi cover only the clock's overhead, not sampling
// error.
func (d Distribution) Mean() Latency {
	if d.N == 0 {
		return unknown()
	}
	if d.Batched > 0 {
		return d.batched
	}
	mean := d.corrected.Mean()
	return d.latency(mean, mean, mean, d.raw.Mean())
}

// Quantile is the time that a share q of all laps does not exceed. If there are
// too few laps, Value is NaN and Needs is the number that would be enough: see
// [histogram.Histogram.Quantile].
func (d Distribution) Quantile(q float64) Latency {
	a := d.corrected.Quantile(q)
	if a.Needs > 0 {
		l := unknown()
		l.Needs = a.Needs
		return l
	}
	// A lap is known to one step of the clock.
	return d.latency(a.Value, a.Lo-d.Resolution, a.Hi+d.Resolution, d.raw.Quantile(q).Value)
}

func unknown() Latency {
	nan := math.NaN()
	return Latency{Value: nan, Lo: nan, Hi: nan, Raw: nan}
}

func (d Distribution) latency(value, lo, hi, raw float64) Latency {
	return Latency{
		Value: value,
		Lo:    max(0, lo-(d.Overhead.Hi-d.Overhead.Typical)),
		Hi:    hi + (d.Overhead.Typical - d.Overhead.Lo),
		Raw:   raw,
	}
}

// Corrected is the distribution without the overhead, for drawing.
func (d Distribution) Corrected() histogram.View { return d.corrected }

// Raw is the distribution as the clock showed it.
func (d Distribution) Raw() histogram.View { return d.raw }

// WriteText writes a line that describes the measurement, then the
// distribution, then the findings.
func (d Distribution) WriteText(w io.Writer, o histogram.TextOptions) error {
	var b strings.Builder
	if d.N > 0 {
		o.Step = max(o.Step, d.Resolution)
		timed := "each operation timed"
		if d.Operations != 1 {
			timed = fmt.Sprintf("laps of %d operations", d.Operations)
		}
		if d.Batched > 0 {
			timed += fmt.Sprintf(", mean %.4g ns from %d operations in longer laps", d.batched.Value, d.Batched)
		}
		fmt.Fprintf(&b, "%s, %.3g ns of overhead (%.3g to %.3g) subtracted from each operation, the clock steps by %.2g ns\n",
			timed, d.Overhead.Typical, d.Overhead.Lo, d.Overhead.Hi, d.Resolution)
		if err := d.corrected.WriteText(&b, o); err != nil {
			return err
		}
	}
	for _, f := range d.Findings() {
		fmt.Fprintln(&b, f)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// String draws with the default options.
func (d Distribution) String() string {
	var b strings.Builder
	_ = d.WriteText(&b, histogram.TextOptions{}) // a Builder does not fail
	return b.String()
}
