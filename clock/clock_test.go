package clock

import (
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/ticks"
)

func TestNowNeverGoesBack(t *testing.T) {
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			last := Now()
			for i := range 50_000 {
				now := Now()
				if now < last {
					t.Errorf("read %d: %d after %d", i, now, last)
					return
				}
				last = now
				if i%1000 == 0 {
					runtime.Gosched() // wake up elsewhere
				}
			}
		}()
	}
	wg.Wait()
}

// Both clocks are compared with package time, each within the other's bounds.
func TestClocksAgreeWithPackageTime(t *testing.T) {
	outerStart := time.Now()
	start, pair := Now(), ticks.Pair()
	innerStart := time.Now()
	time.Sleep(20 * time.Millisecond)
	inner := time.Since(innerStart)
	elapsed, pairEnd := Now()-start, ticks.Pair()
	outer := time.Since(outerStart)
	slack := 2 * time.Nanosecond // both clocks cut off fractions of a nanosecond
	if runtime.GOOS == "windows" {
		slack = 16 * time.Millisecond // a step of package time
	}
	if got := time.Duration(elapsed); got < inner-slack || got > outer+slack {
		t.Errorf("Now went on by %v while package time went on by %v to %v", got, inner, outer)
	}
	if err := CyclesSupported(); err != nil {
		t.Skipf("cycle clock not tested: %v", err)
	}
	rate, err := pairEnd.RateSince(pair)
	if err != nil {
		t.Fatal(err)
	}
	if !(rate.Lo < rate.NanosPerTick && rate.NanosPerTick < rate.Hi) {
		t.Errorf("rate %+v is outside its bounds", rate)
	}
	if got := time.Duration(Rate(rate).Nanos(pairEnd.Ticks - pair.Ticks)); got < inner-slack || got > outer+slack {
		t.Errorf("Cycles went on by %v while package time went on by %v to %v", got, inner, outer)
	}
}

func TestCyclesWithoutSupport(t *testing.T) {
	if CyclesSupported() == nil {
		t.Skip("this CPU has a cycle clock: the case needs a GOARCH without one")
	}
	if c := Cycles(); c != 0 {
		t.Errorf("Cycles() = %d, want 0", c)
	}
	if _, err := ticks.Pair().RateSince(ticks.Pairing{}); !errors.Is(err, ErrNoCycles) {
		t.Errorf("RateSince: %v, want ErrNoCycles", err)
	}
	if _, _, err := CalibrateCycles(); !errors.Is(err, ErrNoCycles) {
		t.Errorf("CalibrateCycles: %v, want ErrNoCycles", err)
	}
}

// fakeGaps are the gaps that a clock of the given step shows, in whole ticks,
// if it is read after times between lo and hi.
func fakeGaps(step, lo, hi float64) []int64 {
	r := rand.New(rand.NewPCG(1, 2))
	gaps := make([]int64, 10_000)
	shown := func(t float64) int64 { return int64(math.Floor(math.Floor(t/step) * step)) }
	at := 1e6
	for i := range gaps {
		at += 100 * r.Float64()
		d := lo + (hi-lo)*r.Float64()
		if i%400 == 0 { // an interrupt
			d += 1e4 * r.Float64()
		}
		gaps[i] = shown(at+d) - shown(at)
	}
	return gaps
}

func TestStep(t *testing.T) {
	for _, test := range []struct {
		name         string
		step, lo, hi float64
	}{
		{"1 ns", 1, 20, 90},
		{"AMD in nanoseconds", 10.02, 28, 120},
		{"AMD in ticks", 24.45, 68, 300},
		{"20 ns", 20, 45, 200},
		{"Apple", 41.67, 20, 150},
		{"Windows", 100, 20, 90},
		{"longer than the read", 1000, 30, 90},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := step(fakeGaps(test.step, test.lo, test.hi)); math.Abs(got/test.step-1) > 0.03 {
				t.Errorf("step %v, want %v", got, test.step)
			}
		})
	}
	if got := step(make([]int64, 100)); !math.IsNaN(got) {
		t.Errorf("a clock that does not move has step %v, want NaN", got)
	}
	if got := step([]int64{100, 100, 0}); got != 100 {
		t.Errorf("one gap of 100: step %v", got)
	}
}

func TestCostOf(t *testing.T) {
	rounds := []float64{30, 31, 29, 30, 30, 5000, 30, 31, 30, 30, 4000, 30}
	if got, want := costOf(rounds), (Cost{29, 30, 4000}); got != want {
		t.Errorf("costOf: %+v, want %+v", got, want)
	}
}

// Calibrations are ordered, whatever else the machine does.
func TestCalibrationsAreInOrder(t *testing.T) {
	check := func(name string, c Calibration) {
		for _, cost := range []Cost{c.Read, c.Overhead} {
			if !(0 < cost.Lo && cost.Lo <= cost.Typical && cost.Typical <= cost.Hi) {
				t.Errorf("%s: %+v is out of order", name, cost)
			}
		}
		if !(c.Resolution > 0) {
			t.Errorf("%s: resolution %v", name, c.Resolution)
		}
	}
	check("Calibrate", Calibrate())
	c, rate, err := CalibrateCycles()
	if errors.Is(err, ErrNoCycles) {
		t.Skipf("CalibrateCycles not tested: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	check("CalibrateCycles", c)
	if rate.Window < int64(10*time.Millisecond) {
		t.Errorf("rate measured over %v", time.Duration(rate.Window))
	}
}

func BenchmarkNow(b *testing.B) {
	for b.Loop() {
		Now()
	}
}

func BenchmarkCycles(b *testing.B) {
	if err := CyclesSupported(); err != nil {
		b.Skip(err)
	}
	for b.Loop() {
		Cycles()
	}
}

func BenchmarkCalibrate(b *testing.B) {
	for b.Loop() {
		Calibrate()
	}
}

func BenchmarkCalibrateCycles(b *testing.B) {
	for b.Loop() {
		if _, _, err := CalibrateCycles(); err != nil {
			b.Skip(err)
		}
	}
}
