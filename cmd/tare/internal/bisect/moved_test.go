package bisect

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/lab"
)

// TestSearchAmongMovedCode: a part of the commits has a separate level (from the
// place of a loop in its function), which no new link draws again. The bound of
// one history in twenty was set before any result was seen. The two cells at the
// end do not keep it, and are printed: moves are most of the difference in them,
// or all. The seeds are not those that the model was chosen with.
func TestSearchAmongMovedCode(t *testing.T) {
	t.Parallel()
	runs := lab.Times(8, 20)
	if n, err := strconv.Atoi(os.Getenv("TARE_RUNS")); err == nil {
		runs = n
	}
	type cell struct {
		commits            int
		part, offset, step float64
		named              float64 // least share of runs that name the step
		unbound            bool
	}
	cells := []cell{
		{16, 0.25, 0, 0.02, 0.95, false}, {16, 0.25, 0.01, 0.02, 0, false}, {32, 0.25, 0.01, 0.02, 0, false},
		{64, 0.25, 0.01, 0.05, 0.5, false}, {64, 0.05, 0.01, 0.02, 0, false},
	}
	if lab.Long {
		cells = append(cells, cell{64, 0.25, 0, 0.02, 0.95, false}, cell{32, 0.25, 0.005, 0.02, 0.2, false}, cell{32, 0.25, 0.01, 0.03, 0, false},
			cell{64, 1, 0.005, 0.02, 0, false}, cell{64, 1, 0.01, 0.02, 0, true}, cell{64, 0.25, 0.01, 0, 0, true})
		for _, commits := range []int{16, 32, 64, 128} {
			for _, offset := range []float64{0, 0.005, 0.01} {
				for _, step := range []float64{0.02, 0.03, 0.05} {
					cells = append(cells, cell{commits, 0.25, offset, step, 0, false})
				}
			}
		}
	}
	for _, c := range cells {
		t.Run(fmt.Sprintf("%d commits, %g of %g, step %g", c.commits, c.offset, c.part, c.step), func(t *testing.T) {
			runs := runs
			if c.part == 0.25 && c.offset == 0.01 && c.step == 0.02 && c.commits <= 32 {
				runs *= lab.Times(7, 1) // more than one in ten were wrong here
			}
			const most = 0.05 // share of runs that name a commit without the step
			const noise, delta = 0.003, 0.01
			right, wrong, moved, none, open, left, blocks := 0, 0, 0, 0, 0, 0, 0
			for run := range runs {
				seed := uint64(5001 + run)
				h, at := movedHistory(c.commits, c.part, c.offset, c.step, noise, seed)
				r, err := findCulprits(context.Background(), withDelta{h, delta}, c.commits, options{})
				if err != nil {
					t.Fatal(err)
				}
				moved += len(r.Moved)
				blocks += r.Blocks
				switch {
				case len(r.Culprits) == 0 && len(r.Open) == 0:
					none++
				case len(r.Culprits) == 0:
					open++
					left += len(r.Open)
				case c.step > 0 && holds(r.Culprits, at), c.part < 0.1 && explains(h, r.Culprits):
					right++
				default:
					wrong++
				}
			}
			t.Logf("%d commits, step %.1f%%, level of %.0f%% of commits off by %.1f%%: named %d of %d, without the step %d; %d moved, none %d, open %d with %d commits each, %d blocks",
				c.commits, 100*c.step, 100*c.part, 100*c.offset, right+wrong, runs, wrong, moved, none, open, left/max(1, open), blocks/runs)
			if float64(wrong) > most*float64(runs) && !c.unbound {
				t.Errorf("named without the step in %d of %d, at most %.0f%%", wrong, runs, 100*most)
			}
			if float64(right) < c.named*float64(runs) {
				t.Errorf("named the step in %d of %d, at least %.0f%%", right, runs, 100*c.named)
			}
		})
	}
}

// movedHistory has a step at one commit. The code of that commit and of a part of the
// others moves, which gives them another level, with this standard deviation.
func movedHistory(commits int, part, offset, step, noise float64, seed uint64) (h *history, at int) {
	random := rand.New(rand.NewPCG(seed, 21))
	at = 1 + random.IntN(commits)
	h = newHistory(commits, map[int]float64{at: step}, normal(noise), seed)
	level := 0.0
	for k := range h.level {
		if random.Float64() < part || k == at {
			level = offset * random.NormFloat64()
		}
		h.level[k] += level
	}
	return h, at
}

// explains is true if the culprits' change is half of the ends' change. If moves
// are so rare that only one is seen, every reader takes it for a step.
func explains(h *history, culprits []culprit) bool {
	for _, c := range culprits {
		if 2*math.Abs(h.level[c.Commit]-h.level[c.Parent]) < math.Abs(h.level[len(h.level)-1]-h.level[0]) {
			return false
		}
	}
	return true
}

// holds is true if one of the culprits may be a commit.
func holds(culprits []culprit, at int) bool {
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

func (h withDelta) Compare(_ context.Context, a, b int) (outcome, error) {
	d := judge.NewDesign(40, 0.05, 1)
	var o outcome
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
