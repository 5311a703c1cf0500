package study

import (
	"testing"
	"time"
)

// TestTimedSetup: a set-up that is timed with the operations is at most some
// hundredths of a slice, so that the level and a change of the operation are
// those of many iterations; where there is none, slices stay as they are.
func TestTimedSetup(t *testing.T) {
	for _, c := range []struct {
		perOp, setup time.Duration
		least, most  time.Duration // of the operations in a slice
	}{
		{time.Microsecond, 400 * time.Microsecond, 10 * time.Millisecond, 50 * time.Millisecond},
		{80 * time.Microsecond, 430 * time.Microsecond, 10 * time.Millisecond, 50 * time.Millisecond},
		{3, 200 * time.Microsecond, 5 * time.Millisecond, 20 * time.Millisecond},
		{time.Microsecond, 20 * time.Microsecond, 500 * time.Microsecond, 3 * time.Millisecond},
		{2 * time.Millisecond, 10 * time.Millisecond, 16 * time.Millisecond, 60 * time.Millisecond}, // as far as slices go
		{time.Microsecond, 0, 90 * time.Microsecond, 110 * time.Microsecond},
		{80 * time.Microsecond, 0, 80 * time.Microsecond, 80 * time.Microsecond},
		{3 * time.Millisecond, 0, 3 * time.Millisecond, 3 * time.Millisecond},
		{0, 300 * time.Microsecond, 0, 0}, // no loop: the time does not grow with the iterations
	} {
		f := &fake{names: []string{"X"}, perOp: []time.Duration{c.perOp, c.perOp}, timedSetup: c.setup}
		rec, err := f.study(t, nil)
		if err != nil {
			t.Fatal(err)
		}
		p := rec.Benchmarks[0].Plan
		if timed := time.Duration(p.Iterations) * c.perOp; timed < c.least || timed > c.most {
			t.Errorf("%v an operation and %v of set-up: %d iterations take %v, want %v to %v", c.perOp, c.setup, p.Iterations, timed, c.least, c.most)
		}
	}
}

// TestTimerResetInLoop: what is timed does not grow with the iterations where a
// benchmark resets its timer in every one, which looks like a timed set-up that
// no slice is long enough for. Slices stay as short as others.
func TestTimerResetInLoop(t *testing.T) {
	f := &fake{names: []string{"X"}, perOp: []time.Duration{0, 0}, timedSetup: 50, untimed: 2 * time.Microsecond}
	rec, err := f.study(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := rec.Benchmarks[0].Plan
	if took := time.Duration(p.Iterations) * f.untimed; took > 2*time.Millisecond {
		t.Errorf("%d iterations take %v", p.Iterations, took)
	}
	if f.longest > 2*time.Second {
		t.Errorf("the longest slice took %v", f.longest)
	}
}
