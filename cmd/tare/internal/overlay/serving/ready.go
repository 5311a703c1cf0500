//go:build unix

// What the runtime allocates for itself, before calls are counted.

package testing

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// The runtime keeps ended threads and goroutines, and the records of blocked
// goroutines (sudog), and allocates another one if it has none where it needs
// it. A process that counts has tareSpare of each on every P. Otherwise one in
// ten calls of an operation that starts collections has an allocation of the
// runtime, and more if the machine is busy.
const tareSpare = 32

// tareStock fills these stores.
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
	// As many goroutines as Ps: each keeps its P until all run.
	var running atomic.Int64
	for range procs {
		start(func() {
			began := tareNanotime()
			for running.Add(1); running.Load() < int64(procs) && tareNanotime()-began < 10e6; {
			}
			var blocked atomic.Int64
			free := make(chan bool)
			for range tareSpare {
				start(func() {
					blocked.Add(1)
					<-free
				})
			}
			for blocked.Load() < tareSpare {
				runtime.Gosched()
			}
			close(free)
		})
	}
	ended.Wait()
}
