package study

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/lab"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// noisy are processes of n benchmarks, B0 to Bn-1, whose blocks have noise of
// standard deviation sd each and the true logarithmic change theta.
func noisy(seed uint64, n int, perOp time.Duration, sd float64, theta func(benchmark int) float64) *fake {
	f := &fake{perOp: []time.Duration{perOp, perOp}}
	for i := range n {
		f.names = append(f.names, fmt.Sprint("B", i))
	}
	random := rand.New(rand.NewPCG(seed, 3))
	f.factor = func(name string, v int) float64 {
		var i int
		fmt.Sscanf(strings.TrimPrefix(name, "BenchmarkB"), "%d", &i)
		return math.Exp(sd*random.NormFloat64()/math.Sqrt2 + float64(v)*theta(i))
	}
	return f
}

// lockstepJudge is the judge of a comparison, as internal/session has it.
type lockstepJudge map[result.Key]Decision

func (lockstepJudge) Event(Event) {}

func (l lockstepJudge) Observe(head result.Study, b result.Benchmark) Decision {
	if d, known := l[b.Key]; known && !judge.Due(head, b) {
		return d
	}
	j := judge.Judge(head, b, 0, 1)
	l[b.Key] = Decision{Done: j.Done, Reason: j.Reason, Needed: j.Needed, Alone: j.Alone}
	return l[b.Key]
}

// totalStudy runs a comparison with a total and returns how long it took.
func totalStudy(t *testing.T, f *fake, total time.Duration, edit func(*Options)) (rec *result.Recording, took time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var lines []result.Line
		began := time.Now()
		o := Options{
			Study: compareStudy(160, func(p *result.Plan) { p.Procs = []int{1}; p.TotalSeconds = total.Seconds() }), Sources: f.sources(2), Packages: []string{"p"},
			Write: func(l result.Line) error { lines = append(lines, l); return nil }, Watcher: lockstepJudge{},
			Begun: began,
		}
		o.Study.Alpha, o.Study.Delta, o.Study.BudgetSeconds, o.Study.TotalSeconds = 0.05, 0.02, 0, total.Seconds()
		if edit != nil {
			edit(&o)
		}
		if err := run(t.Context(), o, f); err != nil && err != ErrNothing {
			t.Error(err)
		}
		took = time.Since(began)
		rec = result.NewRecording(lines)
	})
	return rec, took
}

func none(int) float64 { return 0 }

// TestTotalIsKept: a run ends within a tenth of its total, whatever an operation
// takes, and every benchmark without a verdict says what it ended for.
func TestTotalIsKept(t *testing.T) {
	for _, c := range []struct {
		benchmarks int
		perOp      time.Duration
		total      time.Duration
		reached    string // all, some, none
	}{
		{5, 50 * time.Microsecond, 7200 * time.Millisecond, "all"},
		{10, 30 * time.Millisecond, time.Minute, "all"},
		{100, 30 * time.Millisecond, time.Minute, "some"},
		{400, time.Millisecond, time.Minute, "some"}, // which count in six minutes
		{10, 700 * time.Millisecond, time.Minute, "some"},
		{3, 20 * time.Second, time.Minute, "none"},
		{2, time.Hour, time.Minute, "none"}, // ended in its first operation
	} {
		f := noisy(1, c.benchmarks, c.perOp, 0.1, none)
		rec, took := totalStudy(t, f, c.total, nil)
		what := fmt.Sprintf("%d benchmarks of %v in %v", c.benchmarks, c.perOp, c.total)
		t.Logf("%s: %.3f of the total", what, took.Seconds()/c.total.Seconds())
		if took > c.total*11/10 {
			t.Errorf("%s: took %v", what, took)
		}
		reasons := make(map[string]int)
		for _, s := range rec.Stops {
			reasons[s.Reason]++
		}
		n := reasons[result.StopNotReached]
		if len(rec.Stops) != c.benchmarks || c.reached == "all" != (n == 0) || c.reached == "none" != (n == c.benchmarks) {
			t.Errorf("%s: stops %v, want %s reached", what, reasons, c.reached)
		}
		if n < c.benchmarks && reasons[result.StopTotal] > 0 && took < c.total*9/10 {
			t.Errorf("%s: took %v, and %v", what, took, reasons)
		}
		comparison := judge.Compare(rec)
		if s := comparison.Summary; s.NotReached != n || s.NotReached+s.Undecided+s.Same+s.Faster+s.Slower != c.benchmarks {
			t.Errorf("%s: %+v, want %d not reached", what, s, n)
		}
		if f.closed != len(f.starts) {
			t.Errorf("%s: %d of %d groups were closed", what, f.closed, len(f.starts))
		}
	}
}

