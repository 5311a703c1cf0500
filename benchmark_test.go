package tare

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/clock"
)

var (
	clocks = map[string][]StopwatchOption{"any clock": nil, "monotonic": {Monotonic()}}
	sink   uint64
)

// with returns the options of a clock together with others.
func with(options []StopwatchOption, more ...Option) []Option {
	var all []Option
	for _, o := range options {
		all = append(all, o)
	}
	return append(all, more...)
}

// work is a chain of multiplications. Each needs the result of the previous
// one.
func work(n int) {
	x := sink
	for range n {
		x = x*6364136223846793005 + 1442695040888963407
	}
	sink = x
}

func TestBenchmarkCountsLaps(t *testing.T) {
	t.Parallel()
	for name, options := range clocks {
		for _, n := range []int{-1, 0, 1, 2, 255, 256, 257, 600} {
			calls := 0
			b := NewBenchmark(n, with(options, Repeat(1))...)
			for b.Next() {
				calls++
			}
			if b.Next() {
				t.Errorf("%s, %d laps: Next is true after it was false", name, n)
			}
			want := max(0, n)
			if d := b.Distribution(); calls != want || d.N != int64(want) {
				t.Errorf("%s, %d laps: %d calls, %d laps", name, n, calls, d.N)
			}
		}
	}
}

func TestBenchmarkRepeats(t *testing.T) {
	t.Parallel()
	calls := 0
	b := NewBenchmark(300, Repeat(7))
	for b.Next() {
		calls++
	}
	if d := b.Distribution(); calls != 2100 || d.Operations != 7 || d.N != 300 {
		t.Errorf("%d calls in %d laps of %d", calls, d.N, d.Operations)
	}
}

// n laps are n operations, however short these are.
func TestBenchmarkRunsAsOftenAsAsked(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 2, 255, 1000, 3000} {
		calls := 0
		b := NewBenchmark(n)
		for b.Next() {
			calls++
		}
		if d := b.Distribution(); calls != n || d.N != int64(n) || d.Operations != 1 || d.Batched != 0 {
			t.Errorf("NewBenchmark(%d): %d calls, %d laps of %d, %d batched", n, calls, d.N, d.Operations, d.Batched)
		}
	}
}

func TestBenchmarkUntil(t *testing.T) {
	b := NewBenchmark(math.MaxInt, Until(20*time.Millisecond))
	start := time.Now() // before the first lap, which may begin later than it seems
	for b.Next() {
		time.Sleep(time.Millisecond)
	}
	if d := b.Distribution(); d.N < 1 || d.N > 20 {
		t.Errorf("%d laps of a millisecond or more in 20 ms", d.N)
	}
	if took := time.Since(start); took < 19*time.Millisecond {
		t.Errorf("ended after %v", took)
	}
}

func TestBenchmarkPrecision(t *testing.T) {
	b := NewBenchmark(10_000_000, Precision(0.2), Until(10*time.Second))
	for b.Next() {
		work(2000)
	}
	d := b.Distribution()
	if d.N == 10_000_000 {
		t.Errorf("did not end early")
	}
	q := d.corrected.Quantile(0.5)
	if (q.Hi-q.Lo)/2 > 0.25*q.Value {
		t.Errorf("%d laps, median %v (%v to %v)", d.N, q.Value, q.Lo, q.Hi)
	}
}

// A time that is too long for a number of ticks is no limit. A time that is
// over leaves one lap.
func TestBenchmarkUntilTheEndOfTime(t *testing.T) {
	t.Parallel()
	for until, want := range map[time.Duration]int64{math.MaxInt64 - 1: 300, 200 * 365 * 24 * time.Hour: 300, 0: 1, -time.Hour: 1, math.MinInt64: 1} {
		b := NewBenchmark(300, Until(until), Repeat(1))
		for b.Next() {
		}
		if d := b.Distribution(); d.N != want {
			t.Errorf("until %v: %d laps, want %d", until, d.N, want)
		}
	}
}

// A break leaves the complete laps.
func TestBenchmarkLeftEarly(t *testing.T) {
	t.Parallel()
	b := NewBenchmark(1000, Repeat(1))
	calls := 0
	for b.Next() {
		if calls++; calls == 300 {
			break
		}
	}
	if d := b.Distribution(); d.N != 299 {
		t.Errorf("%d laps, want 299", d.N)
	}
}

