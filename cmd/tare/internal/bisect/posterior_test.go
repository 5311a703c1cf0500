package bisect

import (
	"math"
	"math/rand/v2"
	"testing"
)

// enumerate is the posterior by its definition: the product of the densities of
// all observations under every hypothesis, commit by commit.
func enumerate(m Model, seen []Observation) (step []float64, two float64, mean, square []float64) {
	n := len(m.Prior)
	step, mean, square = make([]float64, n), make([]float64, n), make([]float64, n)
	sum := 0.0
	for _, v := range m.Prior[1:] {
		sum += v
	}
	type hypothesis struct {
		at    []int
		level []float64
		log   float64
	}
	var all []hypothesis
	pairs := make(map[[2]int][]Observation)
	for _, o := range seen {
		if o.A > o.B {
			o = Observation{o.B, o.A, -o.LogRatio}
		}
		pairs[[2]int{o.A, o.B}] = append(pairs[[2]int{o.A, o.B}], o)
	}
	for i := range len(scaleGrid) * len(moved) {
		by := moved[i%len(moved)]
		scale := math.Max(m.Scale, leastScale) * scaleGrid[i/len(moved)]
		for _, z := range deltaGrid {
			delta := m.Delta + z*m.DeltaSD
			add := func(prior float64, sizes map[int]float64) {
				h := hypothesis{level: make([]float64, n), log: math.Log(prior*by.weight) - z*z/2}
				for k := 1; k < n; k++ {
					h.level[k] = h.level[k-1] + sizes[k]
				}
				for k := range sizes {
					h.at = append(h.at, k)
				}
				for _, of := range pairs {
					var logs [3]float64
					for i, off := range []float64{-math.Sqrt(3) * by.sd, 0, math.Sqrt(3) * by.sd} {
						for _, o := range of {
							x := (o.LogRatio - (h.level[o.B] - h.level[o.A]) - off) / scale
							logs[i] += math.Log(math.Pow(1+x*x/tails, -(tails+1)/2) / scale)
						}
					}
					top := max(logs[0], logs[1], logs[2])
					h.log += top + math.Log(math.Exp(logs[0]-top)/6+math.Exp(logs[1]-top)*2/3+math.Exp(logs[2]-top)/6)
				}
				all = append(all, h)
			}
			for a := 1; a < n; a++ {
				if m.Prior[a] > 0 {
					add((1-twoWeight)*m.Prior[a]/sum, map[int]float64{a: delta})
				}
				for b := a + 1; b < n; b++ {
					if m.Prior[a] == 0 || m.Prior[b] == 0 {
						continue
					}
					for _, share := range shareGrid {
						add(2*twoWeight*m.Prior[a]*m.Prior[b]/sum/sum/float64(len(shareGrid)),
							map[int]float64{a: share * delta, b: (1 - share) * delta})
					}
				}
			}
		}
	}
	top, total := math.Inf(-1), 0.0
	for _, h := range all {
		top = math.Max(top, h.log)
	}
	for _, h := range all {
		total += math.Exp(h.log - top)
	}
	for _, h := range all {
		v := math.Exp(h.log-top) / total
		for _, k := range h.at {
			step[k] += v
		}
		if len(h.at) == 2 {
			two += v
		}
		for k, level := range h.level {
			mean[k] += v * level
			square[k] += v * level * level
		}
	}
	return step, two, mean, square
}

// Hypotheses of two steps in one segment are left out: the likelihood of a
// segment is that of its commits only while at most one step lies in it. So
// every commit here is measured, or has no weight.
func TestPosteriorIsThatOfItsDefinition(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 11))
		n := 2 + random.IntN(7)
		m := Model{Prior: make([]float64, n+1), Delta: 0.1 * random.NormFloat64(), DeltaSD: 0.005, Scale: []float64{0.01, 0.0005}[seed%2]}
		var seen []Observation
		for k := 1; k <= n; k++ {
			if m.Prior[k] = random.Float64(); random.IntN(3) == 0 && k > 1 {
				m.Prior[k] = 0
			}
			if m.Prior[k] > 0 || random.IntN(2) == 0 {
				seen = append(seen, Observation{0, k, 0.02 * random.NormFloat64()}, Observation{0, k - 1, 0.02 * random.NormFloat64()})
			}
		}
		for range random.IntN(20) {
			seen = append(seen, Observation{random.IntN(n + 1), random.IntN(n + 1), 0.05 * random.NormFloat64()})
		}
		if random.IntN(4) == 0 { // many observations: likelihoods that a double cannot hold
			for range 500 {
				seen = append(seen, Observation{0, n, m.Delta + random.NormFloat64()})
			}
		}
		got := m.Posterior(seen)
		step, two, mean, square := enumerate(m, seen)
		near := func(what string, got, want float64) {
			t.Helper()
			if math.Abs(got-want) > 1e-9 {
				t.Errorf("seed %d: %s %g, want %g", seed, what, got, want)
			}
		}
		near("two steps", got.Two, two)
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
	p := Model{Prior: make([]float64, 4), Delta: 0.1, DeltaSD: 0.01, Scale: 0.01}.Posterior([]Observation{{0, 3, 0.1}})
	if _, probability := p.Best(); probability != 0 || p.Uncertainty(2) != 0 {
		t.Errorf("posterior %+v", p)
	}
}

func BenchmarkPosterior(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 1))
	m := Model{Prior: flat(256), Delta: 0.02, DeltaSD: 0.003, Scale: 0.02}
	var seen []Observation
	for k := range 100 {
		commit := 1 + k%25*256/25
		seen = append(seen, Observation{0, commit, 0.02 * random.NormFloat64()})
	}
	b.ReportAllocs()
	for b.Loop() {
		m.Posterior(seen)
	}
}
