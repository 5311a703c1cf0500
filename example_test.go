package tare_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"time"

	"github.com/tarebench/tare"
	"github.com/tarebench/tare/histogram"
)

var text string

func ExampleNewBenchmark() {
	bench := tare.NewBenchmark(1000)
	for bench.Next() {
		text = fmt.Sprintf("hello, world %d", 123)
	}
	d := bench.Distribution()
	p99 := d.Quantile(0.99)
	fmt.Println(d.N, "laps; p99 is known:", p99.Value > 0)
	// fmt.Println(d) draws the distribution.

	// Output: 1000 laps; p99 is known: true
}

func ExampleBenchmark_Pause() {
	bench := tare.NewBenchmark(20, tare.Repeat(1))
	for bench.Next() {
		bench.Pause()
		time.Sleep(time.Millisecond) // setup
		bench.Resume()
		text = fmt.Sprint(123)
	}
	fmt.Println("set-up is not in it:", bench.Distribution().Corrected().Min() < 1e6)
	// Output: set-up is not in it: true
}

func ExamplePrecision() {
	// At most a million laps and ten seconds, and only until the median is
	// known to 5%.
	bench := tare.NewBenchmark(1_000_000, tare.Until(10*time.Second), tare.Precision(0.05))
	for bench.Next() {
		text = fmt.Sprint(123)
	}
	fmt.Println("early:", bench.Distribution().N < 1_000_000)
	// Output: early: true
}

func ExampleKeepLaps() {
	bench := tare.NewBenchmark(100, tare.Repeat(10), tare.KeepLaps(5), tare.Monotonic())
	for bench.Next() {
		text = fmt.Sprint(123)
	}
	fmt.Println("the last", len(bench.LapNanos()), "of", bench.Distribution().N)
	// Output: the last 5 of 100
}

func ExampleDistribution() {
	bench := tare.NewBenchmark(200, tare.Repeat(1))
	for bench.Next() {
		time.Sleep(10 * time.Microsecond)
	}
	d := bench.Distribution()
	mean := d.Mean()
	fmt.Println("raw is more:", mean.Raw > mean.Value, "in its interval:", mean.Lo <= mean.Value && mean.Value <= mean.Hi)
	fmt.Println("same in both views:", d.Corrected().Count() == d.Raw().Count())
	if p999 := d.Quantile(0.999); p999.Needs > 0 {
		fmt.Println("p99.9 needs", p999.Needs, "laps")
	}
	for _, f := range d.Findings() {
		fmt.Fprintln(os.Stderr, f)
	}
	d.WriteText(os.Stderr, histogram.TextOptions{ASCII: true})
	// Output:
	// raw is more: true in its interval: true
	// same in both views: true
	// p99.9 needs 1000 laps
}

func ExampleStopwatch() {
	watch := tare.NewStopwatch(100)
	laps := make(chan tare.Lap)
	go func() {
		for range 100 {
			laps <- watch.Start()
		}
	}()
	go func() {
		for range 100 {
			watch.Stop(<-laps)
		}
	}()
	if err := watch.Wait(context.Background()); err != nil {
		fmt.Println(err)
	}
	result := watch.Result()
	fmt.Println(result.Service.N, "laps,", result.Running, "running,", len(result.Findings()), "mistakes")
	// Output: 100 laps, 0 running, 0 mistakes
}

func ExampleStopwatch_Schedule() {
	watch := tare.NewStopwatch(0)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	n := 0
	for lap := range watch.Schedule(ctx, 1000) { // one second
		if n == 0 {
			time.Sleep(20 * time.Millisecond) // the system stalls once
		}
		watch.Stop(lap)
		if n++; n == 20 {
			cancel()
		}
	}
	service := watch.Result().Service.Quantile(0.5)
	response := watch.Result().Response.Quantile(0.5)
	fmt.Println("half of the requests waited:", response.Value > 2*service.Value)
	// Output: half of the requests waited: true
}