func TestEmptyBenchmarkSaysSo(t *testing.T) {
	for name, b := range map[string]*Benchmark{"never run": NewBenchmark(5), "no laps": NewBenchmark(0), "negative": NewBenchmark(-5)} {
		b.Next()
		if name == "no laps" && b.Next() {
			t.Error("a benchmark of no laps has one")
		}
		d := b.Distribution()
		if !strings.Contains(d.String(), "no lap was timed") {
			t.Errorf("%s: %q", name, d.String())
		}
		if m := d.Mean(); !math.IsNaN(m.Value) {
			t.Errorf("%s: mean %v", name, m)
		}
		if q := d.Quantile(0.99); !math.IsNaN(q.Value) || q.Needs != 100 {
			t.Errorf("%s: p99 %v, needs %d", name, q, q.Needs)
		}
		if len(b.LapNanos()) != 0 {
			t.Errorf("%s: has laps", name)
		}
	}
}

// Paused work does not count and other work does. Both are proportional to the
// number of pauses.
func TestPauses(t *testing.T) {
	for name, options := range clocks {
		for _, pauses := range []int{1, 3} {
			b := NewBenchmark(12, with(options, Repeat(1))...)
			for b.Next() {
				b.Resume() // nothing is paused
				for range pauses {
					b.Pause()
					b.Pause() // a second call changes nothing
					time.Sleep(2 * time.Millisecond)
					b.Resume()
				}
				spin(200 * time.Microsecond)
			}
			// Use the fastest lap, so that preemption does not matter.
			least := b.Distribution().Corrected().Min()
			if least < 190e3 || least > 1.9e6 {
				t.Errorf("%s, %d pauses: %v ns for 200 µs after %d ms paused", name, pauses, least, 2*pauses)
			}
		}
	}
}

func spin(d time.Duration) {
	for end := clock.Now() + int64(d); clock.Now() < end; {
	}
}

// A lap that ends in a pause is the time before it.
func TestPauseUntilTheEnd(t *testing.T) {
	b := NewBenchmark(12, Repeat(1))
	for b.Next() {
		b.Pause()
		time.Sleep(2 * time.Millisecond)
	}
	if least := b.Distribution().Corrected().Min(); least > 1e6 {
		t.Errorf("%v ns with a pause of 2 ms", least)
	}
}

// Fed with laps of known length, the arithmetic is exact. One lap counts as
// (lap − overhead) / operations, means are never below zero, and raw values
// stay.
func TestCorrection(t *testing.T) {
	feed := func(laps_ ...int64) Distribution {
		l := laps{target: 1000, settings: settings{repeat: 10, keep: 3}}
		l.started, l.finished = true, true
		l.overhead = overhead{timebase: timebase{nanosPerTick: 0.5, resolution: 20}, lap: clock.Cost{Lo: 50, Typical: 60, Hi: 80}, pause: clock.Cost{Lo: 1, Typical: 2.25, Hi: 4}}
		l.useOverhead()
		l.n = copy(l.buffer[:], laps_)
		l.record()
		return l.distribution()
	}
	d := feed(260, 460, 160)
	if d.N != 3 || d.Operations != 10 {
		t.Fatalf("%+v", d)
	}
	mean := d.Mean()
	want := Latency{Value: (260 + 460 + 160 - 3*60) / 3. / 10 / 2, Raw: (260 + 460 + 160) / 3. / 10 / 2}
	want.Lo, want.Hi = want.Value-20./10/2, want.Value+10./10/2
	for _, pair := range [][2]float64{{mean.Value, want.Value}, {mean.Raw, want.Raw}, {mean.Lo, want.Lo}, {mean.Hi, want.Hi}, {d.Resolution, 1}, {d.Overhead.Typical, 3}} {
		if math.Abs(pair[0]-pair[1]) > 1e-12 {
			t.Errorf("mean %+v, want %+v", mean, want)
		}
	}
	if min, max := d.Corrected().Min(), d.Corrected().Max(); min != 5 || max != 20 {
		t.Errorf("corrected %v to %v, want 5 to 20", min, max)
	}
	if min := d.Raw().Min(); min != 8 {
		t.Errorf("raw minimum %v, want 8", min)
	}
	// Single laps below their overhead count as they are, so that the mean is
	// not too high. The result stops at zero.
	if m := feed(40, 100, 40).Mean(); m.Value != 0 {
		t.Errorf("mean of -1, 2, -1: %v, want 0", m.Value)
	}
	if m := feed(40, 100).Mean(); math.Abs(m.Value-0.5) > 1e-12 {
		t.Errorf("mean of -1, 2: %v, want 0.5", m.Value)
	}
	if q := feed(40, 40).Quantile(0.5); q.Value != 0 || q.Lo < 0 {
		t.Errorf("median of -1, -1: %+v, want 0", q)
	}
}

