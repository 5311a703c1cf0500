package study

import (
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/worker"
	"github.com/tarebench/tare/internal/finding"
)

// fake are processes without a process: slices take the time that they say,
// of a clock that stands still meanwhile (testing/synctest).
type fake struct {
	// disturbed is what the look after a block shows, by its number from 1.
	disturbed func(block int) (unreadable string, found []finding.Finding)
	brackets  int
	names     []string
	// perOp is how long an operation of a variant takes.
	perOp []time.Duration
	// factor, if not nil, scales perOp in a process of a benchmark's variant.
	factor func(name string, variant int) float64
	// setup is what a slice takes besides, untimed, and timedSetup what it
	// takes besides within its timed part.
	setup, timedSetup time.Duration
	// untimed is what every operation takes besides, untimed.
	untimed time.Duration
	// noise, if not nil, scales what a slice takes.
	noise func() float64
	// busy, if not 0, is how many times as long a slice of more than 2 ms takes
	// because other programs use the CPU. Slices then have their CPU time.
	busy float64
	// rare, if not 0, is what every often-th operation of the second variant takes
	// besides.
	rare  time.Duration
	often int64
	// fill is how long operations take to fill the caches, which the others empty:
	// meanwhile one takes half as long again.
	fill time.Duration
	// memory are the slots that read memory.
	memory []worker.Slot
	// mallocs, if not nil, is what a slice allocates in a process.
	mallocs func(n int64, process int) uint64
	// halved is set if the second variant allocates half of it in each call, and
	// fewer is what the first variant allocates less in each operation.
	halved bool
	fewer  uint64
	// first, if not nil, is what the first iteration of a benchmark allocates.
	first func(name string, variant int) uint64
	// refill is the bytes that the first call of a process allocates more.
	refill uint64
	// wait, if not nil, is what the start of a group takes besides, by its number
	// from 0.
	wait func(group int) time.Duration
	// longest is the longest slice that was taken.
	longest time.Duration
	// starts are the variants of the groups that were started, in order.
	starts [][]int
	// ran are the variants of all slots that were taken, by group.
	ran [][]int
	// fail says whether a slot fails: the n-th slice of a group.
	fail func(group []int, slice int) *worker.SideError
	// ended and closed count groups.
	ended, closed int
	// counted is the number of processes that counted, beside the number of
	// those that run now.
	counted, beside int
	// clash says whether a process fails in a benchmark beside others.
	clash func(name string, beside int) bool
}

// countingFake guards the counts of all fakes.
var countingFake sync.Mutex

// sources give binaries whose paths are the numbers of their variants.
func (f *fake) sources(n int) (all []Source) {
	for v := range n {
		all = append(all, fakeSource(v))
	}
	return all
}

type fakeSource int

func (s fakeSource) Binary(_ context.Context, _ string, layout uint64) (Binary, error) {
	return Binary{Path: fmt.Sprint(int(s)), Overlaid: true, Layout: layout}, nil
}

func (fakeSource) Release(string, uint64) {}

func (f *fake) discover(_ context.Context, bin Binary, sel selection) (all []leafBenchmark, err error) {
	number := 0
	if sel.calls != nil {
		countingFake.Lock()
		number = f.counted
		f.counted, f.beside = f.counted+1, f.beside+1
		countingFake.Unlock()
	}
	selects := func(pattern, name string) bool {
		ok, err := regexp.MatchString(pattern, name)
		return ok && err == nil
	}
	for _, name := range f.names {
		if sel.calls != nil && (!selects(sel.plan.Bench, "Benchmark"+name) || sel.plan.Skip != "" && selects(sel.plan.Skip, "Benchmark"+name)) {
			continue
		}
		one := leafBenchmark{name: "Benchmark" + name, loop: "b.N", took: f.perOp[0], iteration: f.perOp[0]}
		if f.first != nil {
			one.first = result.Slice{N: 1, Counted: true, Mallocs: f.first(name, int(bin.Path[0]-'0'))}
		}
		if sel.calls != nil {
			one = f.count(one, sel, int(bin.Path[0]-'0'), number)
		}
		all = append(all, one)
	}
	if sel.calls != nil {
		countingFake.Lock()
		defer countingFake.Unlock()
		f.beside--
	}
	return all, nil
}

