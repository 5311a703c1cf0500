//go:build lab

package bisect

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
)

// halving is a simpler search. It measures the commit in the middle against the good
// end until its level is above or below half of the step, and continues in one half.
// It compares the remaining commit with its parent, and names it if the ordinary rule
// confirms half of the change. If not, it repeats the search with more evidence, twice
// at most.
type halving struct {
	*history
	compare prober
	above   func(h *halving, k, try int, mid, step float64) bool
	logs    map[int][]float64
	blocks  int
}

func (h *halving) more(k, n int) []float64 {
	if more := n - len(h.logs[k]); more > 0 {
		logs, _ := h.history.Blocks(context.Background(), 0, k, more)
		h.logs[k], h.blocks = append(h.logs[k], logs...), h.blocks+more
	}
	return h.logs[k]
}

// ordinary decides by the sequential rule of a comparison.
func ordinary(h *halving, k, try int, mid, step float64) bool {
	d := judge.NewDesign(40*try, 0.05, 1)
	var looks []judge.Look
	for _, n := range d.Looks {
		looks = append(looks, judge.Look{Center: h.more(k, n)[:n]})
		all, err := d.Decide(7, looks...)
		if err != nil {
			panic(err)
		}
		if all[len(all)-1].Excludes(mid) {
			break
		}
	}
	return (stats.Median(h.logs[k]) > mid) == (step > 0)
}

// wald is the sequential probability ratio test of the ends of the step, with
// Student's t of three degrees of freedom.
func wald(scale float64, commits int) func(h *halving, k, try int, mid, step float64) bool {
	return func(h *halving, k, try int, mid, step float64) bool {
		needed := math.Log(20 * math.Log2(float64(commits+1)) * math.Pow(10, float64(try-1)))
		for n := batch; ; n += batch {
			ratio := 0.0
			for _, v := range h.more(k, n) {
				lo, hi := (v-mid+step/2)/scale, (v-mid-step/2)/scale
				ratio += 2 * (math.Log1p(lo*lo/tails) - math.Log1p(hi*hi/tails))
			}
			if math.Abs(ratio) > needed || n >= 40*try {
				return ratio > 0
			}
		}
	}
}

func (h *halving) search(last int) (named int) {
	ends, _ := h.compare.Compare(context.Background(), 0, last)
	if h.blocks = len(ends.Logs); !ends.Differs {
		return 0
	}
	if h.above == nil {
		h.above = wald(max(spread(ends.Logs), leastScale), last)
	}
	for try := 1; try <= 3 && h.single <= mostBlocks; try++ {
		lo, hi := 0, last
		for hi-lo > 1 {
			m := (lo + hi) / 2
			if h.above(h, m, try, ends.Center/2, ends.Center) {
				hi = m
			} else {
				lo = m
			}
		}
		c, _ := h.compare.Compare(context.Background(), lo, hi)
		h.blocks += len(c.Logs)
		if c.Differs && sameSign(c.Center, ends.Center) && math.Abs(c.Center)+half(c) >= math.Abs(ends.Center)/2 {
			return hi
		}
	}
	return 0
}

// TestHalving compares the search with two kinds of halving, in histories with noise
// and in histories whose code moves (docs/decisions/bisect.md).
func TestHalving(t *testing.T) {
	type cell struct{ noise, moves, step float64 }
	for _, c := range []cell{{0.02, 0, 0.02}, {0.02, 0, 0.05}, {0.003, 0, 0.02}, {0.003, 0.01, 0.02}, {0.003, 0.01, 0.05}} {
		for _, name := range []string{"search", "ordinary", "Wald"} {
			right, wrong := 0, 0
			var blocks []float64
			for run := range 40 {
				const commits = 16
				h, at := movedHistory(commits, 0.25, c.moves, c.step, c.noise, uint64(5001+run))
				p, named := withDelta{h, 0.01}, 0
				if name == "search" {
					r, err := findCulprits(context.Background(), p, commits, options{})
					if err != nil {
						t.Fatal(err)
					}
					blocks = append(blocks, float64(r.Blocks))
					if len(r.Culprits) > 0 {
						named = r.Culprits[0].Commit
					}
				} else {
					s := &halving{history: h, compare: p, logs: make(map[int][]float64)}
					if name == "ordinary" {
						s.above = ordinary
					}
					named = s.search(commits)
					blocks = append(blocks, float64(s.blocks))
				}
				switch named {
				case 0:
				case at:
					right++
				default:
					wrong++
				}
			}
			t.Logf("%-34s %-8s names the step in %d of 40, another commit in %d, %.0f blocks", fmt.Sprintf("noise %g, moves %g, step %g:", c.noise, c.moves, c.step), name, right, wrong, stats.Median(blocks))
		}
	}
}
