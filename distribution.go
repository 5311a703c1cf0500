package tare

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/tarebench/tare/clock"
	"github.com/tarebench/tare/finding"
	"github.com/tarebench/tare/histogram"
)

// Distribution is what laps come to. Times are in nanoseconds per operation,
// the overhead taken off, and never below zero. The zero Distribution has no
// laps.
type Distribution struct {
	// Laps is the number of laps, Operations that of operations in each.
	Laps       int64
	Operations int
	// Resolution is the step of the clock divided by Operations: a single
	// lap cannot tell times apart that are closer.
	Resolution float64
	// Overhead is what was taken off each operation: Typical. What the
	// operation was really charged lies between Lo and Hi, because a
	// processor may do part of it beside the operation.
	Overhead clock.Cost
	// Cycles is true when the laps were read from [clock.Cycles].
	Cycles bool

	corrected, raw histogram.View
	drift          float64
}

func (l *laps) distribution() Distribution {
	if l.histogram == nil || l.count == 0 {
		return Distribution{}
	}
	return l.distributionOf(l.histogram, l.count)
}

func (l *laps) distributionOf(h *histogram.Histogram, count int64) Distribution {
	factor := l.before.nanosPerTick
	drift := 0.0
	if rate, err := l.after.moment.RateSince(l.before.moment); l.before.cycles && err == nil {
		factor = rate.NanosPerTick
		drift = math.Abs(l.before.nanosPerTick/factor - 1)
	}
	factor /= float64(l.batch)
	lap, pause, another := between(l.before.lap, l.after.lap), between(l.before.pause, l.after.pause), between(l.before.another, l.after.another)
	first, others := float64(l.taken.laps)/float64(count), float64(l.taken.pauses-l.taken.laps)/float64(count)
	takenOff := float64(l.taken.ticks) / float64(count)
	// Counting the operations of a lap costs a part of a nanosecond each,
	// most of it beside the operation: it is in Hi, and not taken off.
	counting := float64(l.batch-1) * l.before.perOperation
	overhead := clock.Cost{
		Lo:      factor * (lap.Lo + first*pause.Lo + others*another.Lo),
		Typical: factor * (lap.Typical + first*pause.Typical + others*another.Typical),
		Hi:      factor * (lap.Hi + first*pause.Hi + others*another.Hi + counting),
	}
	corrected := h.View(overhead.Typical/factor-takenOff, factor)
	corrected.NonNegative = true
	return Distribution{
		Laps:       count,
		Operations: l.batch,
		Resolution: l.before.resolution * factor,
		Overhead:   overhead,
		Cycles:     l.before.cycles,
		corrected:  corrected,
		raw:        h.View(-takenOff, factor),
		drift:      drift,
	}
}

// kept converts the ring, oldest lap first.
func (l *laps) kept() []float64 {
	d := l.distribution()
	all := make([]float64, 0, len(l.ring))
	for i := range l.ring {
		lap := l.ring[(int(l.oldest)+i)%len(l.ring)]
		all = append(all, (float64(lap)-d.corrected.Offset)*d.corrected.Factor)
	}
	return all
}

// Time is an answer in nanoseconds per operation.
type Time struct {
	// Value is corrected: Raw less the typical overhead.
	Value float64
	// Lo and Hi bound it: chance, where that is known, and the interval of
	// the overhead. NaN is an end that is not known.
	Lo, Hi float64
	// Raw is what the clock said.
	Raw float64
}

// Mean is the mean over all laps, NaN without any. It has no bounds for
// chance: latencies have tails, and the bounds of a mean would hide them.
func (d Distribution) Mean() Time {
	if d.Laps == 0 {
		nan := math.NaN()
		return Time{nan, nan, nan, nan}
	}
	mean := d.corrected.Mean()
	return d.time(mean, mean, mean, d.raw.Mean())
}

// Quantile is the time that a share q of all laps does not exceed. Where there
// are too few laps to say, Value is NaN and needs is how many it takes: see
// [histogram.Quantile].
func (d Distribution) Quantile(q float64) (t Time, needs int64) {
	if d.Laps == 0 {
		return d.Mean(), histogram.New().Quantile(q).Needs
	}
	a := d.corrected.Quantile(q)
	return d.time(a.Value, a.Lo, a.Hi, d.raw.Quantile(q).Value), a.Needs
}

func (d Distribution) time(value, lo, hi, raw float64) Time {
	return Time{
		Value: value,
		Lo:    max(0, lo-(d.Overhead.Hi-d.Overhead.Typical)),
		Hi:    hi + (d.Overhead.Typical - d.Overhead.Lo),
		Raw:   raw,
	}
}

// Corrected is the distribution without the overhead, for drawing.
func (d Distribution) Corrected() histogram.View { return d.corrected }

// Raw is the distribution as the clock gave it.
func (d Distribution) Raw() histogram.View { return d.raw }

// Findings says what the numbers cannot show.
func (d Distribution) Findings() []finding.Finding {
	if d.Laps == 0 {
		return []finding.Finding{{ID: "no-laps", Severity: finding.Severe,
			Message: "no lap was timed", Action: "let Next return true at least once"}}
	}
	var all []finding.Finding
	median := d.corrected.Quantile(0.5).Value
	if d.Laps == 1 {
		median = d.corrected.Mean()
	}
	switch {
	case median < d.Resolution:
		all = append(all, finding.Finding{ID: "below-resolution", Severity: finding.Warning,
			Message: fmt.Sprintf("half of the laps take less than %.3g ns per operation, which this clock cannot tell from nothing", d.Resolution),
			Action:  "put more operations into a lap, and make sure that the compiler did not delete them"})
	case median < leastSteps*d.Resolution && d.Operations == 1:
		all = append(all, finding.Finding{ID: "coarse-laps", Severity: finding.Info,
			Message: fmt.Sprintf("a lap of about %.3g ns is read as a multiple of the clock's step of %.3g ns, and quantiles with it", median, d.Resolution),
			Action:  "put several operations into a lap where single ones do not matter"})
	}
	if width := d.Overhead.Hi - d.Overhead.Lo; median >= d.Resolution && width > 0.05*median {
		all = append(all, finding.Finding{ID: "uncertain-overhead", Severity: finding.Info,
			Message: fmt.Sprintf("the overhead is known to %.3g ns, more than a twentieth of the median of %.3g ns", width, median),
			Action:  "put more operations into a lap, or measure on a quieter machine"})
	}
	if d.drift > 1e-3 {
		all = append(all, finding.Finding{ID: "unsteady-cycle-clock", Severity: finding.Severe,
			Message: fmt.Sprintf("the rate of the cycle clock changed by %.2g %% during the laps", 100*d.drift),
			Action:  "use the option Monotonic"})
	}
	return all
}

// WriteText draws the distribution under a line that says how it was measured,
// and above the findings.
func (d Distribution) WriteText(w io.Writer, o histogram.TextOptions) error {
	var b strings.Builder
	if d.Laps > 0 {
		o.Step = max(o.Step, d.Resolution)
		fmt.Fprintf(&b, "%s; %.3g ns of overhead (%.3g to %.3g) taken off each operation; the clock tells %.2g ns apart\n",
			operations(d.Operations), d.Overhead.Typical, d.Overhead.Lo, d.Overhead.Hi, d.Resolution)
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

func operations(n int) string {
	if n == 1 {
		return "each operation timed"
	}
	return fmt.Sprintf("laps of %d operations", n)
}

// String draws with the default options.
func (d Distribution) String() string {
	var b strings.Builder
	_ = d.WriteText(&b, histogram.TextOptions{}) // a Builder does not fail
	return b.String()
}