// count takes the calls of a benchmark in a process.
func (f *fake) count(one leafBenchmark, sel selection, variant, number int) leafBenchmark {
	call := func(n int64) (s result.Slice) {
		took := time.Duration(n) * f.perOp[variant]
		s = result.Slice{N: n, Counted: true, Raw: float64(took), Span: float64(took + f.setup)}
		time.Sleep(took + f.setup)
		countingFake.Lock()
		defer countingFake.Unlock()
		if f.mallocs != nil {
			s.Mallocs = f.mallocs(n, number)
		}
		if f.halved && variant == 1 {
			s.Mallocs /= 2
		}
		if variant == 0 {
			s.Mallocs -= f.fewer * uint64(n)
		}
		s.Bytes = 16 * s.Mallocs
		return s
	}
	one.first = call(1)
	countingFake.Lock()
	beside := f.beside
	countingFake.Unlock()
	if f.clash != nil && f.clash(one.name, beside) {
		one.outcome, one.message = failedReason, "address in use"
		return one
	}
	for {
		orders := sel.calls(one)
		if len(orders) == 0 {
			return one
		}
		for _, o := range orders {
			s := call(o.N)
			if len(one.calls) == 0 {
				s.Bytes += f.refill
			}
			one.calls = append(one.calls, s)
		}
	}
}

func (f *fake) bracket() func() (string, []finding.Finding) {
	f.brackets++
	number := f.brackets
	return func() (why string, found []finding.Finding) {
		if f.disturbed != nil {
			why, found = f.disturbed(number)
		}
		return why, found
	}
}

func (f *fake) watchOthers() func() (used, of float64) {
	return func() (used, of float64) { return math.NaN(), 0 }
}

func (f *fake) processors() ([]int, error) { return []int{0}, nil }

func (f *fake) start(_ context.Context, configs []worker.Config, _ worker.Options) (worker.Group, error) {
	g := &fakeGroup{fake: f}
	for _, c := range configs {
		v := int(c.Path[0] - '0')
		g.variants = append(g.variants, v)
		scale := 1.0
		if f.factor != nil {
			scale = f.factor(c.Name, v)
		}
		g.scale = append(g.scale, scale)
	}
	f.starts = append(f.starts, g.variants)
	g.number, g.filled = len(f.ran), make([]int64, len(configs))
	f.ran = append(f.ran, nil)
	time.Sleep(startTime)
	if f.wait != nil {
		time.Sleep(f.wait(g.number))
	}
	return g, nil
}

type fakeGroup struct {
	*fake
	variants []int
	scale    []float64
	number   int
	// filled is how much of its caches a side has, in operations.
	filled []int64
	// done counts the operations of the second variant.
	done int64
}

func (g *fakeGroup) Leaf(side int) worker.Message {
	d := float64(g.perOp[g.variants[side]])
	return worker.Message{Kind: worker.Leaf, Loop: "b.N", Slice: result.Slice{N: 1, Raw: d, Span: d, Pauses: 1}}
}

