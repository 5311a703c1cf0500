package machine

import (
	"context"
	"runtime"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/process"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
	"github.com/tarebench/tare/internal/ticks"
)

// CPUProfile reports how undisturbed a fixed piece of work ran on one CPU.
// Times are in seconds.
type CPUProfile struct {
	// CPU is the kernel's number. It is -1 if a thread cannot be pinned, and the
	// profile is of any CPU.
	CPU int `json:"cpu"`
	// Seconds is how long the CPU was measured.
	Seconds float64 `json:"seconds"`
	// UnitSeconds is the median time of one unit of work.
	UnitSeconds float64 `json:"unit_seconds"`
	// Interruptions counts units that took at least a quarter and 1 µs longer
	// than the median. LostShare, 0 to 1, is the part of Seconds that they lost,
	// and LongestSeconds the longest single loss.
	Interruptions  int     `json:"interruptions"`
	LostShare      float64 `json:"lost_share"`
	LongestSeconds float64 `json:"longest_seconds"`
}

// unitSteps makes a unit of about 10 µs. This is long compared with a clock
// read (1%), and short compared with an interruption.
const unitSteps = 1 << 13

// mostUnits limits the memory of one CPU's record to 2 MB. mostSpin is how long
// it lasts if a unit takes 8 µs or more.
const (
	mostUnits = 1 << 18
	mostSpin  = 2 * time.Second
)

// spinUnit is a chain of dependent multiplications. It uses no memory, so only
// the clock frequency and interruptions change its time.
//
//go:noinline
func spinUnit(x uint64) uint64 {
	for range unitSteps {
		x = x*6364136223846793005 + 1442695040888963407 // Knuth's MMIX generator
	}
	return x
}

// spin repeats the unit of work on each of cpus in turn, each for its share of
// total (2 s at most), and reports the disturbances. The selfish-detour and
// fixed-work-quantum tests of OS jitter work the same way (Sottile and Minnich,
// CLUSTER 2004). The disturbances include the Go runtime's own preemption
// signals, as in benchmarks.
func spin(ctx context.Context, cpus []int, total time.Duration) ([]CPUProfile, error) {
	if len(cpus) == 0 {
		cpus = []int{-1}
	}
	var profiles []CPUProfile
	var refused error
	for _, cpu := range cpus {
		if err := ctx.Err(); err != nil {
			return profiles, err
		}
		units, elapsed, err := spinOn(cpu, min(mostSpin, total/time.Duration(len(cpus))))
		if err != nil {
			refused = err
			continue
		}
		profiles = append(profiles, profile(cpu, units, elapsed))
	}
	if len(profiles) == 0 {
		return nil, refused
	}
	return profiles, nil
}

// spinOn runs units on a CPU (below 0: any) for d, or until the record is full,
// and returns their times in seconds.
func spinOn(cpu int, d time.Duration) (units []float64, elapsed time.Duration, err error) {
	var on []int
	if cpu >= 0 {
		on = []int{cpu}
	}
	err = process.OnProcessors(on, func() error {
		units = make([]float64, 0, min(mostUnits, int(d/(2*time.Microsecond))+1))
		var sum uint64
		// Package time ticks every 0.5 to 15 ms on Windows.
		for begin := ticks.Now(); elapsed < d && len(units) < cap(units); {
			sum = spinUnit(sum)
			now := time.Duration(ticks.Now() - begin)
			units = append(units, (now - elapsed).Seconds())
			elapsed = now
		}
		runtime.KeepAlive(sum)
		return nil
	})
	return units, elapsed, err
}

func profile(cpu int, units []float64, elapsed time.Duration) CPUProfile {
	typical := stats.Median(units)
	p := CPUProfile{CPU: cpu, Seconds: elapsed.Seconds(), UnitSeconds: typical}
	lost := 0.0
	for _, unit := range units {
		over := unit - typical
		if over < max(1e-6, typical/4) {
			continue
		}
		p.Interruptions++
		lost += over
		p.LongestSeconds = max(p.LongestSeconds, over)
	}
	if p.Seconds > 0 {
		p.LostShare = lost / p.Seconds
	}
	return p
}
