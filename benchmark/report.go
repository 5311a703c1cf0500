//go:build !notare

package benchmark

import (
	"flag"
	"fmt"
	"github.com/tarebench/tare/internal/finding"
	"strings"
	"sync"
	"time"

	"github.com/tarebench/tare"
	"github.com/tarebench/tare/histogram"
)

func (b *B) report() {
	if b.Failed() || b.Skipped() {
		return
	}
	d := b.Distribution()
	if why := b.mistake(d); why != "" {
		b.explain("mistake", "%s", why)
	} else {
		b.reportPercentiles(d)
		b.reportMean(d.Mean())
		if median := d.Quantile(0.50); !b.parallel && d.Batched > 0 && d.Mean().Value < median.Value {
			b.explain("mean-below-median", "ns/op is below p50-ns/op: it is the mean of %d operations in longer laps, in which the CPU begins an operation before the last one has ended. Percentiles are of operations timed one by one", d.Batched)
		}
	}
	for unit, n := range b.reported { // last, so that it overrides, as in package testing
		b.B.ReportMetric(n, unit)
	}
}

// mistake explains why the laps do not cover the benchmark. The figures of
// testing then stay.
func (b *B) mistake(d tare.Distribution) string {
	if d.N == 0 {
		return "no lap was timed: call Lap at the end of every iteration, at least twice"
	}
	if b.parallel {
		return ""
	}
	if b.calls < b.N {
		return fmt.Sprintf("Lap was called %d times in %d iterations, so ns/op is from package testing: call Lap at the end of every iteration", b.calls, b.N)
	}
	// The timer of testing includes all laps, except if someone stopped it
	// directly.
	lapped := d.Raw().Mean() * float64(d.N) * float64(d.Operations)
	if timed := float64(b.Elapsed()); lapped > 1.05*timed+1000 {
		return fmt.Sprintf("the laps add up to %v and the timer ran for %v, so ns/op is from package testing: call StopTimer and StartTimer of the wrapped benchmark, not of the testing.B, or Pause and Resume",
			time.Duration(lapped), b.Elapsed())
	}
	return ""
}

func (b *B) reportPercentiles(d tare.Distribution) {
	suffix := "-ns/op"
	if d.Operations > 1 {
		suffix = fmt.Sprintf("-of-%d-ns/op", d.Operations)
	}
	below := ""
	for _, q := range []float64{0.50, 0.90, 0.99} {
		name := histogram.Quantile{Q: q}.Name()
		l := d.Quantile(q)
		switch {
		case l.Needs > 0:
			b.explain(name, "%s needs %d laps, there are %d", name, l.Needs, d.N)
		case l.Value < d.Resolution:
			below = name
		default:
			b.B.ReportMetric(l.Value, name+suffix)
		}
	}
	if below != "" {
		b.explain("below-resolution", "values up to %s are below the clock's step of %.3g ns and not reported: Repeat(k) gives percentiles of means of k operations", below, d.Resolution)
		return
	}
	for _, f := range d.Findings() {
		if !finding.OverheadUncertain.Is(f) { // at this size the step matters more
			b.explain(f.ID, "%s", f)
		}
	}
}

func (b *B) reportMean(mean tare.Latency) {
	if b.parallel {
		// Goroutines share the time of testing as they share the CPUs.
		raw := float64(b.Elapsed()) / float64(b.N)
		share := 1.0
		if mean.Raw > 0 {
			share = mean.Value / mean.Raw
		}
		mean = tare.Latency{Value: raw * share, Raw: raw}
	}
	b.B.ReportMetric(mean.Value, "ns/op")
	b.B.ReportMetric(mean.Raw, "raw-ns/op")
	if b.bytes > 0 && mean.Value > 0 {
		b.B.ReportMetric(float64(b.bytes)/mean.Value*1e3, "MB/s")
	}
}

// explained contains the logged messages, by the name of the benchmark, so that
// -count=20 logs each once.
var explained sync.Map

// explain logs in the final run only. Earlier runs, in which testing looks for
// the number of iterations, always have too few laps.
func (b *B) explain(id, format string, args ...any) {
	if !b.counts() {
		return
	}
	if _, before := explained.LoadOrStore(b.Name()+" "+id, true); !before {
		b.Logf("tare: "+format, args...)
	}
}

func (b *B) counts() bool {
	f := flag.Lookup("test.benchtime")
	if f == nil {
		return false
	}
	value := f.Value.String()
	if strings.HasSuffix(value, "x") {
		return value == fmt.Sprintf("%dx", b.N)
	}
	d, err := time.ParseDuration(value)
	return err == nil && (b.Elapsed() >= d || b.N >= 1e9)
}