// TestTotalIncludesBuilds: what is not built in half of the total is dropped by
// name, and the rest is measured in what is left.
func TestTotalIncludesBuilds(t *testing.T) {
	f := noisy(1, 2, 30*time.Millisecond, 0.02, none)
	rec, took := totalStudy(t, f, time.Minute, func(o *Options) {
		o.Packages = []string{"p", "slow"}
		for v := range o.Sources {
			o.Sources[v] = slowSource{fakeSource(v), time.Hour}
		}
	})
	if took > 66*time.Second {
		t.Errorf("took %v", took)
	}
	if len(rec.Benchmarks) != 2 || rec.Study.Family != 2 || len(rec.Benchmarks[0].Blocks) < 8 {
		t.Errorf("%d benchmarks in a family of %d", len(rec.Benchmarks), rec.Study.Family)
	}
	if len(rec.Findings) != 1 || rec.Findings[0].ID != "package-not-reached" || rec.Findings[0].Subject != "slow" {
		t.Errorf("findings %v", rec.Findings)
	}
}

// If no package is built after half of the total, the first one gets the rest.
func TestTotalUsesWhatBuildsLeave(t *testing.T) {
	f := noisy(1, 2, 30*time.Millisecond, 0.02, none)
	rec, took := totalStudy(t, f, time.Minute, func(o *Options) {
		o.Packages = []string{"slow"}
		for v := range o.Sources {
			o.Sources[v] = slowSource{fakeSource(v), 40 * time.Second}
		}
	})
	if took > 66*time.Second || len(rec.Benchmarks) != 2 || len(rec.Benchmarks[0].Blocks) < 8 {
		t.Errorf("took %v, %d benchmarks, findings %v", took, len(rec.Benchmarks), rec.Findings)
	}
}

// TestTotalGoesToNeed: every benchmark gets its first look before any gets
// another, but for what differs alone, and the rest goes to those whose verdict
// is open, not to those that no planned look will settle.
func TestTotalGoesToNeed(t *testing.T) {
	theta := func(i int) float64 {
		if i == 0 {
			return 0.03
		}
		return 0
	}
	f := noisy(6, 6, 30*time.Millisecond, 0.03, theta)
	scale := f.factor
	f.factor = func(name string, v int) float64 {
		x := scale(name, v)
		if name == "BenchmarkB5" { // ten times the noise
			x = math.Pow(x, 10)
		}
		return x
	}
	var order []string
	rec, _ := totalStudy(t, f, 38*time.Second, func(o *Options) {
		o.Watcher = hearing{o.Watcher, func(e Event) {
			if e.Phase == "measuring" {
				order = append(order, e.Benchmark.Name)
			}
		}}
	})
	first := make(map[string]int)
	for i, name := range order {
		if first[name]++; first[name] == 9 && i < 48 && name != "B0" {
			t.Errorf("block %d is the ninth of %s: %v", i, name, order[:i])
		}
	}
	blocks := make(map[string]int)
	for _, b := range rec.Benchmarks {
		blocks[b.Name] = len(b.Blocks)
	}
	if blocks["B5"] > 9 || blocks["B0"] < 15 {
		t.Errorf("blocks %v: the noise of B5 is beyond all looks", blocks)
	}
	if names := slices.Compact(slices.Clone(order[:48])); len(names) != 6 || slices.IsSorted(names) {
		t.Errorf("first looks of %v, want all in random order", names)
	}
}

