//go:build lab

package lab

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/stats"
)

const (
	benchmarks = 25
	windows    = 3
	processes  = 8    // of a benchmark, in a window
	slow       = 0.8  // of two clock speeds
	noise      = .003 // of a process, relative
	accepted   = .01  // twice the standard error of a level
)

// machine is a model of the speed of a process.
type machine struct {
	name string
	// clock draws the speed of a process. slowWindow is drawn once a window.
	clock func(r *rand.Rand, slowWindow bool) float64
	// contention is the relative standard deviation, between windows, of what the
	// kernel does not feel.
	contention float64
	// kept and repeat are the percentages of benchmarks whose levels are all
	// accepted, and accepted and within 1%.
	kept, repeat int
}

// TestTwoClocks regresses the log time of 25 benchmarks on the log time of a
// kernel, which only computes, in three windows. It predicts each level at the
// kernel's fast speed. A benchmark spends up to half of its time on memory, whose speed
// does not change. A level whose error is too large is refused. The figures are
// those of docs/decisions/level.md.
func TestTwoClocks(t *testing.T) {
	mixed := func(r *rand.Rand, _ bool) float64 { return []float64{1, slow}[r.IntN(2)] }
	fixed := func(_ *rand.Rand, slowWindow bool) float64 {
		if slowWindow {
			return slow
		}
		return 1
	}
	for _, m := range []machine{
		{"one clock speed", func(*rand.Rand, bool) float64 { return 1 }, 0, 100, 100},
		{"two speeds, drawn for each process", mixed, 0, 98, 97},
		{"two speeds, drawn for each window", fixed, 0, 15, 15},
		{"drawn for each process, contention of 5%", mixed, .05, 98, 2},
		{"drawn for each process, contention of 20%", mixed, .2, 98, 0},
	} {
		r := rand.New(rand.NewPCG(1, 2))
		total, repeat, kept := 0, 0, 0
		var apart, uncorrected []float64
		for range 40 {
			slowWindow := [windows]bool{}
			for w := range slowWindow {
				slowWindow[w] = r.IntN(2) == 0
			}
			for range benchmarks {
				total++
				memory := r.Float64() / 2
				var levels, means []float64
				for w := range windows {
					other := r.NormFloat64() * m.contention
					var x, y []float64
					for range processes {
						speed := m.clock(r, slowWindow[w])
						x = append(x, -math.Log(speed)+noise*r.NormFloat64())
						y = append(y, math.Log((1-memory)/speed+memory)+other+noise*r.NormFloat64())
					}
					means = append(means, mean(y))
					if level, se := predict(x, y); 2*se <= accepted {
						levels = append(levels, level)
					}
				}
				uncorrected = append(uncorrected, slices.Max(means)-slices.Min(means))
				if len(levels) == windows {
					kept++
					apart = append(apart, slices.Max(levels)-slices.Min(levels))
					if apart[len(apart)-1] <= accepted {
						repeat++
					}
				}
			}
		}
		share := func(n int) int { return int(math.Round(100 * float64(n) / float64(total))) }
		t.Logf("| %s | %.1f%% | %d%% | %.1f%% | %d%% |", m.name, 100*stats.Median(uncorrected), share(kept), 100*stats.Median(apart), share(repeat))
		if share(kept) != m.kept || share(repeat) != m.repeat {
			t.Errorf("%s: %d%% accepted and %d%% repeat, want %d%% and %d%%", m.name, share(kept), share(repeat), m.kept, m.repeat)
		}
	}
}

// predict fits a line and returns its value at 0, with its standard error.
func predict(x, y []float64) (level, se float64) {
	n, mx, my := float64(len(x)), mean(x), mean(y)
	var sxx, sxy, rss float64
	for i := range x {
		sxx += (x[i] - mx) * (x[i] - mx)
		sxy += (x[i] - mx) * (y[i] - my)
	}
	slope := sxy / sxx
	for i := range x {
		e := y[i] - my - slope*(x[i]-mx)
		rss += e * e
	}
	return my - slope*mx, math.Sqrt(rss / (n - 2) * (1/n + mx*mx/sxx))
}

func mean(v []float64) (m float64) {
	for _, x := range v {
		m += x / float64(len(v))
	}
	return m
}
