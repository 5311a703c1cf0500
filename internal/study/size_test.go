package study

import (
	"testing"
	"time"

	"github.com/tarebench/tare/result"
)

// op is a simulated benchmark: what a slice of n iterations takes.
type op struct {
	perOp, setup, pause time.Duration
	bytes               uint64
}

func (o op) trial(n int64) trial {
	s := result.Slice{N: n, Raw: float64(o.perOp) * float64(n), Pauses: 1, Counted: true, Bytes: o.bytes * uint64(n)}
	wall := time.Duration(s.Raw) + o.setup
	if o.pause > 0 {
		s.Pauses, s.Counted = n+1, n <= 8
		wall += o.pause * time.Duration(n)
	}
	return trial{n: n, sides: []result.Slice{s}, walls: []time.Duration{wall}, setup: o.setup}
}

// pilot runs the loop of crew.pilot on a simulated benchmark.
func (z sizing) pilot(o op) (t trial, slices int) {
	t = o.trial(1)
	for range 24 {
		n, done := z.next(t)
		if done && n == t.n || t.quickest() > z.block {
			return t, slices
		}
		t = o.trial(n)
		slices++
		if done {
			return t, slices
		}
	}
	return t, slices
}

func TestSizing(t *testing.T) {
	z := sizing{slice: 2500 * time.Microsecond, block: 250 * time.Millisecond, rounds: 25}
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