// TestNext: what differs alone comes first, then the first looks, then rows that
// depend on the adjustment, the nearest to a verdict, and what no look will
// settle; nothing that does not fit into the total.
func TestNext(t *testing.T) {
	const second = time.Second
	of := func(blocks int, each time.Duration, d Decision) *bench {
		b := &bench{links: new(links), decision: d, spent: time.Duration(blocks) * each}
		b.Blocks = make([]result.Block, blocks)
		return b
	}
	r := &runner{o: Options{Study: compareStudy(160)}, design: judge.NewDesign(160, 0.05, 20)}
	first, called := r.design.Next(0), r.design.FirstCalled()
	differing, fresh, started := of(first, second, Decision{Alone: true}), of(0, 0, Decision{}), of(1, second, Decision{})
	alone, near := of(called, second, Decision{Alone: true, Needed: 100}), of(called, second, Decision{Needed: called + 1})
	long, many := of(1, 400*second, Decision{}), make([]*bench, 7)
	for i := range many {
		many[i] = of(0, 0, Decision{})
	}
	later, never := of(called, second, Decision{Needed: 100}), of(called, second, Decision{Needed: 1000})
	for _, c := range []struct {
		name  string
		left  time.Duration
		order []*bench
		want  int
	}{
		{"differs", time.Hour, []*bench{later, near, alone, fresh, started, differing}, 5},
		{"begun", time.Hour, []*bench{later, near, alone, fresh, started}, 4},
		{"untouched", time.Hour, []*bench{later, near, alone, fresh}, 3},
		{"a long first look waits for others", time.Hour, append([]*bench{long, started}, many...), 1},
		{"adjusted", time.Hour, []*bench{never, later, near, alone}, 3},
		{"nearest", time.Hour, []*bench{never, later, near}, 2},
		{"later", time.Hour, []*bench{never, later}, 1},
		{"never", time.Hour, []*bench{never}, 0},
		{"does not fit", second / 2, []*bench{near}, -1},
	} {
		r.o.TotalSeconds, r.o.Begun = c.left.Seconds()/(1-finishShare), time.Now()
		got, _ := r.next(c.order)
		if slices.Index(c.order, got) != c.want {
			t.Errorf("%s: benchmark %d, want %d", c.name, slices.Index(c.order, got), c.want)
		}
	}
}

// thirds are the allocations of a first iteration that differ in every third
// benchmark.
func thirds(name string, variant int) uint64 {
	var i int
	fmt.Sscanf(name, "B%d", &i)
	if i%3 == 0 {
		return 10 + uint64(variant)
	}
	return 10
}

// TestCountsSteerTotal: benchmarks whose first iterations allocate differently
// are measured first, whatever the seed, and the others after them.
func TestCountsSteerTotal(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		f := noisy(seed, 30, 50*time.Millisecond, 0.02, none)
		f.first = thirds
		rec, _ := totalStudy(t, f, 30*time.Second, func(o *Options) { o.Study.Seed = seed + 1 })
		early, others := 0, 0
		for i, b := range rec.Benchmarks {
			if len(b.Blocks) > 0 && i%3 == 0 {
				early++
			} else if len(b.Blocks) > 0 {
				others++
			}
		}
		if early != 10 || others == 0 || others == 20 {
			t.Errorf("seed %d: %d of 10 with other counts were reached, and %d of 20 others", seed, early, others)
		}
	}
}