func (g *fakeGroup) Run(ctx context.Context, slots []worker.Slot) (taken []result.Slice, err error) {
	for _, s := range slots {
		v := g.variants[s.Side]
		if g.fail != nil {
			if of := g.fail(g.variants, len(g.ran[g.number])); of != nil {
				of.Side = s.Side
				return taken, of
			}
		}
		perOp := g.perOp[v]
		perOp = time.Duration(float64(perOp) * g.scale[s.Side])
		g.refill(s.Side, s.Warm)
		timed := perOp*time.Duration(s.N+g.refill(s.Side, s.N)/2) + g.timedSetup
		if g.rare > 0 && v == 1 {
			timed += g.rare * time.Duration((g.done+s.N)/g.often-g.done/g.often)
			g.done += s.N
		}
		if g.noise != nil {
			timed = time.Duration(float64(timed) * g.noise())
		}
		cpu := timed
		if g.busy > 0 && timed > 2*time.Millisecond {
			timed = time.Duration(float64(timed) * g.busy)
		}
		span := timed + g.setup + perOp*time.Duration(s.Warm) + g.untimed*time.Duration(s.N+s.Warm)
		g.longest = max(g.longest, span)
		select { // a worker is killed when its context ends
		case <-time.After(span):
		case <-ctx.Done():
			return taken, ctx.Err()
		}
		g.ran[g.number] = append(g.ran[g.number], v)
		if s.Reading == worker.Memory {
			g.memory = append(g.memory, s)
		}
		x := result.Slice{N: s.N, Raw: float64(timed), Span: float64(span), Pauses: 1}
		if g.busy > 0 {
			if x.Followed = g.number > 0; x.Followed { // the pilot's goroutine changes threads
				x.Delay = float64(timed - cpu)
				x.Span -= x.Delay
			}
		}
		if x.Counted = s.Reading == worker.Every; x.Counted && g.mallocs != nil {
			x.Mallocs = g.mallocs(s.N, g.number)
		}
		taken = append(taken, x)
		if ctx.Err() != nil {
			return taken, ctx.Err()
		}
	}
	return taken, nil
}

// refill is how many of n operations of a side have cold caches.
func (g *fakeGroup) refill(side int, n int64) int64 {
	before, full := g.filled[side], int64(g.fill/max(1, g.perOp[g.variants[side]]))
	for i := range g.filled {
		g.filled[i] = max(0, g.filled[i]-n)
	}
	g.filled[side] = min(full, before+n)
	return min(n, full-before)
}

func (g *fakeGroup) Direct() (bool, string) { return true, "" }
func (g *fakeGroup) Uses() []result.Process {
	all := make([]result.Process, len(g.variants))
	for side := range all { // a quick side runs more
		all[side].N = int64(time.Millisecond / max(1, g.perOp[g.variants[side]]))
	}
	return all
}
func (g *fakeGroup) Close() { g.closed++ }
func (g *fakeGroup) End(context.Context) ([]worker.Message, error) {
	g.ended++
	return make([]worker.Message, len(g.variants)), nil
}

// study runs a study of two variants over the fake, at once.
func (f *fake) study(t *testing.T, edit func(*Options)) (rec *result.Recording, err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var lines []result.Line
		o := Options{
			Study: compareStudy(40, func(p *result.Plan) { p.Procs = []int{1} }), Sources: f.sources(2), Packages: []string{"p"},
			Write: func(l result.Line) error { lines = append(lines, l); return nil },
		}
		o.Study.BudgetSeconds = 10
		if edit != nil {
			edit(&o)
		}
		err = run(t.Context(), o, f)
		rec = result.NewRecording(lines)
	})
	return rec, err
}

// judgeFunc decides by a function.
type judgeFunc func(result.Study, result.Benchmark) Decision

func (judgeFunc) Event(Event) {}

// hearing is a watcher that passes events on.
type hearing struct {
	Watcher
	event func(Event)
}

func (h hearing) Event(e Event) { h.event(e) }

func (h hearing) Observe(s result.Study, b result.Benchmark) Decision {
	if h.Watcher == nil {
		return Decision{}
	}
	return h.Watcher.Observe(s, b)
}

// sameCode says which benchmarks are the same code.
type sameCode func(result.Benchmark) bool

func (f sameCode) Same(b result.Benchmark) bool { return f(b) }
func (sameCode) FileLog(string, int) string     { return "" }

func (f judgeFunc) Observe(s result.Study, b result.Benchmark) Decision { return f(s, b) }

func after(blocks int) Watcher {
	return judgeFunc(func(_ result.Study, b result.Benchmark) Decision {
		return Decision{Done: len(b.Blocks) >= blocks, Reason: "decided"}
	})
}

