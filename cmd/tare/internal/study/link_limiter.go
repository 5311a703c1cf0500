package study

import (
	"cmp"
	"runtime"
	"slices"
	"sync"

	"github.com/tarebench/tare/cmd/tare/internal/process"
)

// linkLimiter are the processors that link: those other than the one that measures, and
// that one too while nothing is measured. Links that wait for a lane get one in
// the order of the blocks that need them.
type linkLimiter struct {
	mu sync.Mutex
	// free counts the lanes other than the processor that measures.
	free int
	// lends is whether that processor links while nothing is measured, lent
	// whether it does.
	lends, lent bool
	// alone is true where nothing at all is linked while something is measured.
	alone bool
	// measuring is true while something is, running counts links, and ended
	// wakes who waits for the end of one.
	measuring bool
	running   int
	ended     sync.Cond
	// cpus are the processors that measure, once they are chosen.
	cpus    []int
	waiting []*waitingLink
}

type waitingLink struct {
	block int
	// lane receives true for the processor that measures.
	lane chan bool
}

// newLinkLimiter makes the slots of a study. Of one variant the level counts, which
// a link on the other half of a processor raises by up to two times: nothing is
// linked while it is measured. Variants in lockstep are slowed alike.
func newLinkLimiter(variants int) *linkLimiter {
	n := runtime.GOMAXPROCS(0)
	l := &linkLimiter{free: max(1, n-1), lends: n > 1, alone: variants == 1}
	l.ended.L = &l.mu
	return l
}

// linkers is how many links run at once while something is measured.
func linkers() int { return max(1, runtime.GOMAXPROCS(0)-1) }

// place says which processors measure.
func (l *linkLimiter) place(cpus []int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cpus = cpus
}

// measure ends the links on the processor that measures, or all: it waits for
// those that run, and starts no other.
func (l *linkLimiter) measure() {
	l.mu.Lock()
	l.measuring = true
	for l.lent || l.alone && l.running > 0 {
		l.ended.Wait()
	}
	l.mu.Unlock()
}

// lendMeasuring gives the processor that measures to links until it measures again.
func (l *linkLimiter) lendMeasuring() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.measuring = false
	l.give()
}

// link runs do in a lane.
func (l *linkLimiter) link(block int, do func()) {
	w := &waitingLink{block, make(chan bool, 1)}
	l.mu.Lock()
	l.waiting = append(l.waiting, w)
	slices.SortStableFunc(l.waiting, func(a, b *waitingLink) int { return cmp.Compare(a.block, b.block) })
	l.give()
	l.mu.Unlock()
	if <-w.lane {
		defer l.leaveMeasuring()
		l.mu.Lock()
		cpus := l.cpus
		l.mu.Unlock()
		done := false
		_ = process.OnProcessors(cpus, func() error { done = true; do(); return nil })
		if !done {
			do() // it cannot be placed
		}
		return
	}
	defer l.leave()
	do()
}

// give gives free lanes to the links that wait.
func (l *linkLimiter) give() {
	for len(l.waiting) > 0 {
		switch {
		case l.alone && l.measuring:
			return
		case l.free > 0:
			l.free--
			l.waiting[0].lane <- false
		case l.lends && !l.measuring && !l.lent:
			l.lent = true
			l.waiting[0].lane <- true
		default:
			return
		}
		l.running++
		l.waiting = l.waiting[1:]
	}
}

func (l *linkLimiter) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.free++
	l.hasEnded()
}

func (l *linkLimiter) leaveMeasuring() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lent = false
	l.hasEnded()
}

func (l *linkLimiter) hasEnded() {
	l.running--
	l.ended.Broadcast()
	l.give()
}
