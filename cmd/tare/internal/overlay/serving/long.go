//go:build unix

// Long runs: calls as go test makes them, on a machine that others use.

package testing

import (
	"runtime"
	"runtime/metrics"
	"strings"
	"sync/atomic"
	"syscall"
)

// tareWork is what the process has used and had to do so far, in nanoseconds.
// The runtime counts as busy the time of every P that is not idle, also while
// its thread waits for a CPU, and as user the part without the collector.
type tareWork struct {
	at, cpu    int64
	busy, user float64
}

var tareWorkSamples = []metrics.Sample{
	{Name: "/cpu/classes/total:cpu-seconds"},
	{Name: "/cpu/classes/idle:cpu-seconds"},
	{Name: "/cpu/classes/user:cpu-seconds"},
}

// tareWorkSoFar collects, as go test does before each call, since the runtime
// counts up to its last collection.
func tareWorkSoFar() (w tareWork) {
	runtime.GC()
	w.at = tareNanotime()
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) == nil {
		w.cpu = r.Utime.Nano() + r.Stime.Nano()
	}
	metrics.Read(tareWorkSamples)
	var seconds [3]float64
	for i, s := range tareWorkSamples {
		if s.Value.Kind() == metrics.KindFloat64 {
			seconds[i] = s.Value.Float64()
		}
	}
	w.busy, w.user = 1e9*(seconds[0]-seconds[1]), 1e9*seconds[2]
	return w
}

// until returns the share of the time up to now during which the process had
// work and no CPU, and the number of CPUs that its operations used, which is more
// if it had none for a part of the time: threads that look for work wait too.
func (w tareWork) until(now tareWork) (share, cpus float64) {
	wall, cpu := float64(now.at-w.at), float64(now.cpu-w.cpu)
	busy, user := now.busy-w.busy, now.user-w.user
	if wall <= 0 || busy <= 0 || cpu <= 0 {
		return 0, 0
	}
	return min(1, busy/wall) * max(0, 1-cpu/busy), max(0, user/wall)
}

// tareReady samples how many goroutines have work, of the collector none. On a busy
// machine nothing else tells parallel code from a goroutine that waits for a CPU:
// it changes threads, and threads that look for work wait too.
type tareReady struct {
	stop            atomic.Bool
	done            chan struct{}
	procs           int
	samples, counts int
}

func tareSampleReady() *tareReady {
	s := &tareReady{done: make(chan struct{}), procs: runtime.GOMAXPROCS(0)}
	// With its own P. Otherwise the sampler would run when the others have no work.
	runtime.GOMAXPROCS(s.procs + 1)
	go func() {
		defer close(s.done)
		stacks := make([]byte, 1<<16)
		for {
			if tareRest(); s.stop.Load() {
				return
			}
			s.samples++
			s.counts += strings.Count(string(stacks[:runtime.Stack(stacks, true)]), " [runnable")
		}
	}()
	return s
}

// end returns the mean number of goroutines with work, or 0 if it is not known.
func (s *tareReady) end() float64 {
	s.stop.Store(true)
	<-s.done
	runtime.GOMAXPROCS(s.procs)
	return float64(s.counts) / float64(max(1, s.samples))
}
