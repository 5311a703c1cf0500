package worker

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/lab"
	"github.com/tarebench/tare/cmd/tare/internal/process"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// modes are the ways in which workers take slices.
var modes = map[string]Options{
	"direct": {Timeout: patience}, "pipe": {Timeout: patience, Pipe: true}, "apart": {Timeout: patience, Apart: true},
}

func config(t *testing.T, version, name string) Config {
	t.Helper()
	return Config{
		Path: binary(t, version), Dir: filepath.Join("testdata", "mod"), Env: os.Environ(),
		Bench: result.ExactPattern(name), Name: name, Procs: 2,
	}
}

// startGroup starts that many workers of one benchmark.
func startGroup(t *testing.T, version, name string, sides int, o Options) Group {
	t.Helper()
	configs := make([]Config, sides)
	for i := range configs {
		configs[i] = config(t, version, name)
	}
	g, err := StartGroup(t.Context(), configs, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	if direct, why := g.Direct(); direct == o.Pipe {
		t.Errorf("direct is %t (%s), asked for a pipe: %t", direct, why, o.Pipe)
	}
	return g
}

// pid is the process of a side.
func pid(g Group, side int) int { return g.(*group).sides[side].w.Pid() }

// mirrored gives rounds of slots in which the order turns.
func mirrored(sides, rounds int, n int64) (slots []Slot) {
	for r := range rounds {
		for i := range sides {
			side := i
			if r%2 == 1 {
				side = sides - 1 - i
			}
			slots = append(slots, Slot{Side: side, N: n})
		}
	}
	return slots
}

// run takes slots and checks that each has its iterations.
func run(t *testing.T, g Group, slots []Slot) []result.Slice {
	t.Helper()
	taken, err := g.Run(t.Context(), slots)
	if err != nil {
		t.Fatalf("%v\n%s", err, output(err))
	}
	if len(taken) != len(slots) {
		t.Fatalf("%d slices of %d slots", len(taken), len(slots))
	}
	for i, s := range taken {
		if s.N != slots[i].N || s.Raw <= 0 || s.OverheadLo > s.OverheadHi {
			t.Fatalf("slot %d %+v: %+v", i, slots[i], s)
		}
	}
	return taken
}

func output(err error) string {
	var of *SideError
	if errors.As(err, &of) {
		return of.Output
	}
	return ""
}

func testGroup(t *testing.T, version string, o Options) {
	for name, loop := range map[string]string{"BenchmarkPlain": "b.N", "BenchmarkLoop": "b.Loop"} {
		for _, sides := range []int{2, 3, 8} {
			g := startGroup(t, version, name, sides, o)
			if m := g.Leaf(sides - 1); m.Name != name || m.Loop != loop || m.Slice.N != 1 {
				t.Errorf("leaf %+v", m)
			}
			run(t, g, mirrored(sides, 40, 100))
			// Unequal lengths, one side three times in a row, and readings.
			slots := []Slot{{Side: 1, N: 7, Reading: Few}, {Side: 0, N: 1000, Warm: 50, Reading: Unread}, {Side: 0, N: 1}, {Side: 0, N: 3}, {Side: 1, N: 5, Warm: 1}}
			taken := run(t, g, slots)
			if s := taken[0]; !s.Counted || s.Mallocs < 7 || s.Mallocs > 7+64 {
				t.Errorf("%s: %d allocations in 7 iterations of one each: %+v", name, s.Mallocs, s)
			}
			if s := taken[1]; s.Counted {
				t.Errorf("%s: allocations are not asked for: %+v", name, s)
			}
			if name == "BenchmarkPlain" && taken[1].SetBytes <= 0 {
				t.Errorf("no bytes: %+v", taken[1])
			}
			if direct, _ := g.Direct(); direct {
				use := g.Uses()[0]
				if use.N != 1000+50+1+3 || use.User+use.System <= 0 || use.HeapGoal == 0 || use.Mallocs > 1<<20 {
					t.Errorf("use of side 0: %+v", use)
				}
			}
			ends, err := g.End(t.Context())
			if err != nil {
				t.Errorf("end: %v\n%s", err, output(err))
			}
			for i, m := range ends {
				if m.Kind != Over || loop == "b.Loop" && m.Slice.Metrics["setups"] != 1 {
					t.Errorf("side %d of %s ended with %+v", i, name, m)
				}
			}
			g.Close()
		}
	}
}

func TestGroup(t *testing.T) {
	defer removeTemp(t)
	for mode, o := range modes {
		t.Run(mode, func(t *testing.T) { testGroup(t, "local", o) })
	}
	for _, version := range versions[1:] {
		t.Run(version, func(t *testing.T) { testGroup(t, version, modes["direct"]) })
	}
	for _, version := range versions[:lab.Times(1, 2)] {
		t.Run("iterations "+version, func(t *testing.T) { testIterations(t, version) })
	}
	for mode, o := range modes {
		t.Run("outcomes "+mode, func(t *testing.T) { testGroupOutcomes(t, o) })
	}
}

// testIterations counts that a slot runs what it says, and no more.
func testIterations(t *testing.T, version string) {
	for _, name := range []string{"BenchmarkCountsN", "BenchmarkCountsLoop"} {
		g := startGroup(t, version, name, 2, modes["direct"])
		slots := append(mirrored(2, 9, 11), Slot{Side: 0, N: 5, Warm: 100})
		run(t, g, slots)
		ends, err := g.End(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		// b.N benchmarks report in every slice, b.Loop ones after the last.
		if name == "BenchmarkCountsLoop" {
			for side, want := range []float64{1 + 9*11 + 105, 1 + 9*11} {
				if got := ends[side].Slice.Metrics["ran"]; got != want {
					t.Errorf("%s: side %d ran %g iterations, want %g", name, side, got, want)
				}
			}
			continue
		}
		g = startGroup(t, version, name, 2, modes["direct"])
		taken := run(t, g, slots)
		if got := taken[len(taken)-1].Metrics["ran"]; got != 1+9*11+105 {
			t.Errorf("%s: ran %g iterations", name, got)
		}
	}
}

func testGroupOutcomes(t *testing.T, o Options) {
	for _, c := range []struct {
		name, output string
		kind         Kind
		err          error
	}{
		{"BenchmarkFail", "too many iterations", Fail, nil},
		{"BenchmarkPanic", "at the disco", "", ErrGone},
		{"BenchmarkExit", "", "", ErrGone},
		{"BenchmarkBreak", "", Fail, nil},
	} {
		g := startGroup(t, "local", c.name, 2, o)
		slots := []Slot{{Side: 0, N: 1}, {Side: 1, N: 1}, {Side: 1, N: 10_000}, {Side: 0, N: 1}}
		taken, err := g.Run(t.Context(), slots)
		var of *SideError
		if !errors.As(err, &of) || of.Side != 1 || of.Message.Kind != c.kind || !errors.Is(of.Err, c.err) {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		// Commanded, a worker keeps an answer back while it has another order.
		if len(taken) != 2 && !(o.Pipe && c.err != nil && len(taken) == 1) {
			t.Errorf("%s: %d slices before it", c.name, len(taken))
		}
		if !strings.Contains(of.Output+of.Message.Words, c.output) {
			t.Errorf("%s: its words are lost: %+v", c.name, of)
		}
		// The other one ends in order.
		ends, _ := g.End(t.Context())
		if ends[0].Kind != Over && c.kind == "" {
			t.Errorf("%s: the other side ended with %+v", c.name, ends[0])
		}
	}
	if _, err := StartGroup(t.Context(), []Config{config(t, "local", "BenchmarkSkip"), config(t, "local", "BenchmarkSkip")}, o); err == nil || !strings.Contains(err.Error(), "not today") {
		t.Errorf("skip: %v", err)
	}
	// One that computes is ended by the time limit, one that waits sooner. The
	// limit is also that of a start, which takes its time on a busy machine.
	for o.Timeout = time.Second; ; o.Timeout = patience {
		configs := []Config{config(t, "local", "BenchmarkSpins"), config(t, "local", "BenchmarkSpins")}
		g, err := StartGroup(t.Context(), configs, o)
		if err != nil && o.Timeout < patience {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(g.Close)
		if _, err := g.Run(t.Context(), mirrored(2, 2, 10)); !errors.Is(err, errTimeout) || !strings.Contains(output(err), "goroutine") {
			t.Errorf("endless: %v\n%s", err, output(err))
		}
		break
	}
	o.Timeout, o.Stall = patience*10, 300*time.Millisecond
	t.Setenv("TARE_TEST_LOCK", filepath.Join(t.TempDir(), "lock"))
	configs := []Config{config(t, "local", "BenchmarkFlock"), config(t, "local", "BenchmarkFlock")}
	if !o.Apart { // groups apart are for workers that ran together before
		if _, err := StartGroup(t.Context(), configs, o); !errors.Is(err, ErrStalled) {
			t.Errorf("a blocking lock: %v", err)
		}
		if _, err := os.Stat(os.Getenv("TARE_TEST_LOCK") + ".clean"); err != nil {
			t.Errorf("the worker that had the lock was not ended in order: %v", err)
		}
	}
	// Blocked in the middle: found, and the slices before are there.
	g := startGroup(t, "local", "BenchmarkBlocks", 2, o)
	taken, err := g.Run(t.Context(), []Slot{{Side: 0, N: 1}, {Side: 1, N: 1}, {Side: 0, N: 5}, {Side: 1, N: 1}})
	var of *SideError
	if !errors.Is(err, ErrStalled) || !errors.As(err, &of) || of.Side != 0 || len(taken) != 2 {
		t.Errorf("blocked: %v, %d slices", err, len(taken))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	g = startGroup(t, "local", "BenchmarkBlocks", 2, modes["direct"])
	if _, err := g.Run(ctx, []Slot{{Side: 0, N: 5}}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("canceled: %v", err)
	}
}

// TestProcsAtBothEnds: a group knows GOMAXPROCS at the begin and the end.
func TestProcsAtBothEnds(t *testing.T) {
	for name, grows := range map[string]int64{"BenchmarkPlain": 0, "BenchmarkSetsProcs": 3} {
		g := startGroup(t, "local", name, 1, modes["direct"])
		run(t, g, []Slot{{N: 1}, {N: 2}})
		if use := g.Uses()[0]; use.FirstProcs < 1 || use.Procs-use.FirstProcs != grows {
			t.Errorf("%s: GOMAXPROCS %d and %d, want %d more", name, use.FirstProcs, use.Procs, grows)
		}
	}
}

// TestStarved: a thread that is ready and gets no CPU waits for nothing else. One
// that sleeps, or runs in between, is not starved.
func TestStarved(t *testing.T) {
	before := map[string]threadTime{"1": {used: 5, ready: true}, "2": {used: 7, ready: false}}
	for _, c := range []struct {
		now  map[string]threadTime
		want bool
	}{
		{map[string]threadTime{"1": {used: 5, ready: true}, "2": {used: 7, ready: false}}, true},
		{map[string]threadTime{"1": {used: 6, ready: true}, "2": {used: 7, ready: false}}, false},
		{map[string]threadTime{"1": {used: 5, ready: false}, "2": {used: 7, ready: true}, "3": {used: 0, ready: true}}, false},
	} {
		if got := starved(before, c.now); (len(got) > 0) != c.want {
			t.Errorf("%v is starved: %v", c.now, !c.want)
		}
	}
	own := threadTimes(os.Getpid())
	running := false
	for _, t := range own {
		running = running || t.ready && t.used > 0
	}
	if cpus, _ := process.Processors(); !running && len(cpus) > 0 {
		t.Errorf("no thread of this process runs: %v", own)
	}
}