// TestOrderOfSlices: what runs is the plan that the seed draws, and what is on
// record is what ran.
func TestOrderOfSlices(t *testing.T) {
	f := &fake{names: []string{"X"}, perOp: []time.Duration{50, 51}}
	rec, err := f.study(t, func(o *Options) { o.Watcher = after(3) })
	if err != nil {
		t.Fatal(err)
	}
	b := rec.Benchmarks[0]
	if len(b.Blocks) != 3 || rec.Stops[0].Reason != "decided" || len(f.starts) != 4 {
		t.Fatalf("%d blocks, stops %+v, %d groups; want a pilot and 3 blocks", len(b.Blocks), rec.Stops, len(f.starts))
	}
	plan := draws{Seed: rec.Study.Seed, Variants: 2}
	for k, blk := range b.Blocks {
		drawn, group := plan.Block(b.Key, k), k+1
		if !slices.Equal(f.starts[group], drawn.Start) || blk.First != drawn.Start[0] {
			t.Errorf("block %d: workers start in the order %v, drawn is %v", k, f.starts[group], drawn.Start)
		}
		var ran []int
		for i, order := range drawn.variantOrders(len(blk.Rounds)) {
			if !slices.Equal(order, blk.Rounds[i].Order) {
				t.Fatalf("block %d, round %d: %v on record, drawn is %v", k, i, blk.Rounds[i].Order, order)
			}
			ran = append(ran, order...)
		}
		// A probe goes before the first block.
		if at := strings.Index(fmt.Sprint(f.ran[group]), strings.Trim(fmt.Sprint(ran), "[]")); at < 0 || k > 0 && at != 1 {
			t.Errorf("block %d: slices ran in another order than on record", k)
		}
		for i, r := range blk.Rounds {
			if r.Warmup != (i == 0) || i > 0 && r.At <= blk.Rounds[i-1].At {
				t.Errorf("block %d, round %d: warm-up %t at %g s", k, i, r.Warmup, r.At)
			}
		}
	}
	if f.ended != 4 || f.closed != 4 {
		t.Errorf("%d groups were ended and %d closed, want 4", f.ended, f.closed)
	}
}

// TestPilotLength: slices of 100 µs, or one operation.
func TestPilotLength(t *testing.T) {
	for _, c := range []struct {
		perOp  time.Duration
		n      int64
		rounds int
	}{
		{10, 10_000, 120},
		{3 * time.Microsecond, 33, 120},
		{time.Millisecond, 1, 100},
		{time.Second, 1, 1},
	} {
		f := &fake{names: []string{"X"}, perOp: []time.Duration{c.perOp, c.perOp}}
		rec, err := f.study(t, func(o *Options) { o.Watcher = after(2) })
		if err != nil {
			t.Fatal(err)
		}
		p := rec.Benchmarks[0].Pilot
		if p.Iterations < c.n*9/10 || p.Iterations > c.n*11/10 || p.Rounds < c.rounds*9/10 || p.Rounds > c.rounds*11/10 {
			t.Errorf("an operation of %v: %+v, want %d iterations and %d rounds", c.perOp, p, c.n, c.rounds)
		}
	}
}

