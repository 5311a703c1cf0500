package judge

import (
	"fmt"
	"math"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// What a total did not reach is a finding with the time that would have been
// enough: as long again for each.
func TestTotalTooShort(t *testing.T) {
	for _, c := range []struct {
		total         float64
		reached, left int
		block         float64 // seconds of each block, of which a benchmark has 8
		machines      int
		want          string
		enough        float64
	}{
		{0, 3, 1, 1, 0, "", 0},
		{60, 4, 0, 1, 0, "", 0},
		{60, 4, 2, 1, 0, "2 of 6 benchmarks were not reached in 60 s; about 90 s would reach all", 90},
		{60, 10, 10, 1, 0, "10 of 20 benchmarks were not reached in 80 s; about 160 s would reach all", 160}, // resumed
		{60, 10, 10, 1, 2, "10 of 20 benchmarks were not reached in 60 s; about 120 s would reach all", 120},
		{60, 0, 5, 1, 0, "none of 5 benchmarks was reached in 60 s", math.NaN()},
	} {
		rec := &result.Recording{Study: result.Study{Plan: result.Plan{MaxBlocks: 160, Alpha: 0.05, TotalSeconds: c.total}, Variants: make([]result.Variant, 2)}}
		rec.Machines = make([]result.Machine, c.machines)
		for i := range c.reached + c.left {
			b := result.Benchmark{Key: result.Key{Name: fmt.Sprint("B", i)}}
			if i < c.reached {
				for k := range 8 {
					b.Blocks = append(b.Blocks, result.Block{Block: k, Seconds: c.block})
				}
			} else {
				rec.Stops = append(rec.Stops, result.Stop{Benchmark: i, Reason: result.StopNotReached})
			}
			rec.Benchmarks = append(rec.Benchmarks, b)
		}
		f, _ := totalTooShort(rec)
		if f.Message != c.want {
			t.Errorf("%d of %d in %v s: %q, want %q", c.reached, c.reached+c.left, c.total, f.Message, c.want)
		}
		if enough, ok := f.Values["enough"].(float64); ok && enough != c.enough {
			t.Errorf("%v s are enough, want %v", enough, c.enough)
		}
		comparison := Compare(rec)
		if n := len(comparison.Findings); (n > 0) != (c.want != "") || n > 0 && comparison.Findings[0].ID != f.ID {
			t.Errorf("findings of a comparison: %v", comparison.Findings)
		}
	}
}

// The time that is enough is never less than the run took, with its builds.
func TestEnoughIsMoreThanTheRunTook(t *testing.T) {
	rec := &result.Recording{Study: result.Study{Plan: result.Plan{TotalSeconds: 60}}, End: &result.End{Seconds: 90}, Stops: []result.Stop{{Benchmark: 12, Reason: result.StopNotReached}}}
	for range 13 {
		rec.Benchmarks = append(rec.Benchmarks, result.Benchmark{Blocks: []result.Block{{Seconds: 4}}})
	}
	rec.Benchmarks[12].Blocks = nil
	if f, _ := totalTooShort(rec); f.Values["enough"] != 97.5 {
		t.Errorf("%v s are enough after 90 s: %s", f.Values["enough"], f.Message)
	}
}
