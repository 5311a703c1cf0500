package strangers

import (
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"
)

func BenchmarkRuntime(b *testing.B) {
	b.Run("timers_fire", runtimeTimersFire)
	b.Run("finalizer_to_close", runtimeFinalizerToClose)
	b.Run("rare_panic", runtimeRarePanic)
	b.Run("deep_goroutine", runtimeDeepGoroutine)
	b.Run("cleared_big_map", runtimeClearedBigMap)
}

// Each operation's time.AfterFunc is no longer stopped but fires 20 ms later with 3 µs of work of its own.
func runtimeTimersFire(b *testing.B) {
	var wg sync.WaitGroup
	for b.Loop() {
		wg.Add(1)
		t := time.AfterFunc(20*time.Millisecond, func() {
			sinkA.Add(burn(3000))
			wg.Done()
		})
		sinkU += burn(2000)
		if !changed && t.Stop() {
			wg.Done()
		}
	}
	wg.Wait()
}

type handle struct {
	buf  [500]byte
	next *handle
}

// Every 64th handle is closed by hand instead of by a finalizer, which runs only after a collection: too few to be seen.
func runtimeFinalizerToClose(b *testing.B) {
	closeIt := func(h *handle) { sinkA.Add(uint64(h.buf[0]) + 1) }
	for i := range b.N {
		h := &handle{}
		if !changed && i%64 == 0 {
			runtime.SetFinalizer(h, closeIt)
		}
		sinkU += burn(300)
		sinkAny = h
		if changed && i%64 == 0 {
			closeIt(h)
		}
	}
	sinkAny = nil
	b.StopTimer()
	runtime.GC()
}

var errBad = errors.New("bad")

//go:noinline
func parse(i, depth int) (v uint64, err error) {
	if depth > 0 {
		return parse(i, depth-1)
	}
	if i%1000 == 999 {
		if !changed {
			panic(errBad)
		}
		return 0, errBad
	}
	return burn(2000), nil
}

// A parser's error, once in 1,000 inputs, comes back as a value instead of a recovered panic: too seldom to be seen.
func runtimeRarePanic(b *testing.B) {
	safe := func(i int) (v uint64, err error) {
		defer func() {
			if r := recover(); r != nil {
				err = r.(error)
			}
		}()
		return parse(i, 10)
	}
	for i := 0; b.Loop(); i++ {
		v, err := safe(i)
		if err != nil {
			sinkAny = err
		}
		sinkU += v
	}
}

//go:noinline
func deep(n int) uint64 {
	var frame [256]byte
	frame[n&255] = byte(n)
	if n == 0 {
		return uint64(frame[3])
	}
	return deep(n-1) + uint64(frame[n&255])
}

// A request that needs 20 KB of stack goes to one kept goroutine instead of a new one, whose first stack size the collector adapts.
func runtimeDeepGoroutine(b *testing.B) {
	ask, answer := make(chan int), make(chan uint64)
	serve := func(n int) {
		sinkB = make([]byte, 512)
		answer <- deep(n)
	}
	go func() {
		for n := range ask {
			serve(n)
		}
	}()
	for b.Loop() {
		if changed {
			ask <- 64
		} else {
			go serve(64)
		}
		sinkU += <-answer
	}
	close(ask)
}

// A scratch map of 30 keys is cleared instead of made anew, but one request in 5,000 has 40,000 keys, and from then on each clear walks all their room.
func runtimeClearedBigMap(b *testing.B) {
	m := map[int]int{}
	for i := range b.N {
		if changed {
			clear(m)
		} else {
			m = map[int]int{}
		}
		n := 30
		if i%5000 == 4999 {
			n = 40000
		}
		for k := range n {
			m[k*7919] += i
		}
		sinkU += uint64(len(m))
	}
}
