package study

import (
	"cmp"
	"runtime"
	"slices"
	"sync"

	"github.com/tarebench/tare/cmd/tare/internal/process"
)

// linkLimiter limits the CPUs that link. The measuring CPU links only while
// nothing is measured. Waiting links get lanes in the order of the blocks that
// need them.
type linkLimiter struct {
	mu sync.Mutex
	// free counts the free lanes, without the measuring CPU.
	free int
	// lends is whether the measuring CPU links while nothing is measured, and
	// lent is whether it does now.
	lends, lent bool
	// level is set for the study of a level, and alone while nothing is linked beside
	// what is measured.
	level, alone bool
	// measuring is true during a measurement, running counts links, and ended
	// wakes the callers that wait for a link to end.
	measuring bool
	running   int
	ended     sync.Cond
	// cpus are the measuring CPUs, after they are chosen.
	cpus    []int
	waiting []*waitingLink
}

type waitingLink struct {
	block int
	// lane receives true for the measuring CPU.
	lane chan bool
}

// newLinkLimiter makes the lanes of a study. With one variant the level counts,
// and a link on the other half of a CPU raises it by up to two times. So
// nothing is linked while it is measured. Variants in lockstep are slowed
// alike, unless they use the CPUs that link.
func newLinkLimiter(variants int) *linkLimiter {
	n := runtime.GOMAXPROCS(0)
	l := &linkLimiter{free: max(1, n-1), lends: n > 1, level: variants == 1}
	l.ended.L = &l.mu
	return l
}

func linkers() int { return max(1, runtime.GOMAXPROCS(0)-1) }

func (l *linkLimiter) place(cpus []int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cpus = cpus
}

// measure ends the links on the measuring CPU, or all links if alone. It waits for
// the running ones and starts no others.
func (l *linkLimiter) measure(alone bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.measuring, l.alone = true, alone || l.level
	for l.lent || l.alone && l.running > 0 {
		l.ended.Wait()
	}
	l.give()
}

func (l *linkLimiter) lendMeasuring() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.measuring = false
	l.give()
}

func (l *linkLimiter) link(block int, do func()) {
	w := &waitingLink{block, make(chan bool, 1)}
	l.mu.Lock()
	l.waiting = append(l.waiting, w)
	slices.SortStableFunc(l.waiting, func(a, b *waitingLink) int { return cmp.Compare(a.block, b.block) })
	l.give()
	l.mu.Unlock()
	lent := <-w.lane
	defer l.leave(lent)
	if !lent {
		do()
		return
	}
	l.mu.Lock()
	cpus := l.cpus
	l.mu.Unlock()
	done := false
	_ = process.OnProcessors(cpus, func() error { done = true; do(); return nil })
	if !done {
		do() // it cannot be placed
	}
}

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

func (l *linkLimiter) leave(lent bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if lent {
		l.lent = false
	} else {
		l.free++
	}
	l.running--
	l.ended.Broadcast()
	l.give()
}