// TestBudgetStops: a study takes no more blocks than fit into the budget, and
// a block that takes too long ends early, with whole rounds.
func TestBudgetStops(t *testing.T) {
	f := &fake{names: []string{"X"}, perOp: []time.Duration{time.Millisecond, time.Millisecond}, setup: 10 * time.Millisecond}
	rec, err := f.study(t, func(o *Options) { o.Study.BudgetSeconds = 3; o.Iterations = 1 })
	if err != nil {
		t.Fatal(err)
	}
	b, spent := rec.Benchmarks[0], 0.0
	for _, k := range b.Blocks {
		spent += k.Seconds
		for i, r := range k.Rounds {
			if r.Slices[0].N != 1 || r.Slices[1].N != 1 {
				t.Errorf("block %d, round %d is not whole", k.Block, i)
			}
		}
	}
	if rec.Stops[0].Reason != "budget" || spent > 3.2 || spent < 1.5 {
		t.Errorf("%+v after %g s of a budget of 3 s", rec.Stops, spent)
	}
	// One block of all rounds would take ten times the budget.
	f.setup = 200 * time.Millisecond
	rec, err = f.study(t, func(o *Options) { o.Study.BudgetSeconds = 3; o.Iterations = 1 })
	if err != nil {
		t.Fatal(err)
	}
	blocks := rec.Benchmarks[0].Blocks
	if len(blocks) < 6 || len(rec.Findings) > 0 || blocks[0].Seconds > 1 {
		t.Errorf("%d blocks, the first of %g s and %d rounds", len(blocks), blocks[0].Seconds, len(blocks[0].Rounds))
	}
	// A setup that takes the budget alone is named after the first block. Slow
	// operations are not.
	for setup, want := range map[time.Duration]bool{2 * time.Second: true, 0: false} {
		f.setup, f.perOp = setup, []time.Duration{2*time.Second - setup + time.Microsecond, 2*time.Second - setup + time.Microsecond}
		rec, err = f.study(t, func(o *Options) { o.Study.BudgetSeconds = 3 })
		if err != nil {
			t.Fatal(err)
		}
		named := slices.ContainsFunc(rec.Findings, func(f finding.Finding) bool { return f.ID == catalog.SlowSetup.ID })
		if n := len(rec.Benchmarks[0].Blocks); named != want || named && n > 1 {
			t.Errorf("setup of %v: %d blocks, %v", setup, n, rec.Findings)
		}
	}
}

// TestFailureKeepsRounds: what was measured before a side failed is on record,
// and does not count.
func TestFailureKeepsRounds(t *testing.T) {
	f := &fake{names: []string{"X", "Y"}, perOp: []time.Duration{50, 50}}
	f.fail = func(group []int, slice int) *worker.SideError {
		// The third block of X, and its second try with one worker.
		if len(f.starts) == 4 && slice == 21 || len(f.starts) == 5 && len(group) == 1 {
			return &worker.SideError{Err: worker.ErrGone, Exit: errors.New("exit status 3"), Output: "why it ended\n"}
		}
		return nil
	}
	rec, err := f.study(t, func(o *Options) { o.Watcher = after(4) })
	if err != nil {
		t.Fatal(err)
	}
	x, y := rec.Benchmarks[0].Blocks, rec.Benchmarks[1].Blocks
	if len(x) != 3 || x[2].Good() || len(x[2].Rounds) != 10 || x[2].Failed == "" || !x[1].Good() {
		t.Errorf("%d blocks of X, the last with %d rounds, failed %q", len(x), len(x[2].Rounds), x[2].Failed)
	}
	if len(y) != 4 {
		t.Errorf("%d blocks of Y", len(y))
	}
	for _, s := range rec.Stops {
		if s.Benchmark == 0 && (s.Reason != "failed" || s.Message != "exit status 3\nwhy it ended") {
			t.Errorf("stop %+v", s)
		}
	}
	if f.closed != len(f.starts) {
		t.Errorf("%d of %d groups were closed", f.closed, len(f.starts))
	}
}

// TestAloneAfterStall: two live workers that wait for each other run one after
// the other, in mirrored order, from the first block on; the plan says so, and
// the block that it is another try.
func TestAloneAfterStall(t *testing.T) {
	f := &fake{names: []string{"X"}, perOp: []time.Duration{50, 50}}
	f.fail = func(group []int, slice int) *worker.SideError {
		if len(group) > 1 && slice == 5 {
			return &worker.SideError{Err: worker.ErrStalled}
		}
		return nil
	}
	rec, err := f.study(t, func(o *Options) { o.Watcher = after(2) })
	if err != nil {
		t.Fatal(err)
	}
	b := rec.Benchmarks[0]
	if b.Pilot == nil || !b.Pilot.Alone || len(b.Blocks) != 2 || b.Blocks[0].Try != 1 || b.Blocks[1].Try != 0 || !b.Blocks[0].Good() {
		t.Fatalf("plan %+v, blocks %d", b.Pilot, len(b.Blocks))
	}
	if len(rec.Findings) != 1 || rec.Findings[0].ID != "one-at-a-time" {
		t.Errorf("findings %v", rec.Findings)
	}
	first := b.Blocks[1].First
	last := f.starts[len(f.starts)-4:]
	if want := [][]int{{first}, {1 - first}, {1 - first}, {first}}; !slices.EqualFunc(last, want, slices.Equal) {
		t.Errorf("the halves of a block start %v, want %v", last, want)
	}
}