// TestTotalErrorRate: of runs with a total in which nothing changed, at most
// 5% say faster or slower of any benchmark, though the data choose what is
// measured on; delta is 0, so that nothing ends early as the same. A change of
// 5% of one benchmark is found. The long form, with the bound as it stands, is
//
//	go test -tags lab ./cmd/tare/internal/study -run TestTotalErrorRate -v -timeout 8h
func TestTotalErrorRate(t *testing.T) {
	t.Parallel()
	runs := lab.Times(2, 2000)
	for _, c := range []struct {
		benchmarks int
		total      time.Duration
		changed    float64
		counts     bool // of every third benchmark differ, so that it comes first
	}{{1, 20 * time.Second, 0, false}, {6, 60 * time.Second, 0, false}, {20, 60 * time.Second, 0, false}, {20, 60 * time.Second, 0, true}, {20, 150 * time.Second, 0, false}, {20, 200 * time.Second, 0.05, false}} {
		if raceDetector && c.benchmarks > 6 {
			continue
		}
		theta := func(i int) float64 {
			if i == 3 {
				return math.Log1p(c.changed)
			}
			return 0
		}
		wrong, found := 0, 0
		var mu sync.Mutex
		t.Run(fmt.Sprintf("%d in %v", c.benchmarks, c.total), func(t *testing.T) {
			for seed := range uint64(runs) {
				f := noisy(seed, c.benchmarks, 50*time.Millisecond, 0.02, theta)
				if c.counts {
					f.first = thirds
				}
				rec, took := totalStudy(t, f, c.total, func(o *Options) {
					o.Study.Delta, o.Study.Seed = 0, seed+1
				})
				if took > c.total*11/10 {
					t.Errorf("seed %d: took %v", seed, took)
				}
				any := false
				for _, row := range judge.Compare(rec).Benchmarks {
					if row.Unit != "sec/op" || row.Verdict != result.Faster && row.Verdict != result.Slower {
						continue
					}
					if c.changed > 0 && row.Name == "B3" {
						found++
						continue
					}
					any = true
				}
				mu.Lock()
				if any {
					wrong++
				}
				mu.Unlock()
			}
		})
		limit := 0.05 * float64(runs)
		if runs < 2000 {
			limit += 4 * math.Sqrt(float64(runs)*0.05*0.95)
		}
		t.Logf("%d benchmarks in %v: %d of %d runs with a false verdict, %d found", c.benchmarks, c.total, wrong, runs, found)
		if float64(wrong) > limit {
			t.Errorf("%d benchmarks in %v: %d of %d runs have a false verdict", c.benchmarks, c.total, wrong, runs)
		}
		if c.changed > 0 && found < runs*95/100 {
			t.Errorf("%+.0f %% is found in %d of %d runs", 100*c.changed, found, runs)
		}
	}
}

// TestForecast: from a third of the run on, what has passed and what is expected
// to come are within a quarter of what the run takes in the end; the counter of
// finished benchmarks never decreases.
func TestForecast(t *testing.T) {
	t.Parallel()
	seeds := uint64(lab.Times(1, 3))
	for _, c := range []struct {
		name       string
		benchmarks int
		sd         float64
		theta      func(int) float64
		total      time.Duration
		budget     float64
	}{
		{"quiet", 30, 0.003, none, 0, 10},
		{"noisy", 30, 0.06, none, 0, 10},
		{"changed", 30, 0.02, func(i int) float64 { return 0.02 * float64(i%3) }, 0, 10},
		{"some packages", 40, 0.02, none, 0, 10},
		{"total", 30, 0.03, none, 150 * time.Second, 0},
		{"total that is enough", 10, 0.005, none, 150 * time.Second, 0},
	} {
		if !lab.Long && slices.Contains([]string{"quiet", "some packages", "total that is enough"}, c.name) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			for seed := range seeds {
				f := noisy(seed, c.benchmarks, 30*time.Millisecond, c.sd, c.theta)
				type point struct{ at, left time.Duration }
				var points []point
				done := 0
				_, took := totalStudy(t, f, c.total, func(o *Options) {
					began := time.Now()
					o.Study.Seed = seed + 1
					if o.Study.BudgetSeconds = c.budget; c.total == 0 {
						o.Study.MaxBlocks = 40
					}
					o.Watcher = hearing{o.Watcher, func(e Event) {
						if e.Phase == "measuring" {
							points = append(points, point{time.Since(began), e.Left})
						}
						if e.Done < done {
							t.Errorf("seed %d: %d benchmarks are finished, and were %d", seed, e.Done, done)
						}
						done = e.Done
					}}
				})
				worst := 0.0
				for _, p := range points {
					if p.at >= took/3 {
						worst = max(worst, math.Abs((p.at+p.left).Seconds()/took.Seconds()-1))
					}
				}
				t.Logf("seed %d: %v, off by %.0f %% at most from a third on", seed, took, 100*worst)
				if worst > 0.25 || done != c.benchmarks {
					t.Errorf("seed %d: off by %.0f %% of %v; %d finished", seed, 100*worst, took, done)
				}
			}
		})
	}
}

