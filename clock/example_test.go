package clock_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/tarebench/tare/clock"
)

func Example() {
	start := clock.Now()
	time.Sleep(time.Millisecond)
	raw := float64(clock.Now() - start)

	empty := clock.Calibrate().Overhead
	fmt.Println("at least 1 ms:", raw-empty.Lo >= 1e6-1)
	fmt.Println("overhead in order:", 0 < empty.Lo && empty.Lo <= empty.Typical && empty.Typical <= empty.Hi)
	// Output:
	// at least 1 ms: true
	// overhead in order: true
}

func ExampleCycles() {
	if err := clock.CyclesSupported(); errors.Is(err, clock.ErrNoCycles) {
		fmt.Println("at least 10 ms: true") // use clock.Now here
		return
	}
	before, start := clock.Pair(), clock.Cycles()
	time.Sleep(10 * time.Millisecond)
	ticks := clock.Cycles() - start
	rate, err := clock.Pair().RateSince(before)
	fmt.Println("at least 10 ms:", err == nil && float64(ticks)*rate.Hi >= 10e6-1)
	// Output: at least 10 ms: true
}

func ExampleFence() {
	start := clock.Now()
	clock.Fence() // the read of start is over before the work begins
	sum := 0
	for i := range 100 {
		sum += i
	}
	raw := clock.Now() - start
	fmt.Println(sum, raw >= 0)
	// Output: 4950 true
}

func ExampleCyclesAfter() {
	last, laps := clock.CyclesAfter(), [3]int64{}
	for i := range laps {
		// The operation goes here.
		now := clock.CyclesAfter() // when it is over
		laps[i] = now - last       // while the counter is still being read
		last = now
		clock.Fence() // and the next operation begins after all of that
	}
	fmt.Println(laps[0] >= 0 && laps[1] >= 0 && laps[2] >= 0)
	// Output: true
}

func ExampleRate_Nanos() {
	rate := clock.Rate{NanosPerTick: 0.4} // a counter of 2.5 GHz
	fmt.Println(rate.Nanos(1000))
	// Output: 400
}

func ExampleCalibrateCycles() {
	calibration, rate, err := clock.CalibrateCycles()
	if err != nil {
		calibration = clock.Calibrate() // the clock of Now
	}
	fmt.Println(calibration.Resolution > 0, err != nil || rate.Lo <= rate.NanosPerTick && rate.NanosPerTick <= rate.Hi)
	// Output: true true
}
