package study

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// TestSliceLength: a slice takes 100 µs or an operation, or as long as it must so
// that an operation takes what it takes in longer slices. What is not timed is
// bounded too.
func TestSliceLength(t *testing.T) {
	const us, ms = time.Microsecond, time.Millisecond
	for _, c := range []struct {
		name        string
		fake        fake
		least, most time.Duration // of the operations in a slice of the first side
		rounds      int           // at least
		whole       bool          // if no slice measures what a long run does
	}{
		{"3 ns", fake{perOp: []time.Duration{3, 3}}, 90 * us, 110 * us, lockstepMost, false},
		{"80 µs", fake{perOp: []time.Duration{80 * us, 80 * us}}, 80 * us, 80 * us, lockstepMost, false},
		{"60 µs", fake{perOp: []time.Duration{60 * us, 60 * us}}, 120 * us, 120 * us, lockstepMost, false},
		{"3 ms", fake{perOp: []time.Duration{3 * ms, 3 * ms}}, 3 * ms, 3 * ms, 30, false},
		{"1 s", fake{perOp: []time.Duration{time.Second, time.Second}}, time.Second, time.Second, 1, false},
		{"1 µs and 400 µs of timed setup", fake{perOp: []time.Duration{us, us}, timedSetup: 400 * us}, 10 * ms, 50 * ms, 2, false},
		{"80 µs and 430 µs of timed setup", fake{perOp: []time.Duration{80 * us, 80 * us}, timedSetup: 430 * us}, 10 * ms, 50 * ms, 2, false},
		{"3 ns and 200 µs of timed setup", fake{perOp: []time.Duration{3, 3}, timedSetup: 200 * us}, 5 * ms, 20 * ms, 4, false},
		{"1 µs and 20 µs of timed setup", fake{perOp: []time.Duration{us, us}, timedSetup: 20 * us}, 500 * us, 3 * ms, 30, false},
		{"2 ms and 10 ms of timed setup", fake{perOp: []time.Duration{2 * ms, 2 * ms}, timedSetup: 10 * ms}, 8 * ms, 60 * ms, 2, false},
		{"no loop", fake{perOp: []time.Duration{0, 0}, timedSetup: 300 * us}, 0, 0, 1, false},
		{"the timer is reset in every iteration", fake{perOp: []time.Duration{0, 0}, timedSetup: 50, untimed: 2 * us}, 0, 0, 1, true},
		{"1 µs and 10 ms of setup", fake{perOp: []time.Duration{us, us}, setup: 10 * ms}, 8 * ms, 12 * ms, 8, false},
		{"a pause of 2 µs for each 100 ns", fake{perOp: []time.Duration{100, 100}, untimed: 2 * us}, 15 * us, 25 * us, lockstepMost, false},
		{"3 ns against 300 ns", fake{perOp: []time.Duration{3, 300}}, 90 * us, 110 * us, 10, false},
		{"2 µs against 1 ms", fake{perOp: []time.Duration{2 * us, ms}}, 90 * us, 110 * us, 1, false},
		{"100 ns against 1 s", fake{perOp: []time.Duration{100, time.Second}}, 100, 100, 1, false},
		{"1 µs against 20 µs and 400 µs of timed setup", fake{perOp: []time.Duration{us, 20 * us}, timedSetup: 400 * us}, ms, 4 * ms, 2, true},
		{"80 µs and 430 µs of timed setup on a busy machine", fake{perOp: []time.Duration{80 * us, 80 * us}, timedSetup: 430 * us, busy: 8}, 5 * ms, 50 * ms, 2, false},
		{"caches that take 1 ms to fill", fake{perOp: []time.Duration{us, us}, fill: ms}, 15 * ms, 50 * ms, 2, false},
	} {
		c.fake.names = []string{"X"}
		rec, err := c.fake.study(t, func(o *Options) { o.Watcher = after(1) })
		if err != nil {
			t.Fatal(err)
		}
		p := rec.Benchmarks[0].Pilot
		if timed := time.Duration(p.Iterations) * c.fake.perOp[0]; timed < c.least || timed > c.most {
			t.Errorf("%s: %d iterations take %v, want %v to %v", c.name, p.Iterations, timed, c.least, c.most)
		}
		if p.Rounds < c.rounds {
			t.Errorf("%s: %d rounds, want at least %d", c.name, p.Rounds, c.rounds)
		}
		if slower := max(c.fake.perOp[0], c.fake.perOp[1]); seconds(p.IterationSeconds) < slower {
			t.Errorf("%s: an iteration takes %v, and %v on one side", c.name, seconds(p.IterationSeconds), slower)
		}
		if c.fake.longest > 2*time.Second {
			t.Errorf("%s: the longest slice took %v", c.name, c.fake.longest)
		}
		if p.Whole != c.whole || len(rec.Findings) > 0 != c.whole {
			t.Errorf("%s: whole calls %t, findings %v", c.name, p.Whole, rec.Findings)
		}
	}
}

// TestWarmUp: where slices cannot become long enough for caches that a slower side
// leaves cold, a warm-up fills them.
func TestWarmUp(t *testing.T) {
	f := &fake{names: []string{"X"}, perOp: []time.Duration{8 * time.Microsecond, 150 * time.Microsecond}, fill: 300 * time.Microsecond}
	rec, err := f.study(t, func(o *Options) { o.Watcher = after(1) })
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range rec.Benchmarks[0].Blocks[0].Timed() {
		if s := r.Slices[0]; s.Seconds() > 8.2e-6 {
			t.Errorf("round %d: an operation of %d takes %g s, want 8 µs", i, s.N, s.Seconds())
		}
	}
}