// TestAloneAfterLaterClash: workers that clash in a later block run one at a
// time from then on, with the iterations that they had.
func TestAloneAfterLaterClash(t *testing.T) {
	f := &fake{names: []string{"X"}, perOp: []time.Duration{50, 50}}
	f.fail = func(group []int, slice int) *worker.SideError {
		if len(f.starts) == 3 && len(group) > 1 && slice == 7 { // the second block
			return &worker.SideError{Err: worker.ErrGone, Exit: errors.New("exit status 3")}
		}
		return nil
	}
	rec, err := f.study(t, func(o *Options) { o.Watcher = after(3) })
	if err != nil {
		t.Fatal(err)
	}
	b := rec.Benchmarks[0]
	if !b.Pilot.Alone || len(b.Blocks) != 3 || !b.Blocks[1].Good() || b.Blocks[1].Try != 1 {
		t.Fatalf("plan %+v, %d blocks", b.Pilot, len(b.Blocks))
	}
	if n, want := b.Blocks[1].Rounds[1].Slices[0].N, b.Blocks[0].Rounds[1].Slices[0].N; n != want {
		t.Errorf("%d iterations alone, %d together", n, want)
	}
	if len(rec.Findings) != 1 || rec.Findings[0].ID != "one-at-a-time" {
		t.Errorf("findings %v", rec.Findings)
	}
}

// TestOneAtATimeFromTheStart: one worker at a time from the first block on, if the user asks.
func TestOneAtATimeFromTheStart(t *testing.T) {
	f := &fake{names: []string{"X"}, perOp: []time.Duration{50, 50}}
	rec, err := f.study(t, func(o *Options) { o.Watcher, o.Alone = after(2), true })
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range f.starts {
		if len(group) != 1 {
			t.Errorf("workers of %v lived together", group)
		}
	}
	if b := rec.Benchmarks[0]; !b.Pilot.Alone || len(b.Blocks) != 2 || b.Blocks[0].Try != 0 || len(rec.Findings) != 0 {
		t.Errorf("plan %+v, %d blocks, findings %v", b.Pilot, len(b.Blocks), rec.Findings)
	}
}

// nthBlock makes a block unreadable.
func nthBlock(n int, why string) func(int) (string, []finding.Finding) {
	return func(block int) (string, []finding.Finding) {
		if block == n {
			return why, nil
		}
		return "", nil
	}
}

// TestDisturbedBlocksAreReplaced: they are on record and do not count.
func TestDisturbedBlocksAreReplaced(t *testing.T) {
	f := &fake{names: []string{"X"}, perOp: []time.Duration{50, 50}}
	f.disturbed = nthBlock(2, "stolen")
	rec, err := f.study(t, func(o *Options) { o.Study.MaxBlocks = 4 })
	if err != nil {
		t.Fatal(err)
	}
	if b := rec.Benchmarks[0].Blocks; len(b) != 5 || b[1].Good() || rec.Stops[0].Reason != "blocks" {
		t.Errorf("%d blocks, stops %+v", len(b), rec.Stops)
	}
}

// TestLostOrderIsReplacedFirst: the block after one that is lost has its function
// order, so that blocks share as many as were linked.
func TestLostOrderIsReplacedFirst(t *testing.T) {
	f := &fake{names: []string{"X"}, perOp: []time.Duration{50, 50}}
	old := newLinker(0, 2*slowLink, nil)
	f.disturbed = nthBlock(2, "suspended")
	rec, err := f.study(t, func(o *Options) {
		o.Sources, o.FuncOrders, o.Study.BudgetSeconds = []Source{old, newLinker(1, 2*slowLink, old)}, true, 2
		o.Study.MaxBlocks, o.Study.Alpha = 11, 0.05
	})
	if err != nil {
		t.Fatal(err)
	}
	orders := make(map[uint64]bool)
	b := rec.Benchmarks[0]
	for _, k := range b.Blocks[:min(len(b.Blocks), b.FuncOrders+1)] {
		if k.Good() {
			orders[k.FuncOrders[0]] = true
		}
	}
	if b.FuncOrders != judge.MinBlocks || len(orders) != b.FuncOrders || b.Blocks[1].FuncOrders[0] != b.Blocks[2].FuncOrders[0] {
		t.Errorf("%d good blocks share %d orders of %d", len(b.Blocks)-1, len(orders), b.FuncOrders)
	}
}

