package judge

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// drawn is a process of two equal variants that each draw the allocations of an
// operation once: 3 with probability p, else 2.
func drawn(r *rand.Rand, p float64) (calls []result.Round) {
	var count [2]uint64
	for v := range count {
		if count[v] = 2; r.Float64() < p {
			count[v] = 3
		}
	}
	for _, n := range []int64{120, 240, 480} {
		round := result.Round{Order: []int{0, 1}}
		for _, c := range count {
			round.Slices = append(round.Slices, result.Slice{N: n, Counted: true, Mallocs: c*uint64(n) + 3, Bytes: 64*c*uint64(n) + 200})
		}
		calls = append(calls, round)
	}
	return calls
}

// TestExactDifferencesAreSeldomWrong: a count that is drawn once a process is
// constant in it. Of m rows of a run, each is called different in at most α/m.
func TestExactDifferencesAreSeldomWrong(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		p         float64
		rows      int
		processes int // of a row that differs
	}{{.5, 1, 4}, {.3, 1, 4}, {.1, 1, 4}, {.5, 50, 6}} {
		study := result.Study{Plan: result.Plan{Kind: "compare", Alpha: 0.05, Delta: 0.02, MaxBlocks: 40, Units: []string{"counts"}}, Family: c.rows, Variants: []result.Variant{{Label: "a"}, {Label: "b"}}}
		study.Output.Gate = result.DefaultLimits()
		n, wrong, failed := times(2000, 40_000), 0, 0
		for i := range uint64(n) {
			r := rand.New(rand.NewPCG(i, 4))
			var counting []result.Round
			var processes [][]result.Round
			for {
				wanted, _ := Counting(study, processes, 0)
				if len(processes) >= wanted {
					break
				}
				calls := drawn(r, c.p)
				processes, counting = append(processes, calls), append(counting, calls...)
			}
			study.Seed = i
			found := Compare(&result.Recording{
				Study:      study,
				Benchmarks: []result.Benchmark{{Key: result.Key{Pkg: "p", Name: "X"}, Blocks: []result.Block{{Counting: counting, FuncOrders: []uint64{0, 0}}}}},
				Stops:      []result.Stop{{Reason: result.StopCounted}}, End: &result.End{},
			})
			for _, row := range found.Benchmarks {
				if row.Verdict == result.Slower || row.Verdict == result.Faster {
					if row.Exact && *row.P != exactP(c.processes) {
						t.Fatalf("p = %v of %d processes: %+v", *row.P, len(processes), row)
					}
					wrong++
					break
				}
			}
			if GateOf(&found).Gate == Regression {
				failed++
			}
		}
		atMost(t, fmt.Sprintf("coin %.1f, one of %d rows: called different", c.p, 2*c.rows), wrong, n, study.Alpha/float64(2*c.rows))
		atMost(t, fmt.Sprintf("coin %.1f, one of %d rows: gate fails", c.p, 2*c.rows), failed, n, study.Alpha/float64(2*c.rows))
	}
}

// TestCountingIsForAllUnits: the judge calls a difference of allocations among
// all units of the benchmark, so the processes that count must be enough for these.
func TestCountingIsForAllUnits(t *testing.T) {
	t.Parallel()
	differ := drawn(rand.New(rand.NewPCG(1, 1)), 0)
	for i := range differ {
		s := &differ[i].Slices[1]
		s.Mallocs, s.Bytes = 2*s.Mallocs, 2*s.Bytes
	}
	for _, c := range []struct {
		units   []string
		metrics int
		rows    int
	}{{nil, 0, 2}, {nil, 7, 9}, {[]string{"time", "tail"}, 0, 7}, {[]string{"time", "tail", "memory"}, 30, 42}} {
		study := result.Study{Plan: result.Plan{Alpha: 0.05, Units: c.units}, Family: 1}
		wanted, equal := Counting(study, [][]result.Round{differ, differ, differ}, c.metrics)
		if wanted != Agreeing(study.Alpha, c.rows) || equal {
			t.Errorf("%v and %d metrics: %d processes, equal %v, for %d rows", c.units, c.metrics, wanted, equal, c.rows)
		}
	}
}

// TestUnitsAreOneFamily: however many units a benchmark reports, a run in which
// nothing changed has a false verdict about a unit other than time in at most 5%.
func TestUnitsAreOneFamily(t *testing.T) {
	t.Parallel()
	for _, units := range []int{1, 4, 8} {
		n, wrong := times(60, 1000), 0
		for i := range uint64(n) {
			r := rand.New(rand.NewPCG(i, uint64(units)))
			level := make(map[int]float64)
			rec := simulated(8, 3, 0, 0.001, 0.001, i+1000, func(_, round, variant int, s *result.Slice) {
				s.Counted, s.Metrics = false, make(map[string]float64)
				for u := range units {
					if round == 0 {
						level[2*u+variant] = 1000 + 300*r.NormFloat64()
					}
					s.Metrics[fmt.Sprintf("m%d", u)] = level[2*u+variant]
				}
			})
			rec.Study.MaxBlocks, rec.Study.Family = 8, 1
			for _, row := range Compare(rec).Benchmarks {
				if row.Unit != "sec/op" && (row.Verdict == result.Faster || row.Verdict == result.Slower) {
					wrong++
					break
				}
			}
		}
		atMost(t, fmt.Sprintf("%d units: runs with a false verdict", units), wrong, n, 0.05)
	}
}
