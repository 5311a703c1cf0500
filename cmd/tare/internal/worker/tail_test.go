package worker

import (
	"strconv"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// TestTail checks that the percentiles of a slice lie between those of two times
// that the operations record, one within the time of the loop and one around it.
// Interruptions do not change that order.
func TestTail(t *testing.T) {
	const n = 3000 // tail_test.go of testdata has this number too
	for _, shape := range []string{"bimodal", "heavy", "stall"} {
		for _, loop := range []string{"Tail", "TailParallel"} {
			t.Run(loop+"/"+shape, func(t *testing.T) {
				w := start(t, "local", result.ExactPattern("Benchmark"+loop+"/"+shape))
				next(t, w)
				got := slice(t, w, n, Tail).Slice.Metrics
				w.End()
				truth := next(t, w).Slice.Metrics
				for _, percent := range []string{"50", "90", "99"} {
					inner, outer, p := truth["inner-p"+percent], truth["outer-p"+percent], got["p"+percent+"-sec/op"]
					t.Logf("p%s %.4g µs, recorded %.4g to %.4g", percent, 1e6*p, 1e6*inner, 1e6*outer)
					if p < 0.95*inner || p > outer {
						t.Errorf("p%s is %g s, and the operations recorded %g to %g", percent, p, inner, outer)
					}
				}
			})
		}
	}
}

// TestTailNeedsIterations: a loop up to b.N has no percentiles, and few
// iterations have few.
func TestTailNeedsIterations(t *testing.T) {
	w := start(t, "local", result.ExactPattern("BenchmarkPlain"))
	next(t, w)
	if m := slice(t, w, 1000, Tail).Slice.Metrics; m["p50-sec/op"] != 0 {
		t.Errorf("a loop up to b.N has %v", m)
	}
	w = start(t, "local", result.ExactPattern("BenchmarkTail/stall"))
	next(t, w)
	for n, want := range map[int64]int{1: 2, 2: 3, 20: 9, 1000: 13} {
		if m := slice(t, w, n, Tail).Slice.Metrics; len(m) != want {
			t.Errorf("%s iterations have %d quantiles, want %d: %v", strconv.FormatInt(n, 10), len(m), want, m)
		}
	}
	for _, batch := range []Reading{1, 8} {
		w := start(t, "local", result.ExactPattern("BenchmarkParallel"))
		next(t, w)
		m := slice(t, w, 10_000, Tail|batch<<8).Slice.Metrics
		if !(m["p50-sec/op"] <= m["p90-sec/op"] && m["p90-sec/op"] <= m["p99-sec/op"] && m["max-sec/op"] > 0) {
			t.Errorf("RunParallel in batches of %d: %v", batch, m)
		}
	}
}