// TestBenchmarksTakeTurns: all are measured up to a look before any goes on to
// the next, and the judge knows how many there are from its first question on.
func TestBenchmarksTakeTurns(t *testing.T) {
	f := &fake{names: []string{"X", "Y", "Z"}, perOp: []time.Duration{50, 50}}
	var asked []string
	rec, err := f.study(t, func(o *Options) {
		o.Packages = []string{"p", "q"}
		o.Study.MaxBlocks = 11
		o.Watcher = judgeFunc(func(s result.Study, b result.Benchmark) Decision {
			if s.Family != 6 {
				t.Errorf("a family of %d, want 6", s.Family)
			}
			if n := len(asked); n == 0 || asked[n-1] != b.Pkg+b.Name {
				asked = append(asked, b.Pkg+b.Name)
			}
			return Decision{Done: b.Name == "Y" && len(b.Blocks) == 8, Reason: "decided"}
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"pX", "pY", "pZ", "pX", "pZ", "pX", "pZ", "qX", "qY", "qZ", "qX", "qZ", "qX", "qZ"}; !slices.Equal(asked, want) {
		t.Errorf("blocks of %v, want %v", asked, want)
	}
	if rec.Study.Family != 6 {
		t.Errorf("the recording has a family of %d", rec.Study.Family)
	}
}

// TestSameCodeIsNoMember: what is the same code is not measured, and no member
// of the family that the error rate is of.
func TestSameCodeIsNoMember(t *testing.T) {
	f := &fake{names: []string{"X", "Y", "Z"}, perOp: []time.Duration{50, 50}}
	rec, err := f.study(t, func(o *Options) {
		o.Packages = []string{"p", "q"}
		o.Study.MaxBlocks = 4
		o.Code = sameCode(func(b result.Benchmark) bool { return b.Name == "Y" })
		o.Watcher = judgeFunc(func(s result.Study, b result.Benchmark) Decision {
			if s.Family != 4 || b.Name == "Y" {
				t.Errorf("asked about %s in a family of %d, want 4 without Y", b.Name, s.Family)
			}
			return Decision{}
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	if rec.Study.Family != 4 {
		t.Errorf("the recording has a family of %d, want 4", rec.Study.Family)
	}
	same := 0
	for _, s := range rec.Stops {
		if s.Reason == result.SameCode {
			same++
		}
	}
	for _, b := range rec.Benchmarks {
		if (b.Name == "Y") != (len(b.Blocks) == 0) {
			t.Errorf("%s has %d blocks", b.Name, len(b.Blocks))
		}
	}
	if same != 2 {
		t.Errorf("%d stops for the same code, want 2", same)
	}
}

// TestInterruptedDiscovery: the study is on record, with what was found.
func TestInterruptedDiscovery(t *testing.T) {
	f := &fake{names: []string{"X"}, perOp: []time.Duration{50, 50}}
	var lines []result.Line
	ctx, cancel := context.WithCancel(t.Context())
	o := Options{
		Study: compareStudy(40, func(p *result.Plan) { p.Procs = []int{1} }), Sources: f.sources(2), Packages: []string{"p"},
		Write: func(l result.Line) error { lines = append(lines, l); return nil },
		Watcher: hearing{nil, func(e Event) {
			if e.Phase == "discovering" {
				cancel()
			}
		}},
	}
	if err := run(ctx, o, f); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	rec := result.NewRecording(lines)
	if rec.Study.Kind != "compare" || rec.End == nil || !rec.End.Interrupted {
		t.Errorf("%+v", rec)
	}
}
