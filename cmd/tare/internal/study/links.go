package study

import (
	"context"
	"sync"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// slowLink is the link time from which the binaries are too large to link a
// function order per block, which would fill the disk. Blocks then share the
// fewest orders that can decide, and the unit of analysis is the order.
const slowLink = 2 * time.Second

// links are the linked function orders of a package, made in advance and
// shared by its benchmarks. A set is the function order of a block, with one
// binary per variant.
type links struct {
	source []Source
	pkg    string
	draws  draws
	base   map[int]Binary
	varied bool
	event  func(Event)
	lanes  *linkLimiter
	// takes is the time of the fastest of the first links, since a busy machine
	// slows single links. It is 0 before the first.
	takes time.Duration
	// ctx is the context of the links. cancel ends it when they are no longer needed.
	ctx    context.Context
	cancel context.CancelFunc

	// scratch is the directory for the copies that workers run. copied are the
	// copies of blocks that are not linked again.
	scratch string
	copied  map[int]*linkSet

	// counted is set when the benchmarks of the package have been counted.
	counted bool

	mu   sync.Mutex
	made map[int]*linkSet // by number of the block, or of the set
}

type linkSet struct {
	done chan struct{}
	bins map[int]Binary
	err  error
}

func (s *linkSet) ready() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// copiedSource is a Source that copies the binaries of another Source without a
// link.
type copiedSource interface {
	Source
	// Original is the Source that links.
	Original() Source
}

func (l *links) linked() (n int) {
	for v := range l.base {
		if _, copied := l.source[v].(copiedSource); !copied {
			n++
		}
	}
	return n
}

func (r *runner) newLinks(ctx context.Context, pkg string, bins map[int]Binary) *links {
	l := &links{
		source: r.o.Sources, pkg: pkg, draws: r.draws, base: bins, varied: r.o.FuncOrders && r.most() > 1 && len(bins) > 0,
		event: r.event, made: make(map[int]*linkSet), lanes: r.lanes, scratch: r.o.Scratch, copied: make(map[int]*linkSet),
	}
	l.ctx, l.cancel = context.WithCancel(ctx)
	l.ahead(0, 1)
	return l
}

// first waits for the first set. It shows whether function orders can be
// linked, and how long a link takes.
func (l *links) first(ctx context.Context) error {
	if !l.varied {
		return nil
	}
	first, err := l.set(ctx, 0)
	if err != nil {
		return err
	}
	seeds := l.draws.funcOrderSeeds(l.pkg, 0)
	for v, bin := range first {
		if bin.Layout != seeds[v] {
			// One variant cannot be relinked. It would be unfair to compare a seed of the
			// other variant with the default order of this one.
			l.varied = false
		}
		if bin.LinkTime > 0 && (l.takes == 0 || bin.LinkTime < l.takes) {
			l.takes = bin.LinkTime
		}
	}
	return nil
}

// chooseFuncOrders chooses how many function orders the blocks of benchmarks share in turn. It
// takes as many as can be linked during their budgets, and at least as many as
// can decide. A budget of 0 has no limit.
func (l *links) chooseFuncOrders(benchmarks, blocks, fewest int, budget time.Duration) {
	if !l.varied || l.takes == 0 || benchmarks == 0 {
		return
	}
	orders := blocks
	if budget > 0 {
		each := l.takes * time.Duration(l.linked()) / time.Duration(linkers())
		orders = int(min(float64(blocks), float64(benchmarks)*float64(budget)/float64(max(each, 1))))
	}
	if l.takes > slowLink {
		orders = fewest
	}
	if orders = max(orders, fewest); orders < blocks {
		l.draws.FuncOrders = orders
	}
}

// ahead starts to link the binaries of the blocks from the i-th up to another,
// in their order, and does not wait.
func (l *links) ahead(from, upTo int) {
	for i := from; l.varied && i < upTo; i++ {
		l.start(i)
	}
}

// start links the set of block k, unless that has started.
func (l *links) start(k int) *linkSet {
	k = l.draws.funcOrder(k)
	l.mu.Lock()
	defer l.mu.Unlock()
	if s := l.made[k]; s != nil {
		return s
	}
	s := &linkSet{done: make(chan struct{}), bins: make(map[int]Binary)}
	l.made[k] = s
	seeds := l.draws.funcOrderSeeds(l.pkg, k)
	var mu sync.Mutex
	var wg, linked sync.WaitGroup
	linked.Add(l.linked())
	for v := range l.base {
		wg.Go(func() {
			var bin Binary
			var err error
			link := func() { bin, err = l.source[v].Binary(l.ctx, l.pkg, seeds[v]) }
			if _, copied := l.source[v].(copiedSource); copied {
				linked.Wait()
				link()
			} else {
				l.lanes.link(k, link)
				linked.Done()
			}
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
		if s.err == nil {
			s.bins, s.err = l.place(k, s.bins)
		}
		close(s.done)
	}()
	return s
}

func (l *links) set(ctx context.Context, k int) (map[int]Binary, error) {
	s := l.start(k)
	if !s.ready() {
		l.event(Event{Phase: "linking", Benchmark: result.Benchmark{Key: result.Key{Pkg: l.pkg}}})
		l.lanes.lendMeasuring()
		select {
		case <-s.done:
		case <-ctx.Done():
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return s.bins, s.err
}

// ready reports whether the binaries of the i-th block exist, or the block may
// request them.
func (l *links) ready(i int) bool {
	if !l.varied {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.made[l.draws.funcOrder(i)]
	return s != nil && s.ready()
}

func (l *links) binaries(ctx context.Context, k int) (map[int]Binary, error) {
	if l.varied {
		return l.set(ctx, k)
	}
	if l.scratch == "" {
		return l.base, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.copied[k]
	if s == nil {
		s = new(linkSet)
		s.bins, s.err = l.place(k, l.base)
		l.copied[k] = s
	}
	return s.bins, s.err
}

func (l *links) close() {
	if l.cancel != nil {
		l.cancel()
		l.lanes.lendMeasuring() // a waiting link gets a lane and ends at once
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for k := range l.copied {
		l.unplace(k)
	}
	for k, s := range l.made {
		<-s.done
		l.unplace(k)
		for v := range s.bins {
			l.source[v].Release(l.pkg, l.draws.funcOrderSeeds(l.pkg, k)[v])
		}
	}
}
