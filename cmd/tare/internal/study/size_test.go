package study

import (
	"testing"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// op is a simulated benchmark: what a slice of n iterations takes.
type op struct {
	perOp, setup, pause time.Duration
	bytes               uint64
	growth              time.Duration // of perOp, by iteration
}

func (o op) trial(n int64) trial {
	s := result.Slice{N: n, Raw: float64(o.perOp)*float64(n) + float64(o.growth)*float64(n)*float64(n)/2, Pauses: 1, Counted: true, Bytes: o.bytes * uint64(n)}
	wall := time.Duration(s.Raw) + o.setup
	if o.pause > 0 {
		s.Pauses, s.Counted = n+1, n <= 8
		wall += o.pause * time.Duration(n)
	}
	return trial{n: n, sides: []result.Slice{s}, walls: []time.Duration{wall}, setup: o.setup}
}

// pilot runs the loop of the pilot on a simulated benchmark.
func (z sizing) pilot(o op) (t trial, slices int) {
	t = o.trial(1)
	var way iterationSearch
	for range 24 {
		n, done := z.next(t)
		expect := float64(t.quickest()) * float64(n) / float64(t.n)
		n = way.next(t.n, n)
		if done && n == t.n || t.quickest() > z.block {
			return t, slices
		}
		t = o.trial(n)
		slices++
		if done && float64(t.quickest()) > expect/2 && float64(t.quickest()) < 2*expect {
			return t, slices
		}
	}
	return t, slices
}

func TestSizing(t *testing.T) {
	z := sizing{slice: 2500 * time.Microsecond, block: 250 * time.Millisecond, rounds: 25, collections: true}
	for _, c := range []struct {
		name           string
		op             op
		least, most    time.Duration // of the timed part
		wall           time.Duration // of the whole slice, at most
		rounds, trials int           // at least, at most
	}{
		{"1 ns", op{perOp: 1}, 2 * time.Millisecond, 4 * time.Millisecond, 4 * time.Millisecond, 25, 8},
		{"50 µs", op{perOp: 50 * time.Microsecond}, 2 * time.Millisecond, 4 * time.Millisecond, 4 * time.Millisecond, 25, 4},
		{"2 s", op{perOp: 2 * time.Second}, 2 * time.Second, 2 * time.Second, 2 * time.Second, 1, 0},
		{"a nanosecond between pauses", op{perOp: 2, pause: 300}, 50 * time.Microsecond, 4 * time.Millisecond, 12 * time.Millisecond, 20, 10},
		{"100 µs between pauses of 100 µs", op{perOp: 100 * time.Microsecond, pause: 100 * time.Microsecond}, 2 * time.Millisecond, 4 * time.Millisecond, 8 * time.Millisecond, 25, 6},
		{"1 µs behind 10 ms of set-up", op{perOp: time.Microsecond, setup: 10 * time.Millisecond}, 30 * time.Millisecond, 60 * time.Millisecond, 70 * time.Millisecond, 4, 8},
		{"1 µs behind 10 s of set-up", op{perOp: time.Microsecond, setup: 10 * time.Second}, 180 * time.Millisecond, 400 * time.Millisecond, 11 * time.Second, 1, 8},
		{"allocates 1 GB/s", op{perOp: time.Microsecond, bytes: 1000}, 10 * time.Millisecond, 24 * time.Millisecond, 30 * time.Millisecond, 10, 8},
		{"a nanosecond more with every iteration", op{growth: 1}, 2 * time.Millisecond, 4 * time.Millisecond, 4 * time.Millisecond, 25, 12},
		{"allocates a little", op{perOp: time.Microsecond, bytes: 1}, 2 * time.Millisecond, 4 * time.Millisecond, 4 * time.Millisecond, 25, 6},
	} {
		tr, trials := z.pilot(c.op)
		if timed := tr.quickest(); timed < c.least || timed > c.most {
			t.Errorf("%s: a slice of %d times %v; want %v to %v", c.name, tr.n, timed, c.least, c.most)
		}
		if tr.wall() > c.wall {
			t.Errorf("%s: a slice takes %v; want at most %v", c.name, tr.wall(), c.wall)
		}
		if rounds := z.roundsFor(tr); rounds < c.rounds {
			t.Errorf("%s: %d rounds; want %d", c.name, rounds, c.rounds)
		}
		if trials > c.trials {
			t.Errorf("%s: %d trials to find %d iterations; want at most %d", c.name, trials, tr.n, c.trials)
		}
	}
	z.fixed = 100
	if tr, _ := z.pilot(op{perOp: 1}); tr.n != 100 {
		t.Errorf("-benchtime 100x gives slices of %d", tr.n)
	}
}

// TestCycles: slices hold many collections of the side that collects most often
// where collections follow each other closely, and are short where they do not.
func TestCycles(t *testing.T) {
	z := sizing{slice: lockstepSlice, block: 200 * time.Millisecond, rounds: lockstepMost}
	for _, c := range []struct {
		name        string
		sides       []op
		least, most time.Duration // of the timed part of the slower side
	}{
		{"no garbage", []op{{perOp: 100}, {perOp: 100}}, 75 * time.Microsecond, 150 * time.Microsecond},
		{"64 B in 20 ns", []op{{perOp: 20, bytes: 64}, {perOp: 20, bytes: 64}}, 75 * time.Microsecond, 150 * time.Microsecond},
		{"64 KiB in 3 µs", []op{{perOp: 3 * time.Microsecond, bytes: 64 << 10}, {perOp: 3 * time.Microsecond, bytes: 72 << 10}}, 2 * time.Millisecond, 4 * time.Millisecond},
		{"4 KiB in 300 ns on one side", []op{{perOp: 50}, {perOp: 300, bytes: 4 << 10}}, 3 * time.Millisecond, 6 * time.Millisecond},
		{"1 MiB in 240 µs", []op{{perOp: 240 * time.Microsecond, bytes: 1 << 20}, {perOp: 240 * time.Microsecond, bytes: 1 << 20}}, 12 * time.Millisecond, 20 * time.Millisecond},
	} {
		both := func(n int64) trial {
			t := c.sides[0].trial(n)
			other := c.sides[1].trial(n)
			t.sides, t.walls = append(t.sides, other.sides...), append(t.walls, other.walls...)
			return t
		}
		got := both(1)
		for range 24 {
			n, done := z.next(got)
			got = both(n)
			if done {
				break
			}
		}
		if slowest := got.timed(); slowest < c.least || slowest > c.most {
			t.Errorf("%s: slices of %v, want %v to %v", c.name, slowest, c.least, c.most)
		}
	}
}

// TestSettle: an interruption in the pilot costs rounds in the first block only.
func TestSettle(t *testing.T) {
	r := &runner{size: sizing{block: 100 * time.Millisecond, rounds: 200}}
	r.o.Study.Variants = make([]result.Variant, 2)
	b := &bench{plan: result.Plan{Iterations: 1000, Rounds: 3}}
	first := []result.Round{{Warmup: true, Slices: []result.Slice{{N: 1000, Raw: 9e6}, {N: 1000, Raw: 9e6}}}}
	for _, ms := range []float64{0.8, 30, 0.8} {
		first = append(first, result.Round{Slices: []result.Slice{{N: 1000, Raw: 0.5e6}, {N: 1000, Raw: ms * 1e6}}})
	}
	first = append(first, result.Round{Slices: []result.Slice{{N: 4000, Raw: 2e6}, {N: 4000, Raw: 3e6}}})
	if r.resizeRounds(b, first); b.plan.Iterations != 1000 || b.plan.Long == 0 || b.plan.Rounds != 125*longEvery/(longEvery-1+longTimes) {
		t.Errorf("blocks of 100 ms have %d rounds of 0.8 ms, want 125 less the long ones", b.plan.Rounds)
	}
	paused := &bench{plan: result.Plan{Iterations: 1000, Rounds: 3, Paused: true}}
	if r.resizeRounds(paused, first); paused.plan.Rounds != 3 {
		t.Errorf("the timed part of a paused benchmark bounds its blocks: %d rounds", paused.plan.Rounds)
	}
}

// TestUnevenSides: where one side takes hundreds of times as long, it bounds
// the slice, and the other's is still long enough to be timed.
func TestUnevenSides(t *testing.T) {
	z := sizing{slice: 2500 * time.Microsecond, block: 250 * time.Millisecond, rounds: 25}
	for _, c := range []struct {
		quick, slow op
		least, most time.Duration // of the quicker slice, of the slower
	}{
		{op{perOp: 2 * time.Microsecond, bytes: 2000}, op{perOp: time.Millisecond, bytes: 500_000}, 50 * time.Microsecond, 120 * time.Millisecond},
		{op{perOp: 3}, op{perOp: 300}, 300 * time.Microsecond, 40 * time.Millisecond},
		{op{perOp: 3}, op{perOp: 6}, 2 * time.Millisecond, 8 * time.Millisecond},
		{op{perOp: 100 * time.Nanosecond}, op{perOp: time.Second}, 0, 2 * time.Second},
	} {
		both := func(n int64) trial {
			a, b := c.quick.trial(n), c.slow.trial(n)
			return trial{n: n, sides: append(a.sides, b.sides...), walls: append(a.walls, b.walls...)}
		}
		tr := both(1)
		var wall time.Duration
		for range 24 {
			n, done := z.next(tr)
			if done && n == tr.n {
				break
			}
			tr = both(n)
			wall += tr.timed()
			if done {
				break
			}
		}
		if tr.quickest() < c.least || tr.timed() > c.most {
			t.Errorf("%v against %v: slices of %v and %v; want at least %v, at most %v", c.quick.perOp, c.slow.perOp, tr.quickest(), tr.timed(), c.least, c.most)
		}
		if wall > 3*c.most+time.Second {
			t.Errorf("%v against %v: %v to find %d iterations", c.quick.perOp, c.slow.perOp, wall, tr.n)
		}
	}
}

// TestCountingIterations: as many as make fractions exact, for as long as a
// block can bear.
func TestCountingIterations(t *testing.T) {
	for _, c := range []struct {
		wall    time.Duration // of an iteration
		n, want int64         // of a timed slice, of a counting one
	}{
		{0, 50, 50}, // nothing known
		{20 * time.Microsecond, 50, 1000},
		{time.Millisecond, 2, 500},
		{time.Second, 1, 1},
	} {
		b := &bench{plan: result.Plan{Iterations: c.n, IterationSeconds: c.wall.Seconds()}}
		if got := b.countingIterations(1000, 500*time.Millisecond); got != c.want {
			t.Errorf("an iteration of %v: %d are counted; want %d", c.wall, got, c.want)
		}
	}
}

// TestAgreed: six slopes that are alike settle a count; one that differs never
// does.
func TestAgreed(t *testing.T) {
	third, half := []float64{1, 111. / 333}, []float64{1, 0.5}
	for _, c := range []struct {
		name   string
		counts [][]float64
		want   bool
	}{
		{"one block", [][]float64{third, third}, false},
		{"three blocks alike", [][]float64{third, third, third, third, third, third}, true},
		{"one counts more", [][]float64{third, third, third, third, third, half}, false},
		{"the last three count the same", [][]float64{half, half, third, third, third, third, third, third}, false},
	} {
		if b := (&bench{counts: c.counts}); b.allocationsAgree() != c.want {
			t.Errorf("%s: agreed is %v", c.name, !c.want)
		}
	}
}
