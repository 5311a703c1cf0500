package bisect

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/tarebench/tare/stats"
)

// scene is a cell of docs/results/bisect.md.
type scene struct {
	commits int
	steps   []float64
	broken  float64
	noise   string
}

var noises = map[string]func(*rand.Rand) float64{
	"normal 2%":   normal(0.02),
	"t3 2%":       t3(0.02),
	"normal 0.3%": normal(0.003),
	"spiked 5%":   spiked(0.002, 0.05),
}

func (s scene) String() string {
	return fmt.Sprintf("%d commits, steps %v, %.0f%% broken, noise %s", s.commits, s.steps, 100*s.broken, s.noise)
}

// tally counts the outcomes of simulated searches.
type tally struct {
	runs, right, wrong, none, open int
	blocks                         []float64
	usual, usualRight              int // git bisect run with a median of 8 blocks
}

func simulate(t *testing.T, s scene, runs int) tally {
	t.Helper()
	var c tally
	for run := range runs {
		seed := uint64(run)*7919 + uint64(s.commits)
		random := rand.New(rand.NewPCG(seed, 2))
		at := make(map[int]float64)
		for len(at) < min(len(s.steps), s.commits) {
			at[1+random.IntN(s.commits)] = s.steps[len(at)]
		}
		h := newHistory(s.commits, at, noises[s.noise], seed)
		h.broken = make(map[int]bool)
		for k := 1; k < s.commits; k++ {
			if random.Float64() < s.broken {
				h.broken[k] = true
			}
		}
		r, err := Search(context.Background(), h, Options{Prior: flat(s.commits)})
		if err != nil {
			t.Fatalf("%v, run %d: %v", s, run, err)
		}
		c.runs++
		c.blocks = append(c.blocks, float64(r.Blocks))
		switch {
		case len(r.Culprits) == 0 && len(r.Open) == 0:
			c.none++
		case len(r.Culprits) == 0:
			c.open++
		case right(r.Culprits, at):
			c.right++
		default:
			c.wrong++
		}
		if len(s.steps) == 1 && s.broken == 0 {
			c.usual++
			if at[medianBisect(h, s.steps[0], 8)] != 0 {
				c.usualRight++
			}
		}
	}
	return c
}

// right reports whether every culprit holds a step.
func right(culprits []Culprit, at map[int]float64) bool {
	for _, c := range culprits {
		if !slices.ContainsFunc(c.Commits, func(k int) bool { return at[k] != 0 }) {
			return false
		}
	}
	return true
}

// medianBisect is git bisect run with a threshold at half of the step.
func medianBisect(h *history, step float64, blocks int) int {
	lo, hi := 0, len(h.level)-1
	for hi-lo > 1 {
		k := (lo + hi) / 2
		logs, _ := h.Blocks(context.Background(), 0, k, blocks)
		if stats.Median(logs) > step/2 {
			hi = k
		} else {
			lo = k
		}
	}
	return hi
}

func (c tally) String() string {
	named := c.right + c.wrong
	share := func(a, b int) string {
		if b == 0 {
			return "–"
		}
		return fmt.Sprintf("%.1f%%", 100*float64(a)/float64(b))
	}
	return fmt.Sprintf("named %s, right of those %s, no change %s, open %s, blocks %.0f (90%%: %.0f); median of 8 right %s",
		share(named, c.runs), share(c.right, named), share(c.none, c.runs), share(c.open, c.runs),
		stats.Median(c.blocks), stats.Quantile(c.blocks, 0.9), share(c.usualRight, c.usual))
}

// TestSearchNamesTheRightCommit runs a small part of the table of
// docs/results/bisect.md; TARE_LONG runs all of it.
func TestSearchNamesTheRightCommit(t *testing.T) {
	t.Parallel()
	scenes := []scene{
		{64, []float64{0.05}, 0, "normal 2%"},
		{64, []float64{0.02}, 0.1, "normal 0.3%"},
		{16, []float64{0.02}, 0, "spiked 5%"},
		{64, []float64{0.05, 0.05}, 0, "normal 0.3%"},
		{64, nil, 0, "normal 2%"},
	}
	runs := 40
	if os.Getenv("TARE_LONG") != "" {
		scenes, runs = allScenes(), 2000
		if n, err := strconv.Atoi(os.Getenv("TARE_RUNS")); err == nil {
			runs = n
		}
	}
	for _, s := range scenes {
		t.Run(s.String(), func(t *testing.T) {
			c := simulate(t, s, runs)
			t.Log(c)
			named := c.right + c.wrong
			if len(s.steps) == 0 {
				if float64(c.none) < 0.9*float64(c.runs) {
					t.Errorf("no change in %d of %d runs without one", c.none, c.runs)
				}
				return
			}
			if float64(c.right) < 0.95*float64(named)-1 {
				t.Errorf("right in %d of %d that were named", c.right, named)
			}
		})
	}
}

func allScenes() []scene {
	var all []scene
	for _, noise := range []string{"normal 2%", "t3 2%", "normal 0.3%", "spiked 5%"} {
		for _, commits := range []int{1, 16, 64, 256} {
			all = append(all, scene{commits, nil, 0, noise})
			for _, step := range []float64{0.01, 0.02, 0.05} {
				all = append(all, scene{commits, []float64{step}, 0, noise}, scene{commits, []float64{step}, 0.1, noise})
			}
			if commits > 1 {
				all = append(all, scene{commits, []float64{0.02, 0.03}, 0, noise})
			}
		}
	}
	return all
}