// TestWarmUpsAreFair: only the last rounds decide who runs untimed. A side that was
// slow once, by chance, must not run without its caches from then on.
func TestWarmUpsAreFair(t *testing.T) {
	l := &workerSet{r: &runner{}, b: &bench{}, more: make([]float64, 2)}
	batch := func(old, new float64) []result.Round {
		return []result.Round{{Slices: []result.Slice{{N: 10, Raw: 10 * old}, {N: 10, Raw: 10 * new}}}}
	}
	for _, c := range []struct{ old, new, moreOld, moreNew float64 }{{30, 90, 2, 0}, {90, 30, 0, 2}, {90, 80, 0, 0}, {30, 60, 0, 0}, {0, 90, 0, 0}} {
		l.even(batch(c.old, c.new))
		if l.more[0] != c.moreOld || l.more[1] != c.moreNew {
			t.Errorf("%g and %g ns: %g untimed iterations for each timed one, want %g and %g", c.old, c.new, l.more, c.moreOld, c.moreNew)
		}
	}
}

// TestNoWarmUpForMemory: what a process keeps is of the iterations that are counted, and
// a slow side does not run as many as the untimed ones of a quick one.
func TestNoWarmUpForMemory(t *testing.T) {
	f := &fake{names: []string{"X"}, perOp: []time.Duration{8 * time.Microsecond, 150 * time.Microsecond}}
	_, err := f.study(t, func(o *Options) { o.Watcher, o.Study.Units = after(1), []string{"time", "memory"} })
	if err != nil {
		t.Fatal(err)
	}
	if len(f.memory) != 4 {
		t.Fatalf("%d readings of memory", len(f.memory))
	}
	for _, s := range f.memory {
		if s.Warm > 0 || s.N > 50 {
			t.Errorf("a reading of memory has %d iterations, and %d before it", s.N, s.Warm)
		}
	}
}

// TestProbeOutOfTime: whenever the time of the probe is over, the plan has a length.
func TestProbeOutOfTime(t *testing.T) {
	for budget := 0.02; budget < 2; budget *= 1.05 {
		f := &fake{names: []string{"X"}, perOp: []time.Duration{time.Microsecond, time.Microsecond}, timedSetup: 400 * time.Microsecond}
		rec, err := f.study(t, func(o *Options) { o.Watcher, o.Study.BudgetSeconds = after(1), budget })
		if err != nil {
			t.Fatal(err)
		}
		if p := rec.Benchmarks[0].Pilot; p == nil || !(p.SliceSeconds < 10) {
			t.Errorf("budget %g s: %+v", budget, p)
		}
	}
}

// TestBlocksLearnLength: an operation that was interrupted while the plan was
// chosen gets the rounds that its own time allows.
func TestBlocksLearnLength(t *testing.T) {
	f := &fake{names: []string{"X"}, perOp: []time.Duration{20 * time.Millisecond, 20 * time.Millisecond}, busy: 20}
	rec, err := f.study(t, func(o *Options) { o.Watcher, o.Study.BudgetSeconds = after(3), 60 })
	if err != nil {
		t.Fatal(err)
	}
	blocks := rec.Benchmarks[0].Blocks
	if first, last := len(blocks[0].Rounds), len(blocks[2].Rounds); first != 1 || last < 4 {
		t.Errorf("blocks of %d and %d rounds, want 1 and then at least 4", first, last)
	}
}

// TestProbeUnderNoise: noise does not make slices longer, however large it is,
// and however little time the probe has.
func TestProbeUnderNoise(t *testing.T) {
	for _, budget := range []float64{0, 0.0005} {
		for _, noise := range []float64{0.01, 0.03, 0.1, 1} {
			longer, findings := 0, 0
			for seed := range uint64(40) {
				random := rand.New(rand.NewPCG(seed, 4))
				f := &fake{names: []string{"X"}, perOp: []time.Duration{50, 50}, noise: func() float64 { return 1 + noise*random.ExpFloat64() }}
				rec, err := f.study(t, func(o *Options) { o.Watcher, o.Study.BudgetSeconds = after(1), budget })
				if err != nil {
					t.Fatal(err)
				}
				if p := rec.Benchmarks[0].Pilot; p != nil && p.Iterations > 3000 {
					longer++
				}
				findings += len(rec.Findings)
			}
			if longer > 2 || findings > 0 {
				t.Errorf("budget %g s, noise %g: %d of 40 probes lengthen slices, %d findings", budget, noise, longer, findings)
			}
		}
	}
}

// TestSearch: a time that grows with the square of the iterations does not make
// slices far too long or too short, and -benchtime 100x is what it says.
func TestSearch(t *testing.T) {
	z := sizing{slice: lockstepSlice, block: 200 * time.Millisecond, rounds: lockstepMost}
	of := func(n int64) trial {
		raw := float64(n) * float64(n) / 2
		return trial{n: n, sides: []result.Slice{{N: n, Raw: raw, Span: raw, Pauses: 1}}, setup: []float64{0}}
	}
	tr, trials := of(1), 0
	for done := false; !done; trials++ {
		var n int64
		n, done = z.next(tr)
		tr = of(n)
	}
	if tr.timed() < 50e3 || tr.timed() > 300e3 || trials > 10 {
		t.Errorf("%d trials lead to slices of %.0f ns", trials, tr.timed())
	}
	z.fixed = 100
	if n, done := z.next(of(1)); n != 100 || !done {
		t.Errorf("-benchtime 100x gives slices of %d", n)
	}
}