func ExampleStopwatch_StartAt() {
	watch := tare.NewStopwatch(1)
	arrived := time.Now() // in a queue, for example
	time.Sleep(time.Millisecond)
	watch.Stop(watch.StartAt(arrived))
	fmt.Println("with the queue:", watch.Result().Response.Mean().Value > 0.9e6)
	// Output: with the queue: true
}

func ExampleBenchmark_Merge() {
	all := tare.NewBenchmark(0)
	benchmarks := make(chan *tare.Benchmark)
	for range 4 {
		go func() {
			bench := tare.NewBenchmark(250)
			for bench.Next() {
				_ = fmt.Sprint(123)
			}
			benchmarks <- bench
		}()
	}
	for range 4 {
		if err := all.Merge(<-benchmarks); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(all.Distribution().N, "laps")
	// Output: 1000 laps
}

func ExampleBenchmark_Reset() {
	bench := tare.NewBenchmark(1000, tare.KeepLaps(10))
	for i := 0; bench.Next(); i++ {
		if i == 100 { // warmed up
			bench.Reset()
		}
		text = fmt.Sprint(i)
	}
	p50 := bench.Distribution().Quantile(0.5)
	fmt.Println(bench.Distribution().N, "laps;", len(bench.Durations()), "kept; median known:", p50.Duration() > 0)
	// Output: 1000 laps; 10 kept; median known: true
}

func ExampleAccurateMean() {
	x := uint64(1)
	bench := tare.NewBenchmark(20_000, tare.AccurateMean())
	for bench.Next() {
		x = x*6364136223846793005 + 1 // shorter than the clock's step
	}
	d := bench.Distribution()
	fmt.Println(x != 0, d.Operations, "operation in a lap; the mean is from longer laps:", d.Batched > d.N)
	// Output: true 1 operation in a lap; the mean is from longer laps: true
}

func ExampleUnfenced() {
	bench := tare.NewBenchmark(1000, tare.Monotonic(), tare.Unfenced())
	for bench.Next() {
		text = fmt.Sprint(123)
	}
	fmt.Println(bench.Distribution().N, "laps")
	// Output: 1000 laps
}

func ExampleStopwatch_Spans() {
	watch := tare.NewStopwatch(3, tare.KeepLaps(3), tare.Monotonic())
	for range 3 {
		lap := watch.Start()
		time.Sleep(time.Millisecond)
		watch.Stop(lap)
	}
	for i, span := range watch.Spans() {
		fmt.Println(span.Start < span.Stop, span.Duration() >= time.Millisecond, watch.Durations()[i] > 0, watch.LapNanos()[i] > 0)
	}
	// Output:
	// true true true true
	// true true true true
	// true true true true
}

func ExampleKeep() {
	watch := tare.NewStopwatch(1)
	lap := watch.Start()
	x := tare.Keep(uint64(3)) // is computed after Start
	for range 10 {
		x *= x
	}
	tare.Keep(x) // and before Stop
	watch.Stop(lap)
	fmt.Println(watch.Result().Stopped)
	// Output: 1
}

func ExampleLatency_Duration() {
	fmt.Println(tare.Latency{Value: 1234.5}.Duration())
	// Output: 1.235µs
}

// A finding has a severity, a message with its numbers, and the next action.
func ExampleFinding() {
	watch := tare.NewStopwatch(2)
	watch.Start() // and never stopped
	for _, f := range watch.Result().Findings() {
		var severity tare.Severity = f.Severity
		var finding tare.Finding = f
		switch severity {
		case tare.Info, tare.Warning:
			fmt.Println("check:", finding.ID)
		case tare.Severe:
			fmt.Println("do not trust the number:", finding.ID)
		}
	}
	// Output: check: laps-running
}

func ExampleLatency_String() {
	fmt.Println(tare.Latency{Value: 10808, Lo: 10480, Hi: 23168})
	fmt.Println(tare.Latency{Value: 2.31, Lo: 2.1, Hi: math.NaN()})
	fmt.Println(tare.Latency{Value: math.NaN(), Needs: 100000})
	// Output:
	// 10.81 µs (10.48 to 23.17)
	// 2.310 ns (2.100 to ?)
	// needs 100000 laps
}
