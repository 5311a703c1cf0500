package bisect

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/lab"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
)

// scene is a kind of histories.
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
	return fmt.Sprintf("%d commits, steps %s, %.0f%% broken, noise %s", s.commits, s.sizes(), 100*s.broken, s.noise)
}

func (s scene) sizes() string {
	if len(s.steps) == 0 {
		return "none"
	}
	var all []string
	for _, step := range s.steps {
		all = append(all, fmt.Sprintf("%.0f%%", 100*step))
	}
	return strings.Join(all, " and ")
}

// tally counts the outcomes of simulated searches.
type tally struct {
	runs, right, wrong, none, open int
	all                            int       // every step was named or has moved, and nothing else
	blocks, between                []float64 // of all, and without comparisons
	usualRight                     int       // git bisect run with a median of 8 blocks
}

// usualBlocks is the number of blocks behind the median of git bisect run.
const usualBlocks = 8

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
		r, err := findCulprits(context.Background(), h, s.commits, options{})
		if err != nil {
			t.Fatalf("%v, run %d: %v", s, run, err)
		}
		c.runs++
		c.blocks = append(c.blocks, float64(r.Blocks))
		c.between = append(c.between, float64(h.single))
		switch {
		case len(r.Culprits) == 0 && len(r.Open) == 0:
			c.none++
		case len(r.Culprits) == 0:
			c.open++
		case right(r.Culprits, at):
			c.right++
			if len(r.Culprits)+len(r.Moved) == len(at) {
				c.all++
			}
		default:
			c.wrong++
		}
		if s.usual() && at[medianBisect(h, s.steps[0], usualBlocks)] != 0 {
			c.usualRight++
		}
	}
	return c
}

// usual reports whether git bisect run is simulated too.
func (s scene) usual() bool { return len(s.steps) == 1 && s.broken == 0 }

// right reports whether every culprit contains a step.
func right(culprits []culprit, at map[int]float64) bool {
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

// row is a row of a table of scenes.
func (c tally) row(s scene) string {
	named := c.right + c.wrong
	rightOf, usual := "–", "–"
	if named > 0 {
		lo, hi := shareInterval(c.right, named)
		rightOf = fmt.Sprintf("%s (%.1f … %.1f)", percent(c.right, named), 100*lo, 100*hi)
	}
	if s.usual() {
		usual = fmt.Sprintf("%s, %d", percent(c.usualRight, c.runs), usualBlocks*bits.Len(uint(s.commits-1)))
	}
	all := "–"
	if len(s.steps) > 0 {
		all = percent(c.all, c.runs)
	}
	return fmt.Sprintf("| %s | %d | %s | %.0f%% | %s | %s | %s | %s | %s | %.0f (%.0f) | %.0f | %s |",
		s.noise, s.commits, s.sizes(), 100*s.broken, percent(named, c.runs), rightOf, all, percent(c.none, c.runs), percent(c.open, c.runs),
		stats.Median(c.blocks), stats.Quantile(c.blocks, 0.9), stats.Median(c.between), usual)
}

func percent(a, b int) string { return fmt.Sprintf("%.1f%%", 100*float64(a)/float64(b)) }

// shareInterval is Wilson's 95% interval of the share a of n.
func shareInterval(a, n int) (lo, hi float64) {
	const z = 1.959964
	p, size := float64(a)/float64(n), float64(n)
	center := (p + z*z/(2*size)) / (1 + z*z/size)
	half := z / (1 + z*z/size) * math.Sqrt(p*(1-p)/size+z*z/(4*size*size))
	return max(0, center-half), min(1, center+half)
}

// TestSearchNamesTheRightCommit runs six scenes. With -tags lab it runs all scenes:
// -run 'Names/^64_.*t3' selects histories of 64 commits and noise with heavy tails.
func TestSearchNamesTheRightCommit(t *testing.T) {
	t.Parallel()
	scenes := []scene{
		{64, []float64{0.05}, 0, "normal 2%"},
		{64, []float64{0.02}, 0.1, "normal 0.3%"},
		{16, []float64{0.02}, 0, "spiked 5%"},
		{64, []float64{0.05, 0.05}, 0, "normal 0.3%"},
		{64, []float64{0.05}, 0, "t3 2%"},
		{64, nil, 0, "normal 2%"},
	}
	runs := 15
	if lab.Long {
		scenes, runs = allScenes(), 2000
		if n, err := strconv.Atoi(os.Getenv("TARE_RUNS")); err == nil {
			runs = n
		}
	}
	for _, s := range scenes {
		t.Run(s.String(), func(t *testing.T) {
			c := simulate(t, s, runs)
			t.Log(c.row(s))
			const least = 0.95
			if named := c.right + c.wrong; len(s.steps) > 0 && float64(c.right) < least*float64(named) {
				t.Errorf("right in %d of %d that were named", c.right, named)
			}
			if len(s.steps) > 1 && float64(c.all) < 0.6*float64(c.runs) {
				t.Errorf("both steps were named in %d of %d runs", c.all, c.runs)
			}
			if len(s.steps) == 0 && float64(c.none) < least*float64(c.runs) {
				t.Errorf("no change in %d of %d runs without one", c.none, c.runs)
			}
		})
	}
}

// allScenes are the rows of the table. The ends always build, so that a history
// of one commit has none that may be broken.
func allScenes() []scene {
	var all []scene
	for _, noise := range []string{"normal 2%", "t3 2%", "normal 0.3%", "spiked 5%"} {
		for _, commits := range []int{1, 16, 64, 256} {
			all = append(all, scene{commits, nil, 0, noise})
			for _, step := range []float64{0.01, 0.02, 0.05} {
				all = append(all, scene{commits, []float64{step}, 0, noise})
				if commits > 1 {
					all = append(all, scene{commits, []float64{step}, 0.1, noise})
				}
			}
			if commits > 1 {
				all = append(all, scene{commits, []float64{0.02, 0.03}, 0, noise})
			}
		}
	}
	return all
}

// TestRestOfALargeStep: what a large step leaves is not searched when it is little of
// the whole, so that the answer is the step alone, soon.
func TestRestOfALargeStep(t *testing.T) {
	for _, each := range []float64{0.02, 0} { // of seven small steps
		for seed := range uint64(10) {
			at := map[int]float64{12: 1}
			for k := 1; k < 15; k += 2 {
				at[k] = each
			}
			r, err := findCulprits(context.Background(), newHistory(24, at, noises["normal 2%"], seed), 24, options{})
			if err != nil || len(r.Culprits) != 1 || r.Culprits[0].Commit != 12 || len(r.Open) > 0 || r.Blocks > 90 {
				t.Errorf("steps of %g, seed %d: culprits %+v, open %v, %d blocks, %v", each, seed, r.Culprits, r.Open, r.Blocks, err)
			}
		}
	}
}
