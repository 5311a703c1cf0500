package study

import (
	"context"
	"math"
	"runtime"
	"sync"
	"time"

	"github.com/tarebench/tare/internal/result"
)

const (
	// slowLink is where linking a fresh layout per block and side costs more
	// than it is worth: then layoutSets of them are shared in turn, and the
	// layout becomes the unit of analysis.
	slowLink   = 2 * time.Second
	layoutSets = 8
)

// links are the linked layouts of a package, made ahead and shared by all of
// its benchmarks.
type links struct {
	r      *runner
	pkg    string
	base   map[int]Binary
	varied bool
	sets   int
	linked map[int]bool // block number, or set number
	made   map[[2]uint64]Binary
	failed error
}

// newLinks links the layouts of the first block, to see whether they can be
// linked and how long that takes.
func (r *runner) newLinks(ctx context.Context, pkg string, bins map[int]Binary) (*links, error) {
	l := &links{r: r, pkg: pkg, base: bins, varied: r.o.Layouts && len(bins) > 0, linked: make(map[int]bool), made: make(map[[2]uint64]Binary)}
	if err := l.ahead(ctx, 1); err != nil {
		return l, err
	}
	const never = time.Duration(math.MaxInt64)
	quickest := never
	for key, bin := range l.made {
		if bin.Layout != key[1] {
			// One side cannot be relinked: a seed on the other against the
			// default link here would not be fair.
			l.varied = false
		}
		if bin.LinkTime > 0 {
			quickest = min(quickest, bin.LinkTime)
		}
	}
	// The quickest of them: a busy machine makes any one link look slow.
	if l.varied && quickest != never && quickest > slowLink {
		l.sets = layoutSets
	}
	return l, nil
}

// ahead links what the blocks up to n need, on all cores, before they are
// measured: linking beside a measurement would disturb it.
func (l *links) ahead(ctx context.Context, n int) error {
	if !l.varied {
		return nil
	}
	if l.sets > 0 {
		n = min(n, l.sets)
	}
	type job struct {
		variant int
		seed    uint64
	}
	var jobs []job
	for k := range n {
		if l.linked[k] {
			continue
		}
		l.linked[k] = true
		for v, seed := range l.r.plan.LayoutSeeds(l.pkg, k) {
			if _, ok := l.base[v]; ok {
				jobs = append(jobs, job{v, seed})
			}
		}
	}
	if len(jobs) == 0 {
		return nil
	}
	l.r.event(Event{Phase: "linking", Benchmark: result.Benchmark{Key: result.Key{Pkg: l.pkg}}})
	var mu sync.Mutex
	var wg sync.WaitGroup
	work := make(chan job)
	for range min(runtime.GOMAXPROCS(0), len(jobs)) {
		wg.Go(func() {
			for j := range work {
				bin, err := l.r.o.Sources[j.variant].Binary(ctx, l.pkg, j.seed)
				mu.Lock()
				if err != nil {
					l.failed = err
				} else {
					l.made[[2]uint64{uint64(j.variant), j.seed}] = bin
				}
				mu.Unlock()
			}
		})
	}
	for _, j := range jobs {
		work <- j
	}
	close(work)
	wg.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return l.failed
}

// binaries are the binaries of a block, by variant. A layout that was not
// linked ahead (the block replaces a disturbed one) is linked now.
func (l *links) binaries(ctx context.Context, seeds []uint64) (map[int]Binary, error) {
	if !l.varied {
		return l.base, nil
	}
	bins := make(map[int]Binary)
	for v := range l.base {
		key := [2]uint64{uint64(v), seeds[v]}
		bin, ok := l.made[key]
		if !ok {
			var err error
			if bin, err = l.r.o.Sources[v].Binary(ctx, l.pkg, seeds[v]); err != nil {
				return nil, err
			}
			l.made[key] = bin
		}
		bins[v] = bin
	}
	return bins, nil
}

func (l *links) close() {
	for key := range l.made {
		l.r.o.Sources[key[0]].Release(l.pkg, key[1])
	}
}
