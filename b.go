//go:build !notare

package tare

import (
	"flag"
	"strings"
	"sync"
	"testing"

	"github.com/tarebench/tare/histogram"
)

// B is a [testing.B] that times laps. It embeds the benchmark it was made
// from, so that its Loop is that of package testing, which the compiler knows
// and keeps the results of.
//
// When the benchmark ends, its result line carries p50-ns/op, p90-ns/op and
// p99-ns/op as far as there are laps for them, ns/op with the overhead taken
// off, and raw-ns/op without. The build tag notare makes it plain testing.
type B struct {
	*testing.B
	laps
	parallel bool
	mu       sync.Mutex // guards what parallel laps are added to
	kept     map[string]float64
	bytes    int64
}

// NewB wraps b. Call it before the loop, at the start of the benchmark
// function: it weighs the empty lap with b's timer stopped. Nothing needs to
// be called at the end. Of the options, Repeat and Monotonic have a meaning
// here: how often the operation runs is for testing to decide.
func NewB(b *testing.B, options ...Option) *B {
	running := timerRuns(b)
	if running {
		b.StopTimer()
	}
	t := &B{B: b, laps: laps{target: 1<<63 - 1, until: 1<<63 - 1}}
	for _, o := range options {
		o(&t.laps)
	}
	t.until, t.precision = 1<<63-1, 0
	t.prepare()
	b.Cleanup(t.report)
	if running {
		b.StartTimer()
	}
	return t
}

// timerRuns finds out whether b's timer is running, which b does not say.
func timerRuns(b *testing.B) bool {
	start := b.Elapsed()
	for range 1000 { // far longer than the step of any clock
		if b.Elapsed() != start {
			return true
		}
	}
	return false
}

// Lap ends a lap and begins the next one: call it as the last thing in every
// round of a b.N or Loop loop. The first call only begins, so that the first
// operation, and what the loop did to start, is no lap.
func (b *B) Lap() {
	if b.left > 0 {
		b.left--
		return
	}
	if b.limit == 0 {
		b.startAgain()
		return
	}
	next(&b.laps)
}

// Pause stops the time of the lap for what does not belong to it, until
// [B.Resume]. Unlike StopTimer it does not stop the world, what it costs is
// taken off, and the time of testing, which decides how often the benchmark
// runs, goes on: a benchmark with long pauses ends when it should.
func (b *B) Pause() { b.pause() }

// Resume goes on after [B.Pause].
func (b *B) Resume() { b.resume() }

// SetBytes is that of package testing, for the corrected time.
func (b *B) SetBytes(n int64) {
	b.bytes = n
	b.B.SetBytes(n)
}

// ReportMetric is that of package testing, and may be called before Loop too,
// which forgets what was reported before it. Like there it overrides the same
// unit of B's own.
func (b *B) ReportMetric(n float64, unit string) {
	if b.kept == nil {
		b.kept = map[string]float64{}
	}
	b.kept[unit] = n
	b.B.ReportMetric(n, unit)
}

// PB is a [testing.PB] that times the laps of its goroutine.
type PB struct {
	*testing.PB
	laps
	all *B
}

// RunParallel runs body in several goroutines, as package testing does, with
// a PB that times every operation of each.
func (b *B) RunParallel(body func(*PB)) {
	b.parallel = true
	agreed := new(agreement)
	b.B.RunParallel(func(pb *testing.PB) {
		p := &PB{PB: pb, all: b, laps: laps{target: 1<<63 - 1, until: 1<<63 - 1, repeat: b.repeat, agreed: agreed,
			before: b.before, after: b.before, cycles: b.cycles, started: true}}
		p.useWeight()
		body(p)
		p.end()
	})
	if b.repeat == 0 {
		b.batch = max(1, int(agreed.size.Load()))
	}
}

// Next ends an operation and begins the next one, as long as there is one.
func (p *PB) Next() bool {
	if p.left > 0 {
		p.left--
	} else if p.limit == 0 {
		p.startAgain()
		p.left++ // this call begins an operation, and ends none
	} else {
		next(&p.laps)
	}
	return p.PB.Next()
}

// end adds the laps of this goroutine to those of all.
func (p *PB) end() {
	// Laps of another size than the others agreed on are not comparable.
	if size := p.agreed.size.Load(); p.probing && (size > 0 && size != int64(p.batch) || size == 0 && !p.agreed.size.CompareAndSwap(0, int64(p.batch))) {
		return
	}
	p.record()
	p.all.mu.Lock()
	defer p.all.mu.Unlock()
	_ = p.all.histogram.Merge(p.histogram) // of one size: cannot fail
	p.all.count += p.count
	p.all.taken.laps += p.taken.laps
	p.all.taken.pauses += p.taken.pauses
	p.all.taken.ticks += p.taken.ticks
}

// Distribution answers for the laps so far, and ends them: call it after the
// loop.
func (b *B) Distribution() Distribution {
	b.finish()
	return b.distribution()
}

// report runs when the benchmark function has returned and the timer stands.
func (b *B) report() {
	if b.Failed() || b.Skipped() {
		return
	}
	b.reportTimes(b.Distribution())
	for unit, n := range b.kept { // last, so that it overrides, as in package testing
		b.B.ReportMetric(n, unit)
	}
}

func (b *B) reportTimes(d Distribution) {
	if d.Laps == 0 {
		b.explain("no lap was timed: call Lap at the end of every round, at least twice")
		return
	}
	for _, q := range []float64{0.50, 0.90, 0.99} {
		name := histogram.Quantile{Q: q}.Name()
		t, needs := d.Quantile(q)
		if needs > 0 {
			b.explain("%s needs %d laps, there are %d", name, needs, d.Laps)
			continue
		}
		b.B.ReportMetric(t.Value, name+"-ns/op")
	}
	mean := d.Mean()
	if b.parallel {
		// Goroutines share the time of testing as they share the processors.
		raw := float64(b.Elapsed()) / float64(b.N)
		share := 1.0
		if mean.Raw > 0 {
			share = mean.Value / mean.Raw
		}
		mean = Time{Value: raw * share, Raw: raw}
	}
	b.B.ReportMetric(mean.Value, "ns/op")
	b.B.ReportMetric(mean.Raw, "raw-ns/op")
	if b.bytes > 0 && mean.Value > 0 {
		b.B.ReportMetric(float64(b.bytes)/mean.Value*1e3, "MB/s")
	}
}

// explain logs in the run that counts. In the runs before it, in which
// testing looks for the number of iterations, there are always too few laps.
func (b *B) explain(format string, args ...any) {
	if f := flag.Lookup("test.benchtime"); f != nil && strings.HasSuffix(f.Value.String(), "x") && b.N > 1 {
		b.Logf("tare: "+format, args...)
	}
}