// The cost of pauses is subtracted to a fraction of a tick: whole ticks lap by
// lap, the rest from all laps together. The first pause of a lap has a
// different cost.
func TestCorrectionOfPauses(t *testing.T) {
	l := laps{target: 1000, settings: settings{repeat: 1}}
	l.started, l.finished = true, true
	l.overhead = overhead{timebase: timebase{nanosPerTick: 1, resolution: 1}, lap: clock.Cost{Lo: 50, Typical: 60, Hi: 80}, pause: clock.Cost{Typical: 7.25}, another: clock.Cost{Lo: 1, Typical: 2.25, Hi: 4}}
	l.useOverhead()
	l.buffer[0] = 560
	for i, pauses := range []int64{1, 3, 2} {
		l.pauses, l.away = pauses, 1000
		l.buffer[1+i] = l.withoutPauses(0, 1000+560+8+3*(pauses-1))
	}
	l.n = 4
	l.record()
	d := l.distribution()
	wantRaw := 560 + (3*8+3*3)/4.
	if got := d.Mean(); math.Abs(got.Raw-wantRaw) > 1e-9 || math.Abs(got.Value-(wantRaw-60-(3*7.25+3*2.25)/4)) > 1e-9 {
		t.Errorf("mean %+v, want raw %v", got, wantRaw)
	}
	if lo, hi := d.Overhead.Lo, d.Overhead.Hi; lo != 50+3*1./4 || hi != 80+3*4./4 {
		t.Errorf("overhead %v to %v", lo, hi)
	}
}

// A pause of the lap that the end has cut off does not change the others, even
// if Next is called once more.
func TestPauseOfTheLapCutOff(t *testing.T) {
	t.Parallel()
	for name, options := range clocks {
		b := NewBenchmark(1000, with(options, Repeat(1))...)
		for range 20 {
			b.Next()
		}
		b.Pause()
		before := b.Distribution().Mean()
		b.Next()
		if after := b.Distribution().Mean(); after.Raw != before.Raw {
			t.Errorf("%s: raw mean %v, and %v after one more Next", name, before.Raw, after.Raw)
		}
	}
}

// On a simulated clock each part of a paused lap has a known cost. The result
// is exactly the operation: without setup, overhead, or the work between laps.
// The laps fill the buffer more than twice.
func TestPausedLapsOnASimulatedClock(t *testing.T) {
	const (
		begin, pause, resume, end = 8, 37, 21, 39 // the part of each call in timed intervals
		operation, laps_          = 500, 600
	)
	l := laps{target: 1000, settings: settings{repeat: 1, keep: laps_}, collected: collected{started: true, finished: true}, deadline: math.MaxInt64}
	l.overhead = overhead{timebase: timebase{nanosPerTick: 1, resolution: 1}, lap: clock.Cost{Typical: begin + end}, pause: clock.Cost{Typical: pause + resume}}
	l.useOverhead()
	l.startAgain()
	now := int64(0)
	for i := range int64(laps_) {
		now += 1_000_000 // between laps
		l.last = now
		now += begin + pause
		l.pauses, l.paused, l.since = 1, true, now
		now += 10_000 + i // setup
		if i%3 > 0 {      // otherwise the end of the lap ends the pause
			l.paused, l.away = false, now-l.since
			now += resume + operation + end
		}
		l.now = now
		if !endLap(&l) {
			t.Fatalf("ended after %d laps", i)
		}
	}
	l.record()
	kept := (&Benchmark{l}).LapNanos()
	if len(kept) != laps_ {
		t.Fatalf("%d laps, want %d", len(kept), laps_)
	}
	for i, lap := range kept {
		want := float64(operation)
		if i%3 == 0 {
			want = -resume - end // no operation, and two parts of the overhead are missing
		}
		if lap != want {
			t.Fatalf("lap %d is %v ns, want %v", i, lap, want)
		}
	}
}

// The lap after one with a pause begins with a separate read. The lap after one
// without does not: it has one read.
func TestLapAfterPausesBeginsAnew(t *testing.T) {
	b := NewBenchmark(1000, Repeat(1), Monotonic())
	b.Next()
	anew := 0
	for range 400 {
		b.Pause()
		b.Resume()
		b.Next()
		if b.last > b.now { // a coarse clock may show the same time twice
			anew++
		}
		b.Next()
		if b.n > 0 && b.last != b.now {
			t.Fatal("a lap without a pause reads the clock twice")
		}
	}
	if anew == 0 {
		t.Error("a lap after a pause begins where the one before it ended")
	}
}

func TestLapsAreTheLastOnes(t *testing.T) {
	l := laps{target: 1000, settings: settings{repeat: 1, keep: 4}, collected: collected{started: true, finished: true}}
	l.overhead = overhead{timebase: timebase{nanosPerTick: 1}, lap: clock.Cost{Typical: 5}}
	l.useOverhead()
	for i := range 300 {
		l.buffer[l.n] = int64(i)
		if l.n++; l.n == 7 {
			l.record()
		}
	}
	l.record()
	b := Benchmark{l}
	got := b.LapNanos()
	if len(got) != 4 || got[0] != 291 || got[3] != 294 {
		t.Errorf("laps %v, want 291 to 294", got)
	}
}

