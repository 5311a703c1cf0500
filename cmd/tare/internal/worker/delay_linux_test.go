//go:build !portable

package worker

import (
	"runtime"
	"slices"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/lab/busy"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// TestDelaysOnBusyMachine: beside programs that never sleep, the time of a slice is
// the CPU time of its thread, or includes its sleep. If several threads share the
// work, delays are not known.
func TestDelaysOnBusyMachine(t *testing.T) {
	stop, err := busy.Keep(t.Context(), 2*runtime.NumCPU(), busy.Sessions)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	take := func(name string, procs, rounds int, o Options) []result.Slice {
		c := config(t, "local", name)
		c.Procs = procs
		o.Timeout = patience
		g, err := StartGroup(t.Context(), []Config{c}, o)
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close()
		return run(t, g, mirrored(1, rounds, 2))
	}
	typical := func(all []result.Slice, of func(result.Slice) float64) float64 {
		var values []float64
		for _, s := range all {
			values = append(values, of(s))
		}
		slices.Sort(values)
		return values[len(values)/2]
	}
	for _, pipe := range []bool{false, true} {
		procs := map[bool]int{false: 1, true: 2}[pipe] // one thread computes with both
		all := take("BenchmarkCompute", procs, 27, Options{CPUs: []int{0}, Pipe: pipe})
		interrupted, lost := 0, 0
		for _, s := range all {
			if !s.Followed { // the goroutine continued in another thread
				lost++
				continue
			}
			if s.Delay > s.Raw {
				t.Fatalf("pipe %t: %+v", pipe, s)
			}
			if s.Delay > s.Raw/10 {
				interrupted++
			}
		}
		if interrupted == 0 || lost > len(all)/4 {
			t.Errorf("pipe %t: no slice was interrupted: %+v", pipe, all)
		}
		if off := typical(all, func(s result.Slice) float64 { return s.Seconds() / s.Metrics["cpu-sec/op"] }); off < 0.9 || off > 1.2 { // the wall takes several times; a hypervisor takes some per cent
			t.Errorf("pipe %t: the typical slice takes %.3f times its CPU time", pipe, off)
		}
		asleep := take("BenchmarkSleep", 1, 27, Options{CPUs: []int{0}, Pipe: pipe})
		if part := typical(asleep, func(s result.Slice) float64 { return s.Seconds() / s.Metrics["sleep-sec/op"] }); part < 1 {
			t.Errorf("pipe %t: the typical slice takes %.3f times its sleep", pipe, part)
		}
	}
	for _, s := range take("BenchmarkTwoThreads", 2, 9, Options{}) {
		if s.Followed || s.Delay != 0 {
			t.Errorf("two threads: %+v", s)
		}
	}
}
