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
	start := clock.Cycles()
	time.Sleep(10 * time.Millisecond)
	ticks := clock.Cycles() - start
	_, rate, err := clock.CalibrateCycles()
	fmt.Println("at least 10 ms:", err == nil && float64(ticks)*rate.Hi >= 9.99e6)
	// Output: at least 10 ms: true
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
