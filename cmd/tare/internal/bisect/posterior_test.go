package bisect

import (
	"math"
	"math/rand/v2"
	"testing"
)

// enumerate is the posterior by its definition: every hypothesis with every set of
// commits that move the code, point by point. The points are the commits 1 … n.
func enumerate(m model, seen []observation) (step []float64, two, none float64, mean, square []float64) {
	n := len(m.Prior) - 1
	step, mean, square = make([]float64, n+1), make([]float64, n+1), make([]float64, n+1)
	logs, prior := make([][]float64, n+1), 0.0
	for _, o := range seen {
		logs[o.B] = append(logs[o.B], o.LogRatio)
	}
	for _, v := range m.Prior[1:] {
		prior += v
	}
	total := 0.0
	for _, scale := range scaleGrid {
		around, center, precision := 0.0, make([]float64, n+1), make([]float64, n+1)
		for k := 1; k <= n; k++ {
			var log float64
			center[k], precision[k], log = located(logs[k], scale*m.Scale)
			around += log
		}
		for i, part := range movedGrid {
			sd := part * math.Abs(m.Whole)
			for _, origin := range []float64{-sd, sd} {
				add := func(weight float64, sizes map[int]float64) {
					for set := range 1 << n { // bit k-1: commit k moves the code
						v, move, variance, level := weight*m.Moves[i]/2*math.Exp(around), 0.0, 0.0, 0.0
						levels := make([]float64, n+1)
						for k := 1; k <= n && v > 0; k++ {
							moves := set>>(k-1)&1 == 1
							switch size, steps := sizes[k]; {
							case steps && !moves, moves && m.Prior[k] == 0:
								v = 0 // a step moves the code, and the same code does not
							case steps:
								level += size
							case moves:
								v *= moving
							case m.Prior[k] > 0:
								v *= 1 - moving
							}
							if moves {
								move, variance = -origin, sd*sd
							}
							levels[k] = level
							off, over := center[k]-level-move, 1+variance*precision[k]
							v *= math.Exp(-precision[k]*off*off/over/2) / math.Sqrt(over)
							move, variance = move+variance/over*precision[k]*off, variance/over
						}
						total += v
						for k := range sizes {
							step[k] += v
						}
						switch len(sizes) {
						case 0:
							none += v
						case 2:
							two += v
						}
						for k, level := range levels {
							mean[k] += v * level
							square[k] += v * level * level
						}
					}
				}
				add(stepsPrior[0], nil)
				for _, z := range deltaGrid {
					delta := m.Delta + z*math.Hypot(m.DeltaSD, math.Sqrt2*sd)
					for a := 1; a <= n; a++ {
						first := m.Prior[a] / prior / float64(len(deltaGrid))
						add(stepsPrior[1]*first, map[int]float64{a: delta})
						for b := a + 1; b <= n; b++ {
							for _, share := range shareGrid {
								if i < len(movedGrid)-1 {
									add(2*stepsPrior[2]/float64(len(shareGrid))*first*m.Prior[b]/prior, map[int]float64{a: share * delta, b: (1 - share) * delta})
								}
							}
						}
					}
				}
			}
		}
	}
	for _, list := range [][]float64{step, mean, square} {
		for k := range list {
			list[k] /= total
		}
	}
	return step, two / total, none / total, mean, square
}

// Every commit is measured: the likelihood of a segment is the likelihood of its
// commits only while at most one step is in it.
func TestPosteriorIsThatOfItsDefinition(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		random := rand.New(rand.NewPCG(seed, 11))
		n := 2 + random.IntN(3)
		m := model{Prior: make([]float64, n+1), Delta: 0.02 + 0.01*random.NormFloat64(), DeltaSD: 0.002, Scale: []float64{0.01, 0.003}[seed%2], Moves: evenMoves()}
		m.Whole = m.Delta
		var seen []observation
		for k := 1; k <= n; k++ {
			if m.Prior[k] = random.Float64(); random.IntN(4) == 0 && k > 1 {
				m.Prior[k] = 0
			}
			for range 1 + random.IntN(4) {
				seen = append(seen, observation{0, k, m.Delta*float64(random.IntN(2)) + 0.005*random.NormFloat64()})
			}
		}
		got := m.Posterior(seen)
		step, two, none, mean, square := enumerate(m, seen)
		near := func(what string, got, want float64) {
			t.Helper()
			if math.Abs(got-want) > 1e-6 {
				t.Errorf("seed %d: %s %g, want %g", seed, what, got, want)
			}
		}
		near("two steps", got.steps[2], two)
		near("no step", got.steps[0], none)
		for k := 1; k <= n; k++ {
			near("step", got.Step[k], step[k])
			near("mean", got.mean[k], mean[k])
			near("square", got.square[k], square[k])
		}
	}
}

// A model without a commit that may bring a step has no probability.
func TestPosteriorOfNothing(t *testing.T) {
	t.Parallel()
	p := model{Prior: make([]float64, 4), Delta: 0.1, DeltaSD: 0.01, Whole: 0.1, Moves: evenMoves(), Scale: 0.01}.Posterior([]observation{{0, 3, 0.1}})
	if _, probability := p.Best(); probability != 0 || p.Uncertainty(2) != 0 {
		t.Errorf("posterior %+v", p)
	}
}

func BenchmarkPosterior(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 1))
	m := model{Prior: flat(256), Delta: 0.02, DeltaSD: 0.003, Whole: 0.02, Moves: evenMoves(), Scale: 0.02}
	var seen []observation
	for k := range 100 {
		commit := 1 + k%25*256/25
		seen = append(seen, observation{0, commit, 0.02 * random.NormFloat64()})
	}
	b.ReportAllocs()
	for b.Loop() {
		m.Posterior(seen)
	}
}
