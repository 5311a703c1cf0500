package peers

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tarebench/tare"
	"github.com/tarebench/tare/clock"
	"github.com/tarebench/tare/histogram"
)

// The tests of hrtime 1.0.4, with tare. These tests check the numbers that
// hrtime's tests print. Times have no upper bound, because machines have none.

// TestBenchmark, TestBenchmarkTSC: eight laps of a microsecond's sleep.
func TestHrtimeBenchmark(t *testing.T) {
	for name, options := range map[string][]tare.Option{"cycles": nil, "monotonic": {tare.Monotonic()}} {
		runs := 0
		bench := tare.NewBenchmark(8, append(options, tare.KeepLaps(8))...)
		for bench.Next() {
			runs++
			time.Sleep(1000 * time.Nanosecond)
		}
		if runs != 8 || len(bench.Durations()) != 8 || bench.Distribution().N != 8 {
			t.Errorf("%s: %d runs, %d laps", name, runs, len(bench.Durations()))
		}
		for _, lap := range bench.Durations() {
			if lap < 900*time.Nanosecond {
				t.Errorf("%s: a sleep of 1 µs took %v", name, lap)
			}
		}
		if text := bench.Distribution().String(); !strings.Contains(text, "n 8 ") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// TestStopwatch, TestStopwatchTSC: eight goroutines at a time.
func TestHrtimeStopwatch(t *testing.T) {
	for name, options := range map[string][]tare.StopwatchOption{"cycles": nil, "monotonic": {tare.Monotonic()}} {
		watch := tare.NewStopwatch(8, append(options, tare.KeepLaps(8))...)
		for range 8 {
			go func() {
				lap := watch.Start()
				defer watch.Stop(lap)
				time.Sleep(1000 * time.Nanosecond)
			}()
		}
		if err := watch.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := len(watch.Durations()); n != 8 {
			t.Errorf("%s: %d durations", name, n)
		}
		for _, span := range watch.Spans() {
			if span.Duration() < 900*time.Nanosecond || span.Start < 0 {
				t.Errorf("%s: span %+v", name, span)
			}
		}
		if r := watch.Result(); r.Service.N != 8 || len(r.Findings()) != 0 {
			t.Errorf("%s: %d laps, %v", name, r.Service.N, r.Findings())
		}
	}
}

// TestNowCalibration, TestTSCCalibration: the distance of two reads is the
// least overhead, to the step of the clock. The test takes the best of many,
// because hrtime's test fails if a read is faster than usual.
func TestHrtimeCalibration(t *testing.T) {
	c := clock.Calibrate()
	least := int64(math.MaxInt64)
	for range 1000 {
		start := clock.Now()
		empty()
		least = min(least, clock.Now()-start)
	}
	if float64(least) < c.Overhead.Lo/4-2*c.Resolution {
		t.Errorf("two reads are %d ns apart, the least overhead is %v ns", least, c.Overhead.Lo)
	}
	if clock.CyclesSupported() != nil {
		return
	}
	if _, rate, err := clock.CalibrateCycles(); err != nil || !(rate.Lo <= rate.NanosPerTick && rate.NanosPerTick <= rate.Hi) {
		t.Errorf("rate %+v, %v", rate, err)
	}
}

// TestNowPrecision: calls of nothing, for which hrtime expects 1 to 10 ns. Here
// the two clocks must agree.
func TestHrtimePrecision(t *testing.T) {
	const n = 8 << 10
	before, start := time.Now(), clock.Now()
	for range n {
		empty()
	}
	took := clock.Now() - start
	if outer := time.Since(before); took <= 0 || time.Duration(took) > outer {
		t.Errorf("%d calls took %v, and %v from outside", n, time.Duration(took), outer)
	}
}

//go:noinline
func empty() {}

// Its histogram of durations: round bounds, every value in one bar, the share
// at each quantile.
func TestHrtimeHistogram(t *testing.T) {
	var all []time.Duration
	for i := range 1000 {
		all = append(all, time.Duration(i+1)*time.Microsecond)
	}
	h := histogram.FromDurations(all)
	n := int64(0)
	for _, bin := range h.View(0, 1).Bins(10, 0) {
		n += bin.Count
		if width := bin.Hi - bin.Lo; !bin.Tail && width != 1e5 {
			t.Errorf("a bar from %v to %v", bin.Lo, bin.Hi)
		}
	}
	if n != 1000 {
		t.Errorf("%d values in bars", n)
	}
	for q, want := range map[float64]float64{0.5: 500e3, 0.9: 900e3, 0.99: 990e3, 0.999: 999e3} {
		if got := h.Quantile(q).Value; math.Abs(got/want-1) > 0.01 {
			t.Errorf("quantile %v is %v, want %v", q, got, want)
		}
	}
	clamped := h.View(0, 1).BinsWithin(10, 100e3, 200e3) // HistogramClamp
	if first, last := clamped[0], clamped[len(clamped)-1]; !first.Tail || !last.Tail || first.Count+last.Count < 880 {
		t.Errorf("clamped bars %+v", clamped)
	}
}

// A lap that stops in another goroutine than it started in, as in the article.
func TestHrtimeChannel(t *testing.T) {
	const senders = 1000
	watch := tare.NewStopwatch(senders)
	channel := make(chan tare.Lap)
	var started sync.WaitGroup
	for range senders {
		started.Go(func() { channel <- watch.Start() })
	}
	for range senders {
		watch.Stop(<-channel)
	}
	started.Wait()
	if err := watch.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r := watch.Result(); r.Stopped != senders || len(r.Findings()) != 0 {
		t.Errorf("%d laps, %v", r.Stopped, r.Findings())
	}
}

// The hrtime programs of docs/coming-from-hrtime.md compile as well, if a
// published version has the functions.
func TestHrtimeProgramsCompile(t *testing.T) {
	page, err := os.ReadFile("../../../../../docs/coming-from-hrtime.md")
	if err != nil {
		t.Fatal(err)
	}
	programs := 0
	for rest := string(page); ; {
		_, after, found := strings.Cut(rest, "\n```go\n")
		if !found {
			break
		}
		program, after, _ := strings.Cut(after, "```")
		rest = after
		if !strings.Contains(program, "loov/hrtime") || strings.Contains(program, "hrplot") {
			continue
		}
		dir, err := os.MkdirTemp(".", "testprogram") // in this module, which has hrtime
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		name := "main.go"
		if strings.Contains(program, "testing.B") {
			name = "x_test.go"
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(program), 0o666); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("go", "vet", "-unusedresult=false", "./"+dir).CombinedOutput()
		if err != nil {
			t.Errorf("%v: %s\n%s", err, out, program)
		}
		programs++
	}
	if programs != 4 {
		t.Errorf("%d programs, want 4", programs)
	}
}
