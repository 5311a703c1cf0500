package study

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// TestLongRunsShowRareCosts: a cost that slices do not meet, or few of them, is in
// the change. If slices contain it often, they are measured.
func TestLongRunsShowRareCosts(t *testing.T) {
	const us = time.Microsecond
	for _, c := range []struct {
		name  string
		rare  time.Duration
		often int64
		whole bool
		want  float64 // of new/old
	}{
		{"nothing", 0, 1, false, 1},
		{"a wait of 2 ms in 300 operations", 2000 * us, 300, true, 1 + 2000./300/18.5},
		{"20 µs in 100 operations", 20 * us, 100, false, 1 + 20./100/18.5},
		{"50 µs in 10 operations", 50 * us, 10, false, 1 + 50./10/18.5},
	} {
		op := 18500 * time.Nanosecond
		f := &fake{names: []string{"X"}, perOp: []time.Duration{op, op}, rare: c.rare, often: c.often}
		rec, err := f.study(t, func(o *Options) { o.Watcher = after(8) })
		if err != nil {
			t.Fatal(err)
		}
		b := rec.Benchmarks[0]
		if b.Pilot.Whole != c.whole || len(rec.Findings) > 0 != c.whole {
			t.Errorf("%s: whole calls %t, %d iterations, findings %v", c.name, b.Pilot.Whole, b.Pilot.Iterations, rec.Findings)
		}
		if n := len(b.Blocks[0].LongRuns()); c.whole != (n >= judge.LeastPairs) {
			t.Errorf("%s: %d pairs of long runs", c.name, n)
		}
		row := judge.Compare(rec).Benchmarks[0]
		if row.Change.Ratio < c.want*0.97 || row.Change.Ratio > c.want*1.03 || row.LongRuns == nil || row.LongRuns.Contradict {
			t.Errorf("%s: new/old is %.3f, want %.3f, %+v", c.name, row.Change.Ratio, c.want, row.LongRuns)
		}
		if want := map[bool]result.Verdict{true: result.Slower, false: result.Same}[c.want > 1.02]; row.Verdict != want {
			t.Errorf("%s: %s, want %s", c.name, row.Verdict, want)
		}
	}
}

// TestLongRunsKeepTheBudget: a row that long runs cannot decide soon takes no more of
// them than fit into its budget.
func TestLongRunsKeepTheBudget(t *testing.T) {
	op := 18500 * time.Nanosecond
	for _, c := range []struct {
		budget      time.Duration
		least, most int
	}{{longTime, 2, 2}, {time.Minute, judge.LeastPairs, 2 * judge.LeastPairs}, {0, judge.LeastPairs, 2 * judge.LeastPairs}} {
		f := &fake{names: []string{"X"}, perOp: []time.Duration{op, op}, rare: 2 * time.Millisecond, often: 300}
		rec, err := f.study(t, func(o *Options) { o.Watcher, o.Study.BudgetSeconds = after(1), c.budget.Seconds() })
		if err != nil {
			t.Fatal(err)
		}
		if n := len(rec.Benchmarks[0].Blocks[0].LongRuns()); n < c.least || n > c.most {
			t.Errorf("budget %v: %d pairs of long runs", c.budget, n)
		}
	}
}

// TestTimeDependsOnN: if an operation takes another time in calls as long as those that
// go test reports, these are measured.
func TestTimeDependsOnN(t *testing.T) {
	for _, c := range []struct {
		name  string
		setup time.Duration
		long  bool
	}{
		{"a setup of a fifth of a long run", 10 * time.Millisecond, true},
		{"of a fiftieth", time.Millisecond, false},
	} {
		op := time.Microsecond
		f := &fake{names: []string{"X"}, perOp: []time.Duration{op, op}, timedSetup: c.setup}
		rec, err := f.study(t, func(o *Options) { o.Watcher = after(8) })
		if err != nil {
			t.Fatal(err)
		}
		b, said := rec.Benchmarks[0], slices.ContainsFunc(rec.Findings, catalog.DependsOnN.Is)
		if n := b.Pilot.Long[0]; b.Pilot.Whole != c.long || said != c.long || (n >= int64((goTestTime-c.setup)/op)) != c.long {
			t.Errorf("%s: whole calls %t of %d iterations, findings %v", c.name, b.Pilot.Whole, n, rec.Findings)
		}
	}
}

