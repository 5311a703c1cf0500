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
// its benchmarks. A set is the layout of a block, one binary a variant.
type links struct {
	source []Source
	pkg    string
	plan   Plan
	base   map[int]Binary
	varied bool
	event  func(Event)

	mu   sync.Mutex
	made map[int]*linkSet // by number of the block, or of the set
	next chan struct{}    // holds a token for every link that may run
}

// linkSet are the binaries of a set; done is closed when they are there.
type linkSet struct {
	done chan struct{}
	bins map[int]Binary
	err  error
}

// linkers is how many links run at once: all processors but the one that
// measures.
func linkers() int { return max(1, runtime.GOMAXPROCS(0)-1) }

// newLinks links the first set, to see whether layouts can be linked and how
// long that takes.
func (r *runner) newLinks(ctx context.Context, pkg string, bins map[int]Binary) (*links, error) {
	l := &links{
		source: r.o.Sources, pkg: pkg, plan: r.plan, base: bins, varied: r.o.Layouts && len(bins) > 0,
		event: r.event, made: make(map[int]*linkSet), next: r.linking,
	}
	if !l.varied {
		return l, nil
	}
	first, err := l.set(ctx, 0)
	if err != nil {
		return l, err
	}
	const never = time.Duration(math.MaxInt64)
	quickest := never
	seeds := l.plan.LayoutSeeds(pkg, 0)
	for v, bin := range first {
		if bin.Layout != seeds[v] {
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
		l.plan.Layouts = layoutSets
	}
	return l, nil
}

// sets is the number of sets that blocks share in turn; 0 is one per block.
func (l *links) sets() int { return l.plan.Layouts }

// ahead starts to link what the blocks from one number up to another need, in
// their order, and does not wait for it.
func (l *links) ahead(ctx context.Context, from, upTo int) {
	for k := from; l.varied && k < upTo; k++ {
		l.start(ctx, k)
	}
}

// start links the set of block k unless that has begun.
func (l *links) start(ctx context.Context, k int) *linkSet {
	if l.sets() > 0 {
		k %= l.sets()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if s := l.made[k]; s != nil {
		return s
	}
	s := &linkSet{done: make(chan struct{}), bins: make(map[int]Binary)}
	l.made[k] = s
	seeds := l.plan.LayoutSeeds(l.pkg, k)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for v := range l.base {
		wg.Go(func() {
			l.next <- struct{}{}
			defer func() { <-l.next }()
			bin, err := l.source[v].Binary(ctx, l.pkg, seeds[v])
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				s.err = err
				return
			}
			s.bins[v] = bin
		})
	}
	go func() {
		wg.Wait()
		close(s.done)
	}()
	return s
}

// set waits for the binaries of block k.
func (l *links) set(ctx context.Context, k int) (map[int]Binary, error) {
	s := l.start(ctx, k)
	select {
	case <-s.done:
	default:
		l.event(Event{Phase: "linking", Benchmark: result.Benchmark{Key: result.Key{Pkg: l.pkg}}})
		<-s.done // a link ends with its context
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return s.bins, s.err
}

// binaries are those of block k, by variant.
func (l *links) binaries(ctx context.Context, k int) (map[int]Binary, error) {
	if !l.varied {
		return l.base, nil
	}
	return l.set(ctx, k)
}

// close waits for the links that run, and gives all binaries back.
func (l *links) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for k, s := range l.made {
		<-s.done
		for v := range s.bins {
			l.source[v].Release(l.pkg, l.plan.LayoutSeeds(l.pkg, k)[v])
		}
	}
}
