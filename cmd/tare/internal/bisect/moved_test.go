package bisect

import (
	"context"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/judge"
)

// TestSearchAmongMovedCode: one commit in four that changes the code has a level
// of its own (where a loop lies in its function), which no new link draws again.
// Where moves are half of the step, no search can tell them apart: the bound holds
// what was reached, 19, 10 and 3 of 60, when 23, 9 and 5 were named without the rules.
func TestSearchAmongMovedCode(t *testing.T) {
	t.Parallel()
	runs := 60
	if n, err := strconv.Atoi(os.Getenv("TARE_RUNS")); err == nil {
		runs = n
	}
	for _, c := range []struct {
		offset, step float64
		most         float64 // share of runs that name a commit without the step
	}{{0, 0.02, 0}, {0.005, 0.02, 0.1}, {0.01, 0.02, 0.35}, {0.01, 0.03, 0.2}, {0.01, 0.05, 0.05}} {
		const noise, delta = 0.003, 0.01
		right, wrong, moved, none, open := 0, 0, 0, 0, 0
		for run := range runs {
			seed := uint64(run + 1)
			random := rand.New(rand.NewPCG(seed, 21))
			at := 1 + random.IntN(64)
			h := newHistory(64, map[int]float64{at: c.step}, normal(noise), seed)
			offset := 0.0
			for k := range h.level {
				if random.Float64() < 0.25 || k == at {
					offset = c.offset * random.NormFloat64()
				}
				h.level[k] += offset
			}
			r, err := Search(context.Background(), withDelta{h, delta}, Options{Prior: flat(64)})
			if err != nil {
				t.Fatal(err)
			}
			moved += len(r.Moved)
			switch {
			case len(r.Culprits) == 0 && len(r.Open) == 0:
				none++
			case len(r.Culprits) == 0:
				open++
			case holds(r.Culprits, at):
				right++
			default:
				wrong++
			}
		}
		t.Logf("step %.1f%%, level of each commit off by %.1f%%: named %d of %d, without the step %d; %d moved, none %d, open %d",
			100*c.step, 100*c.offset, right+wrong, runs, wrong, moved, none, open)
		if float64(wrong) > c.most*float64(runs) {
			t.Errorf("named without the step in %d of %d, at most %.0f%%", wrong, runs, 100*c.most)
		}
	}
}

// holds is true if one of the culprits may be a commit.
func holds(culprits []Culprit, at int) bool {
	for _, c := range culprits {
		for _, k := range c.Commits {
			if k == at {
				return true
			}
		}
	}
	return false
}

// withDelta compares with a delta, in the order of judge.Interval.Verdict.
type withDelta struct {
	*history
	delta float64
}

func (h withDelta) Compare(_ context.Context, a, b int) (Outcome, error) {
	d := judge.NewDesign(40, 0.05, 1)
	var o Outcome
	var looks []judge.Look
	for _, n := range d.Looks {
		more, err := h.blocks(a, b, n-len(o.Logs))
		if err != nil {
			return o, err
		}
		o.Logs = append(o.Logs, more...)
		looks = append(looks, judge.Look{Center: o.Logs})
		all, err := d.Decide(7, looks...)
		if err != nil {
			return o, err
		}
		last := all[len(all)-1]
		o.Center, o.Lo, o.Hi = last.Center, last.Lo, last.Hi
		if max(-o.Lo, o.Hi) < h.delta {
			o.Same = true
			return o, nil
		}
		if last.Excludes(0) {
			o.Differs = true
			return o, nil
		}
	}
	return o, nil
}