// More laps may be kept than there are, or than there is memory for.
func TestKeepMoreThanThereIs(t *testing.T) {
	t.Parallel()
	b := NewBenchmark(5000, Repeat(1), KeepLaps(math.MaxInt), Precision(math.NaN()))
	for b.Next() {
	}
	if n := len(b.LapNanos()); n != 5000 {
		t.Errorf("%d laps", n)
	}
}

func TestFindings(t *testing.T) {
	for _, test := range []struct {
		name string
		lap  int64
		ops  int
		want string
	}{
		{"nothing to see", 20_000, 1, ""},
		{"below the clock's step", 65, 1, "laps-below-resolution"},
		{"a few steps", 560, 1, "coarse-laps"},
		{"many operations in a short lap", 3_000, 100, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := laps{target: 1000, settings: settings{repeat: test.ops}, collected: collected{started: true, finished: true}}
			l.overhead = overhead{timebase: timebase{nanosPerTick: 1, resolution: 10}, lap: clock.Cost{Lo: 60, Typical: 60, Hi: 61}}
			l.useOverhead()
			for l.n < 10 {
				l.buffer[l.n] = test.lap
				l.n++
			}
			l.record()
			ids := ""
			for _, f := range l.distribution().Findings() {
				ids += f.ID
			}
			if ids != test.want {
				t.Errorf("findings %q, want %q", ids, test.want)
			}
		})
	}
}

// A clock is calibrated once in a process: two calibrations would differ in
// some digit.
func TestCalibratedOnce(t *testing.T) {
	for _, options := range [][]Option{nil, {Monotonic()}, {Monotonic(), Unfenced()}} {
		first, second := NewBenchmark(1, options...), NewBenchmark(1, options...)
		if first.overhead != second.overhead {
			t.Errorf("overheads %+v and %+v", first.overhead, second.overhead)
		}
		var monotonic []StopwatchOption
		if len(options) > 0 {
			monotonic = append(monotonic, Monotonic())
		}
		watch, other := NewStopwatch(1, monotonic...), NewStopwatch(1, monotonic...)
		if watch.base != other.base || watch.overhead != other.overhead {
			t.Errorf("overheads of stopwatches %+v and %+v", watch.overhead, other.overhead)
		}
	}
	if fenced, unfenced := calibrated(settings{monotonic: true}), calibrated(settings{monotonic: true, unfenced: true}); fenced == unfenced {
		t.Error("with fences and without them the overhead is the same")
	}
}

// Memory does not grow with the laps, and a lap allocates nothing.
func TestLapsDoNotAllocate(t *testing.T) {
	b := NewBenchmark(math.MaxInt, Repeat(1))
	b.Next()
	if n := testing.AllocsPerRun(10_000, func() { b.Next() }); n != 0 {
		t.Errorf("%v allocations a lap", n)
	}
}

// Distribution ends a benchmark, even one that has not begun.
func TestDistributionEndsTheBenchmark(t *testing.T) {
	b := NewBenchmark(10)
	b.Distribution()
	if b.Next() {
		t.Error("Next is true after Distribution")
	}
}

// Benchmarks of goroutines are merged with all laps that they kept. Laps of
// different sizes and clocks are not comparable.
func TestMerge(t *testing.T) {
	run := func(n int, options ...Option) *Benchmark {
		b := NewBenchmark(n, options...)
		for b.Next() {
		}
		return b
	}
	all := NewBenchmark(0, KeepLaps(100))
	for range 3 {
		if err := all.Merge(run(50, KeepLaps(40))); err != nil {
			t.Fatal(err)
		}
	}
	if d := all.Distribution(); d.N != 150 || len(all.LapNanos()) != 100 {
		t.Errorf("%d laps, %d kept, want 150 and 100", d.N, len(all.LapNanos()))
	}
	if err := all.Merge(run(50, Repeat(2))); err == nil {
		t.Error("merged laps of two operations with laps of one")
	}
	if other := run(50, Monotonic()); other.overhead.cycles != all.overhead.cycles && all.Merge(other) == nil {
		t.Error("merged laps of different clocks")
	}
	if run(50, Monotonic()).Merge(run(50, Monotonic(), Unfenced())) == nil {
		t.Error("merged laps with fences with laps without")
	}
	if d := all.Distribution(); d.N != 150 {
		t.Errorf("%d laps after merges that failed", d.N)
	}
}
