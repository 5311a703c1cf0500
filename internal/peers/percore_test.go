//go:build unix

package peers

import (
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/loov/hrtime"

	"github.com/tarebench/tare"
)

// processorTime is what this process has used of all processors.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestStopwatchPerCore prints what start and stop cost on each core when all of
// them do it: processor time, which other programs on the machine touch less
// than they do the wall clock. It means something only on an idle machine, where
// the goroutines do run at the same time.
func TestStopwatchPerCore(t *testing.T) {
	const rounds, each = 15, 100_000
	cores := runtime.GOMAXPROCS(0)
	perCore := func(goroutines int, pair func()) float64 {
		var all sync.WaitGroup
		start := processorTime()
		for range goroutines {
			all.Go(func() {
				for range each {
					pair()
				}
			})
		}
		all.Wait()
		return float64(processorTime()-start) / float64(goroutines*each)
	}
	watch := tare.NewStopwatch(0)
	ours := func() { watch.Stop(watch.Start()) }
	var alone, together, theirsAlone, theirsTogether []float64
	for range rounds {
		alone, together = append(alone, perCore(1, ours)), append(together, perCore(cores, ours))
		hr := hrtime.NewStopwatch((cores + 1) * each)
		theirs := func() { hr.Stop(hr.Start()) }
		theirsAlone, theirsTogether = append(theirsAlone, perCore(1, theirs)), append(theirsTogether, perCore(cores, theirs))
	}
	t.Logf("start and stop, processor time: tare %.0f ns alone, %.0f ns on each of %d cores (× %.2f); hrtime %.0f and %.0f ns (× %.2f)",
		median(alone), median(together), cores, median(together)/median(alone),
		median(theirsAlone), median(theirsTogether), median(theirsTogether)/median(theirsAlone))
}
