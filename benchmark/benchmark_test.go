//go:build !notare

package benchmark

import (
	"flag"
	"math"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tarebench/tare"
)

var sink uint64

// work is a chain of multiplications. Each needs the result of the previous
// one.
func work(n int) {
	x := sink
	for range n {
		x = x*6364136223846793005 + 1442695040888963407
	}
	sink = x
}

// benchtime runs f under -test.benchtime d.
func benchtime(t *testing.T, d string, f func(*testing.B)) testing.BenchmarkResult {
	t.Helper()
	before := flag.Lookup("test.benchtime").Value.String()
	if err := flag.Set("test.benchtime", d); err != nil {
		t.Fatal(err)
	}
	defer flag.Set("test.benchtime", before)
	return testing.Benchmark(f)
}

func TestBInEveryLoop(t *testing.T) {
	for name, f := range map[string]func(*testing.B){
		"b.N": func(b *testing.B) {
			tb := NewB(b, tare.Repeat(1))
			for range tb.N {
				work(2000)
				tb.Lap()
			}
		},
		"Loop": func(b *testing.B) {
			tb := NewB(b, tare.Repeat(1))
			tb.ReportMetric(42, "answer") // package testing forgets this at Loop
			for tb.Loop() {
				work(2000)
				tb.Lap()
			}
		},
		"RunParallel": func(b *testing.B) {
			NewB(b, tare.Repeat(1)).RunParallel(func(pb *PB) {
				x := uint64(1)
				for pb.Next() {
					for range 2000 {
						x = x*6364136223846793005 + 1442695040888963407
					}
				}
				atomic.StoreUint64(&sink, x)
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := benchtime(t, "500x", f)
			if r.N != 500 {
				t.Errorf("%d iterations", r.N)
			}
			p50, p90, p99 := r.Extra["p50-ns/op"], r.Extra["p90-ns/op"], r.Extra["p99-ns/op"]
			if !(0 < p50 && p50 <= p90 && p90 <= p99) {
				t.Errorf("p50 %v, p90 %v, p99 %v", p50, p90, p99)
			}
			if mean, raw := r.Extra["ns/op"], r.Extra["raw-ns/op"]; !(0 < mean && mean < raw) {
				t.Errorf("%v ns/op, raw %v", mean, raw)
			}
			if name == "Loop" && r.Extra["answer"] != 42 {
				t.Errorf("a metric reported before Loop is %v", r.Extra["answer"])
			}
		})
	}
}

// The number of laps decides which quantiles are reported.
func TestBReportsWhatItCan(t *testing.T) {
	for benchmarkTime, want := range map[string][3]bool{"1x": {}, "5x": {true}, "50x": {true, true}, "200x": {true, true, true}} {
		r := benchtime(t, benchmarkTime, func(b *testing.B) {
			tb := NewB(b, tare.Repeat(1))
			for tb.Loop() {
				work(2000)
				tb.Lap()
			}
		})
		for i, unit := range []string{"p50-ns/op", "p90-ns/op", "p99-ns/op"} {
			if _, ok := r.Extra[unit]; ok != want[i] {
				t.Errorf("-benchtime %s: %s is reported: %v", benchmarkTime, unit, ok)
			}
		}
	}
}

// A unit that the benchmark reports itself overrides, as in package testing.
func TestBLetsTheBenchmarkOverride(t *testing.T) {
	r := benchtime(t, "50x", func(b *testing.B) {
		tb := NewB(b, tare.Repeat(1))
		for tb.Loop() {
			work(2000)
			tb.Lap()
		}
		tb.ReportMetric(0, "ns/op")
		tb.ReportMetric(7, "p50-ns/op")
	})
	if a, b := r.Extra["ns/op"], r.Extra["p50-ns/op"]; a != 0 || b != 7 {
		t.Errorf("%v ns/op, %v p50-ns/op", a, b)
	}
}

// Paused time is in no metric, but counts when package testing decides how
// often the benchmark runs. Package testing alone runs such a benchmark for
// minutes.
func TestBPauses(t *testing.T) {
	r := benchtime(t, "60ms", func(b *testing.B) {
		tb := NewB(b, tare.Repeat(1))
		for tb.Loop() {
			tb.Pause()
			time.Sleep(time.Millisecond)
			tb.Resume()
			work(2000)
			tb.Lap()
		}
	})
	if mean := r.Extra["p50-ns/op"]; !(mean > 0 && mean < 500e3) {
		t.Errorf("p50 %v ns with a pause of 1 ms", mean)
	}
	if r.N > 1000 {
		t.Errorf("%d iterations of at least 1 ms in 60 ms", r.N)
	}
}

func TestBLeavesTheTimerAsItWas(t *testing.T) {
	r := benchtime(t, "1x", func(b *testing.B) {
		b.StopTimer()
		NewB(b)
		if timerRuns(b) {
			t.Error("NewB started a stopped timer")
		}
		b.StartTimer()
		NewB(b)
		if !timerRuns(b) {
			t.Error("NewB left a running timer stopped")
		}
		// The minimum of many, because the system may interrupt any of them.
		least := 1.0
		for range 100 {
			b.ResetTimer()
			start := time.Now()
			NewB(b)
			least = min(least, b.Elapsed().Seconds()/time.Since(start).Seconds())
		}
		if least > 0.5 {
			t.Errorf("%.0f%% of NewB is timed", 100*least)
		}
	})
	if _, ok := r.Extra["ns/op"]; ok {
		t.Error("ns/op reported without a lap")
	}
}

func TestBThroughput(t *testing.T) {
	r := benchtime(t, "200x", func(b *testing.B) {
		tb := NewB(b)
		tb.SetBytes(1000)
		for tb.Loop() {
			work(2000)
			tb.Lap()
		}
	})
	if got, want := r.Extra["MB/s"], 1000/r.Extra["ns/op"]*1e3; math.Abs(got/want-1) > 1e-9 {
		t.Errorf("%v MB/s, want %v", got, want)
	}
}

// The time between StopTimer and StartTimer is in no metric, wherever in the
// iteration they are called.
func TestBStopTimer(t *testing.T) {
	for name, f := range map[string]func(tb *B){
		"before the operation": func(tb *B) {
			for range tb.N {
				tb.StopTimer()
				time.Sleep(2 * time.Millisecond)
				tb.StartTimer()
				work(2000)
				tb.Lap()
			}
		},
		"over the end of the round": func(tb *B) {
			for range tb.N {
				tb.StartTimer()
				work(2000)
				tb.StopTimer()
				time.Sleep(time.Millisecond)
				tb.Lap()
				time.Sleep(time.Millisecond)
			}
		},
		"in Loop": func(tb *B) {
			for tb.Loop() {
				tb.StopTimer()
				time.Sleep(2 * time.Millisecond)
				tb.StartTimer()
				work(2000)
				tb.Lap()
			}
		},
		"reset after set-up": func(tb *B) {
			for i := range tb.N {
				if i < 20 {
					time.Sleep(2 * time.Millisecond)
				} else if i == 20 {
					tb.ResetTimer()
				}
				work(2000)
				tb.Lap()
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := benchtime(t, "60x", func(b *testing.B) { f(NewB(b)) })
			if name == "reset after set-up" {
				// Lap was called in some iterations only: the figure of testing
				// stays.
				if _, ok := r.Extra["ns/op"]; ok {
					t.Error("ns/op of some iterations replaced ns/op of all")
				}
				return
			}
			if p50, raw := r.Extra["p50-ns/op"], r.Extra["raw-ns/op"]; !(p50 > 0 && p50 < 900e3 && raw > 0) {
				t.Errorf("p50 %v ns, raw mean %v ns, after 2 ms without the timer", p50, raw)
			}
		})
	}
}

// If the laps do not cover the benchmark, its own figures stay.
func TestBKeepsTheFiguresOfTesting(t *testing.T) {
	for name, f := range map[string]func(tb *B){
		"the timer of the testing.B is stopped": func(tb *B) {
			for range tb.N {
				tb.B.StopTimer()
				time.Sleep(2 * time.Millisecond)
				tb.B.StartTimer()
				work(100)
				tb.Lap()
			}
		},
		"a lap of two rounds": func(tb *B) {
			for i := range tb.N {
				work(2000)
				if i%2 == 0 {
					tb.Lap()
				}
			}
		},
		"no lap": func(tb *B) {
			for range tb.N {
				work(2000)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := benchtime(t, "50x", func(b *testing.B) { f(NewB(b)) })
			for _, unit := range []string{"ns/op", "p50-ns/op"} {
				if v, ok := r.Extra[unit]; ok {
					t.Errorf("%s is reported as %v", unit, v)
				}
			}
		})
	}
}

// Percentiles of means have a different name.
func TestBNamesBatches(t *testing.T) {
	r := benchtime(t, "2000x", func(b *testing.B) {
		tb := NewB(b, tare.Repeat(10))
		for tb.Loop() {
			work(200)
			tb.Lap()
		}
	})
	if _, ok := r.Extra["p50-ns/op"]; ok || !(r.Extra["p50-of-10-ns/op"] > 0) {
		t.Errorf("metrics %v", r.Extra)
	}
}

// The mean of an operation that is shorter than the clock's step comes from
// laps of many. Package testing decides the number of iterations.
func TestBTimesShortOperationsInBatches(t *testing.T) {
	var d tare.Distribution
	var r testing.BenchmarkResult
	// A busy machine lengthens the first laps, which decide.
	for try := 0; try < 5 && d.Batched <= d.N; try++ {
		r = benchtime(t, "200000x", func(b *testing.B) {
			tb := NewB(b)
			for range tb.N {
				work(1)
				tb.Lap()
			}
			d = tb.Distribution()
		})
	}
	if long := d.Quantile(0.5).Value; d.Batched == 0 && long > 50*d.Resolution {
		t.Skipf("an operation takes %v ns here, for example under the race detector: too long for batches", long)
	}
	if d.Operations != 1 || d.Batched <= d.N || d.N < 1024 {
		t.Errorf("%d laps of %d, %d operations in batches", d.N, d.Operations, d.Batched)
	}
	if done := d.N + d.Batched; done > int64(r.N) {
		t.Errorf("%d operations timed in %d rounds", done, r.N)
	}
	if mean := d.Mean(); !(mean.Lo <= mean.Value && mean.Value <= mean.Hi && mean.Value <= mean.Raw) {
		t.Errorf("mean %+v", mean)
	}
}
