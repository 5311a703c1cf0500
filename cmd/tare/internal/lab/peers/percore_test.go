//go:build unix

package peers

import (
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/loov/hrtime"

	"github.com/tarebench/tare"
	"github.com/tarebench/tare/clock"
)

// processorTime is the CPU time of this process on all CPUs.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// together is the cost of one call if that many goroutines make it at the same
// time. It is CPU time, which other programs on the machine affect less than
// wall time. ok is false if they did not run at the same time.
func together(goroutines int, calls func() (once func())) (nanos float64, ok bool) {
	const each = 100_000
	var ready, all sync.WaitGroup
	var start atomic.Bool
	ready.Add(goroutines)
	for range goroutines {
		once := calls()
		all.Go(func() {
			runtime.LockOSThread() // and end the thread, so that none is warm
			ready.Done()
			for !start.Load() {
			}
			for range each {
				once()
			}
		})
	}
	ready.Wait()
	used, wall := processorTime(), clock.Now()
	start.Store(true)
	all.Wait()
	nanos = float64(processorTime() - used)
	parallel := nanos / float64(clock.Now()-wall)
	return nanos / float64(goroutines) / each, parallel > 0.9*float64(goroutines)
}

// BenchmarkStopwatchPerCore prints the cost of start and stop on each core if
// all of them do it at once, with one stopwatch for all and with one for each.
// The difference is the cost of sharing. Reads of the clock and plain
// arithmetic show how much slower any code is on cores that are two halves of
// one. The kinds alternate.
func BenchmarkStopwatchPerCore(b *testing.B) {
	cores := runtime.GOMAXPROCS(0)
	watch, hr := tare.NewStopwatch(0), (*hrtime.Stopwatch)(nil)
	kinds := []struct {
		name    string
		prepare func()
		calls   func() func()
	}{
		{"one stopwatch for all", func() {}, func() func() { return startStop(watch) }},
		{"a stopwatch for each", func() {}, func() func() { return startStop(tare.NewStopwatch(0)) }},
		{"hrtime, one for all", func() { hr = hrtime.NewStopwatch(cores * 200_000) }, func() func() { return func() { hr.Stop(hr.Start()) } }},
		{"two reads of Now", func() {}, func() func() { return func() { clock.Now(); clock.Now() } }},
		{"arithmetic", func() {}, func() func() { return arithmetic }},
	}
	alone, all := make([][]float64, len(kinds)), make([][]float64, len(kinds))
	for range 25 {
		for i, k := range kinds {
			k.prepare()
			if nanos, ok := together(1, k.calls); ok {
				alone[i] = append(alone[i], nanos)
			}
			k.prepare()
			if nanos, ok := together(cores, k.calls); ok {
				all[i] = append(all[i], nanos)
			}
		}
	}
	for i, k := range kinds {
		if len(alone[i]) < 5 || len(all[i]) < 5 {
			b.Fatalf("%s: the goroutines ran at the same time in %d of 25 rounds: the machine is busy", k.name, len(all[i]))
		}
		one, each := median(alone[i]), median(all[i])
		b.Logf("%-22s %6.1f ns alone, %6.1f ns on each of %d cores (%.1f to %.1f): × %.2f", k.name, one, each, cores, all[i][len(all[i])/10], all[i][len(all[i])*9/10], each/one)
	}
	b.Logf("one for all against one for each, on %d cores: × %.2f", cores, median(all[0])/median(all[1]))
}

func startStop(s *tare.Stopwatch) func() { return func() { s.Stop(s.Start()) } }

// arithmetic keeps several units of the CPU busy at once.
func arithmetic() {
	a, b, c := uint64(1), uint64(2), uint64(3)
	for i := range uint64(40) {
		a, b, c = a+i^b, b*3+i, c^i+b
	}
	runtime.KeepAlive(a + b + c)
}