// TestLongRunsOfOneLength: variants make calls of the same length, so that what grows
// with b.N is no difference between them. A far slower one does not hold up the other.
func TestLongRunsOfOneLength(t *testing.T) {
	for _, c := range []struct {
		slower float64
		same   bool
	}{{1, true}, {1.2, true}, {1.8, true}, {10, false}} {
		op := time.Microsecond
		f := &fake{names: []string{"X"}, perOp: []time.Duration{op, time.Duration(c.slower * float64(op))}}
		rec, err := f.study(t, func(o *Options) { o.Watcher = after(8) })
		if err != nil {
			t.Fatal(err)
		}
		b := rec.Benchmarks[0]
		if n := b.Pilot.Long; (n[0] == n[1]) != c.same {
			t.Errorf("%v times as slow: long runs of %v iterations", c.slower, n)
		}
		for _, round := range b.Blocks[0].LongRuns() {
			if n, most := round.Slices, 2.5*float64(longTime); n[0].N != b.Pilot.Long[0] || n[1].N != b.Pilot.Long[1] ||
				n[0].Raw < float64(longTime) || max(n[0].Raw, n[1].Raw) > most {
				t.Errorf("%v times as slow: long runs of %v and %v ns", c.slower, n[0].Raw, n[1].Raw)
			}
		}
	}
}

// TestCallsGrow: the calls that lead from a slice to a long run are few and take little
// time, even if an operation takes longer in longer calls.
func TestCallsGrow(t *testing.T) {
	const least = float64(longTime)
	for _, power := range []float64{1, 1.5, 2} {
		call := func(n int64) result.Slice { return result.Slice{N: n, Raw: 1e5 * math.Pow(float64(n)/1000, power)} }
		before, last, calls, sum := result.Slice{}, call(1000), 0, 0.
		for last.Raw < least {
			before, last = last, call(iterations(before, last, least/last.Raw))
			calls, sum = calls+1, sum+last.Raw
		}
		if calls > 4 || sum > 3*least {
			t.Errorf("power %g: %d calls of %g long runs", power, calls, sum/least)
		}
	}
}

// TestOneOperationIsALongRun: an operation that takes longer than a long run is one.
func TestOneOperationIsALongRun(t *testing.T) {
	op := 2 * longTime
	f := &fake{names: []string{"X"}, perOp: []time.Duration{op, op}}
	rec, err := f.study(t, func(o *Options) { o.Watcher = after(1) })
	if n := rec.Benchmarks[0].Pilot.Long; err != nil || n[0] != 1 || n[1] != 1 {
		t.Errorf("long runs of %v iterations, %v", n, err)
	}
}

// TestStarved: slices of all variants run at the same time if others had the CPU for
// most of the last block, and slices are longer than turns of the scheduler.
func TestStarved(t *testing.T) {
	block := func(delay float64) result.Block {
		s := result.Slice{N: 1, Raw: 9e8, Delay: delay, Followed: true}
		return result.Block{Rounds: []result.Round{{Slices: []result.Slice{s, s}}}}
	}
	for _, c := range []struct {
		name    string
		pilot   result.Pilot
		blocks  []result.Block
		starved bool
	}{
		{"the first block", result.Pilot{CPUs: "1", SliceSeconds: 0.1}, nil, false},
		{"eight others", result.Pilot{CPUs: "1", SliceSeconds: 0.1}, []result.Block{block(0), block(8e8)}, true},
		{"one other", result.Pilot{CPUs: "1", SliceSeconds: 0.1}, []result.Block{block(8e8), block(4e8)}, false},
		{"short slices", result.Pilot{CPUs: "1", SliceSeconds: 0.001}, []result.Block{block(8e8)}, false},
		{"on all CPUs", result.Pilot{SliceSeconds: 0.1}, []result.Block{block(8e8)}, false},
		{"one at a time", result.Pilot{CPUs: "1", SliceSeconds: 0.1, Alone: true}, []result.Block{block(8e8)}, false},
	} {
		b := &bench{pilot: c.pilot}
		if b.Blocks = c.blocks; b.starved() != c.starved {
			t.Errorf("%s: starved is %t", c.name, !c.starved)
		}
	}
}
