package study

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/worker"
)

// linker is a Source whose links take a while.
type linker struct {
	fakeSource
	takes time.Duration
	mu    *sync.Mutex
	// made counts links by layout, at once those that run together.
	made            map[uint64]int
	running, atOnce *int
}

func newLinker(v int, takes time.Duration, other *linker) *linker {
	l := &linker{fakeSource: fakeSource(v), takes: takes, made: make(map[uint64]int)}
	if l.mu, l.running, l.atOnce = new(sync.Mutex), new(int), new(int); other != nil {
		l.mu, l.running, l.atOnce = other.mu, other.running, other.atOnce
	}
	return l
}

func (l *linker) Binary(ctx context.Context, pkg string, layout uint64) (Binary, error) {
	bin, _ := l.fakeSource.Binary(ctx, pkg, layout)
	if layout == 0 {
		return bin, nil
	}
	l.mu.Lock()
	*l.running++
	*l.atOnce = max(*l.atOnce, *l.running)
	l.mu.Unlock()
	select {
	case <-time.After(l.takes):
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	*l.running--
	if ctx.Err() != nil {
		return bin, ctx.Err()
	}
	l.made[layout]++
	bin.LinkTime = l.takes
	return bin, nil
}

// TestLinksWaitForLevels: nothing is linked while the level of one variant is
// measured, and as many layouts are used as blocks.
func TestLinksWaitForLevels(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	f := &fake{names: []string{"A", "B"}, perOp: []time.Duration{time.Microsecond}}
	of := newLinker(0, 30*time.Millisecond, nil)
	f.fail = func([]int, int) *worker.SideError {
		of.mu.Lock()
		defer of.mu.Unlock()
		if *of.running > 0 {
			t.Errorf("%d links run with a slice", *of.running)
		}
		return nil
	}
	rec, err := f.study(t, func(o *Options) {
		o.Study.Kind, o.Study.Variants = "run", o.Study.Variants[:1]
		o.Sources, o.FuncOrders, o.Study.BudgetSeconds = []Source{of}, true, 2
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(of.made) < 8 || len(rec.Benchmarks[0].Blocks) < 8 {
		t.Errorf("%d layouts, %d blocks", len(of.made), len(rec.Benchmarks[0].Blocks))
	}
}

// TestLinksAreHidden: links run while others are measured, and no more of them
// than blocks use. With two processors, one of which measures, 18 links of 0.7 s
// take 6 s during 8 s of measuring, and most of it is hidden: the long runs of a pilot
// wait for the running links.
func TestLinksAreHidden(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	f := &fake{names: []string{"A", "B", "C", "D"}, perOp: []time.Duration{time.Microsecond, time.Microsecond}}
	old := newLinker(0, 700*time.Millisecond, nil)
	new := newLinker(1, 700*time.Millisecond, old)
	rec, err := f.study(t, func(o *Options) {
		o.Sources, o.FuncOrders, o.Study.BudgetSeconds = []Source{old, new}, true, 2
		o.Study.Alpha = 0.05
	})
	if err != nil {
		t.Fatal(err)
	}
	measuring, used, blocks := 0.0, make(map[uint64]bool), 0
	for _, b := range rec.Benchmarks {
		if b.FuncOrders != 9 { // 2^-8 is less than half of 0.05/4
			t.Errorf("%s shares %d layouts, want the 9 that can decide among 4 benchmarks", b.Name, b.FuncOrders)
		}
		blocks = max(blocks, len(b.Blocks))
		for _, k := range b.Blocks {
			measuring += k.Seconds
			used[k.FuncOrders[0]] = true
		}
	}
	for layout, n := range old.made {
		if !used[layout] || n != 1 || new.made[layout] != 1 {
			t.Errorf("layout %d: linked %d and %d times, used is %v", layout, n, new.made[layout], used[layout])
		}
	}
	if len(used) > blocks || len(old.made) != len(used) {
		t.Errorf("%d layouts linked, %d used, %d blocks", len(old.made), len(used), blocks)
	}
	if *old.atOnce != 2 {
		t.Errorf("%d links ran at once, want 2 while nothing is measured", *old.atOnce)
	}
	if rest := rec.End.Seconds - measuring; measuring < 7 || rest > 6.5 {
		t.Errorf("%.1f s of measuring and %.1f s of other things, want at most 6.5 of those", measuring, rest)
	}
}

// TestFewestLayouts: this many benchmarks that eight layouts cannot find a
// difference share more of them.
func TestFewestLayouts(t *testing.T) {
	f := &fake{perOp: []time.Duration{time.Microsecond, time.Microsecond}}
	for i := range 100 {
		f.names = append(f.names, fmt.Sprint("N", i))
	}
	slow := newLinker(0, 2*slowLink, nil)
	rec, err := f.study(t, func(o *Options) {
		o.Sources, o.FuncOrders, o.Study.BudgetSeconds = []Source{slow, newLinker(1, 2*slowLink, slow)}, true, 2
		o.Study.Alpha = 0.05
		o.Watcher = after(1)
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := rec.Benchmarks[0].FuncOrders; got != 16 { // 1 + log2(2·100/0.05), rounded up, and 3
		t.Errorf("100 benchmarks share %d layouts, want 16", got)
	}
	if judge.NewDesign(40, 0.05, 100).FirstCalled() != 13 {
		t.Error("the design disagrees")
	}
}

// TestSameCodeLinksNothing: a package of which nothing is measured needs no
// layout.
func TestSameCodeLinksNothing(t *testing.T) {
	f := &fake{names: []string{"A", "B"}, perOp: []time.Duration{time.Microsecond, time.Microsecond}}
	old := newLinker(0, time.Second, nil)
	rec, err := f.study(t, func(o *Options) {
		o.Sources, o.FuncOrders = []Source{old, newLinker(1, time.Second, old)}, true
		o.Code = sameCode(func(result.Benchmark) bool { return true })
	})
	if err == nil || len(old.made) != 0 || rec.End.Seconds > 0.5 {
		t.Errorf("%d links, %.1f s: %v", len(old.made), rec.End.Seconds, err)
	}
}

// twice is a Source that copies the binaries of another one.
type twice struct {
	fakeSource
	of *linker
}

func (c twice) Original() Source { return c.of }

func (c twice) Binary(ctx context.Context, pkg string, layout uint64) (Binary, error) {
	c.of.mu.Lock()
	made := c.of.made[layout]
	c.of.mu.Unlock()
	if layout != 0 && made == 0 {
		return Binary{}, fmt.Errorf("layout %d is copied before it is linked", layout)
	}
	return c.fakeSource.Binary(ctx, pkg, layout)
}

// TestCopiesTakeNoLane: the copy of a binary waits for its original.
func TestCopiesTakeNoLane(t *testing.T) {
	f := &fake{names: []string{"A"}, perOp: []time.Duration{time.Microsecond, time.Microsecond}}
	old := newLinker(0, 100*time.Millisecond, nil)
	rec, err := f.study(t, func(o *Options) {
		o.Sources, o.FuncOrders, o.Watcher = []Source{old, twice{1, old}}, true, after(8)
	})
	if err != nil || len(rec.Benchmarks[0].Blocks) != 8 || len(old.made) != 8 {
		t.Errorf("%d blocks with %d links: %v", len(rec.Benchmarks[0].Blocks), len(old.made), err)
	}
}
