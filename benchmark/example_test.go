//go:build !notare

package benchmark_test

import (
	"bytes"
	"flag"
	"fmt"
	"testing"
	"time"

	"github.com/tarebench/tare"
	"github.com/tarebench/tare/benchmark"
	"github.com/tarebench/tare/plot"
)

var text string

func ExampleNewB() {
	// In a test file this is func BenchmarkGreeting(b *testing.B).
	greeting := func(b *testing.B) {
		tb := benchmark.NewB(b)
		tb.SetBytes(int64(len("hello, world 123")))
		tb.ReportMetric(123, "guest")
		for tb.Loop() {
			text = fmt.Sprintf("hello, world %d", 123)
			tb.Lap()
		}
	}
	result := run(greeting) // go test -bench Greeting
	for _, unit := range []string{"ns/op", "p50-ns/op", "p99-ns/op", "MB/s", "guest"} {
		fmt.Println(unit, result.Extra[unit] > 0)
	}
	// Output:
	// ns/op true
	// p50-ns/op true
	// p99-ns/op true
	// MB/s true
	// guest true
}

func ExampleB_Pause() {
	var d tare.Distribution
	greeting := func(b *testing.B) {
		tb := benchmark.NewB(b, tare.Repeat(1))
		for tb.Loop() {
			tb.Pause()
			time.Sleep(time.Millisecond) // setup
			tb.Resume()
			text = fmt.Sprint(123)
			tb.Lap()
		}
		d = tb.Distribution()
	}
	runTimes("20x", greeting)
	fmt.Println("set-up is not in it:", d.N > 0 && d.Corrected().Min() < 1e6)
	// Output: set-up is not in it: true
}

func ExampleB_RunParallel() {
	greeting := func(b *testing.B) {
		benchmark.NewB(b).RunParallel(func(pb *benchmark.PB) {
			for pb.Next() {
				_ = fmt.Sprintf("hello, world %d", 123)
			}
		})
	}
	fmt.Println(run(greeting).Extra["p50-ns/op"] > 0)
	// Output: true
}

func run(f func(*testing.B)) testing.BenchmarkResult { return runTimes("20000x", f) }

// runTimes runs f as go test -bench does, with -benchtime.
func runTimes(times string, f func(*testing.B)) testing.BenchmarkResult {
	benchtime := flag.Lookup("test.benchtime")
	defer benchtime.Value.Set(benchtime.Value.String())
	if err := benchtime.Value.Set(times); err != nil {
		panic(err)
	}
	return testing.Benchmark(f)
}

func ExampleB_Series() {
	var picture bytes.Buffer // or a file: sprint.svg
	greeting := func(b *testing.B) {
		tb := benchmark.NewB(b, tare.KeepLaps(10_000), tare.Monotonic())
		for tb.Loop() {
			text = fmt.Sprint(123)
			tb.Lap()
		}
		if err := plot.All(&picture, plot.Options{}, tb.Series("Sprint")); err != nil {
			b.Error(err)
		}
		fmt.Println("kept:", len(tb.LapNanos()))
	}
	runTimes("2000x", greeting)
	fmt.Println("drawn:", picture.Len() > 0)
	// Output:
	// kept: 1999
	// drawn: true
}

// A benchmark that stops its timer needs no change.
func ExampleB_StopTimer() {
	greeting := func(b *testing.B) {
		tb := benchmark.NewB(b)
		time.Sleep(time.Millisecond) // setup
		tb.ResetTimer()
		for range tb.N {
			tb.StopTimer()
			time.Sleep(100 * time.Microsecond) // setup of every operation
			tb.StartTimer()
			text = fmt.Sprint(123)
			tb.Lap()
		}
	}
	fmt.Println("set-up is not in it:", runTimes("50x", greeting).Extra["p50-ns/op"] < 50e3)
	// Output: set-up is not in it: true
}