// TestTotalFindsEarly: where the total ends during the first looks, which call
// no difference by themselves, a great difference of what was reached is called.
func TestTotalFindsEarly(t *testing.T) {
	theta := func(i int) float64 { return math.Log(1.5) * float64(i%10/9) }
	rec, _ := totalStudy(t, noisy(1, 100, 30*time.Millisecond, 0.02, theta), time.Minute, nil)
	reached, called := 0, 0
	for _, b := range judge.Compare(rec).Benchmarks {
		var i int
		fmt.Sscanf(b.Name, "B%d", &i)
		if b.Unit != "sec/op" || theta(i) == 0 || b.Verdict == result.NotReached {
			continue
		}
		if reached++; b.Verdict == result.Slower {
			called++
		}
	}
	t.Logf("%d of 10 were reached, %d called", reached, called)
	if reached < 2 || called < reached-1 { // the last may not fit
		t.Errorf("%d of 10 were reached, %d called", reached, called)
	}
}

// TestReach: where a total is too short for all benchmarks, the study says so
// before it measures, and from a third of the run on within a tenth of the
// benchmarks how many it will reach; the time that it says is enough is enough.
func TestReach(t *testing.T) {
	for _, c := range []struct {
		benchmarks int
		perOp      time.Duration
		total      time.Duration
		enough     bool
	}{
		{5, 50 * time.Microsecond, 20 * time.Second, true},
		{100, 30 * time.Millisecond, time.Minute, false},
		{10, 700 * time.Millisecond, time.Minute, false},
		{40, 150 * time.Millisecond, time.Minute, false},
	} {
		if c.perOp > 100*time.Millisecond && !lab.Long {
			continue
		}
		what := fmt.Sprintf("%d benchmarks of %v in %v", c.benchmarks, c.perOp, c.total)
		reach := func(total time.Duration) (planned result.Reach, reached int) {
			type point struct {
				at time.Duration
				to result.Reach
			}
			var points []point
			rec, took := totalStudy(t, noisy(1, c.benchmarks, c.perOp, 0.1, none), total, func(o *Options) {
				o.Watcher = hearing{o.Watcher, func(e Event) {
					if e.Phase == "planned" {
						planned = e.Reach
					}
					if e.Phase == "measuring" {
						points = append(points, point{time.Since(o.Begun), e.Reach})
					}
				}}
			})
			reached = c.benchmarks - judge.Compare(rec).Summary.NotReached
			worst := 0
			for _, p := range points {
				if p.to.Of != c.benchmarks {
					t.Errorf("%s: %+v at %v", what, p.to, p.at)
				}
				if off := p.to.Expected - reached; p.at >= took/3 && max(off, -off) > max(worst, -worst) {
					worst = off
				}
			}
			t.Logf("%s, a total of %v: planned %+v, reached %d, expected off by %d from a third on", what, total, planned, reached, worst)
			if max(worst, -worst) > max(1, c.benchmarks/10) {
				t.Errorf("%s: expected off by %d of %d", what, worst, reached)
			}
			return planned, reached
		}
		planned, reached := reach(c.total)
		if c.enough != (planned.Expected == planned.Of) || c.enough != (reached == c.benchmarks) || planned.Of != c.benchmarks {
			t.Errorf("%s: planned %+v, reached %d", what, planned, reached)
		}
		if c.enough {
			continue
		}
		if _, reached := reach(planned.Enough); reached < c.benchmarks*9/10 {
			t.Errorf("%s: %v is said to be enough, and %d are reached", what, planned.Enough, reached)
		}
	}
}

// slowSource takes its time to build one package.
type slowSource struct {
	fakeSource
	takes time.Duration
}

func (s slowSource) Binary(ctx context.Context, pkg string, layout uint64) (Binary, error) {
	if pkg == "slow" {
		select {
		case <-ctx.Done():
			return Binary{}, ctx.Err()
		case <-time.After(s.takes):
		}
	}
	return s.fakeSource.Binary(ctx, pkg, layout)
}
