//go:build unix

// What the runtime allocates for itself, before calls are counted.

package testing

import (
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// The runtime keeps ended threads and goroutines, and the records of blocked
// goroutines (sudog), and allocates another one if it has none where it needs
// it. A process that counts has tareSpare of each on every P. A collection
// empties these stores and the pools of package sync, at a moment that depends on
// the machine. So a process that counts puts collections off until its memory
// has grown by tareGarbage. Then equal calls allocate equally.
const (
	tareSpare   = 32
	tareGarbage = 256 << 20
)

func tareKeepGarbage() {
	debug.SetGCPercent(-1)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	debug.SetMemoryLimit(int64(m.Sys-m.HeapReleased) + tareGarbage)
}

// tareFirstStock is for the first iteration of a process. Later ones have what
// the benchmark before them was announced with.
var tareFirstStock sync.Once

func tareStock() {
	procs := runtime.GOMAXPROCS(0)
	var threads, ended sync.WaitGroup
	start := func(f func()) {
		ended.Add(1)
		go func() {
			defer ended.Done()
			f()
		}()
	}
	free := make(chan bool)
	threads.Add(procs + 4)
	for range procs + 4 { // Ps, and threads that block or wait
		start(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			threads.Done()
			<-free
		})
	}
	threads.Wait()
	close(free)
	ended.Wait()
	// As many goroutines as Ps. Each keeps its P while others come, and until all
	// are done: a P without work takes goroutines from another one, and what
	// these release stays where they run.
	var come, done atomic.Int64
	meet := func(n *atomic.Int64) {
		began := tareNanotime()
		for n.Add(1); n.Load() < int64(procs) && tareNanotime()-began < 10e6; {
		}
	}
	for range procs {
		start(func() {
			meet(&come)
			// The first timer of a P, as the scavenger's, allocates its list.
			for range tareSpare {
				defer time.AfterFunc(time.Hour, func() {}).Stop()
			}
			var blocked, woken atomic.Int64
			free := make(chan bool)
			for range tareSpare {
				start(func() {
					blocked.Add(1)
					<-free
					woken.Add(1)
				})
			}
			for blocked.Load() < tareSpare {
				runtime.Gosched()
			}
			close(free)
			for woken.Load() < tareSpare {
				runtime.Gosched()
			}
			meet(&done)
		})
	}
	ended.Wait()
}
