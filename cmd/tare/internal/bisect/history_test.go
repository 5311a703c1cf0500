package bisect

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"github.com/tarebench/tare/cmd/tare/internal/judge"
)

// history is a simulated one: levels in log ratio to the good end, and the
// noise of a block.
type history struct {
	level  []float64
	broken map[int]bool
	noise  func(r *rand.Rand) float64
	random *rand.Rand
	// code, if not nil, names the machine code of every commit: equal numbers
	// are the same code.
	code []int
	// count, if not nil, is an exact count of every commit.
	count    []float64
	measured map[int]int
	// parents are the first commits of comparisons.
	parents map[int]bool
	// single counts the blocks outside of comparisons.
	single int
}

// newHistory has n commits after the good end, and steps at the commits named.
func newHistory(n int, steps map[int]float64, noise func(*rand.Rand) float64, seed uint64) *history {
	h := &history{level: make([]float64, n+1), noise: noise, random: rand.New(rand.NewPCG(seed, 1)), measured: make(map[int]int), parents: make(map[int]bool)}
	for k := 1; k <= n; k++ {
		h.level[k] = h.level[k-1] + steps[k]
	}
	return h
}

func (h *history) Blocks(_ context.Context, a, b, n int) ([]float64, error) {
	logs, err := h.blocks(a, b, n)
	h.single += len(logs)
	return logs, err
}

func (h *history) blocks(a, b, n int) ([]float64, error) {
	for _, k := range []int{a, b} {
		if h.broken[k] {
			return nil, &brokenError{Commit: k, Reason: "does not build"}
		}
	}
	if h.code != nil && h.code[a] == h.code[b] {
		return nil, errSameCode
	}
	h.measured[a]++
	h.measured[b]++
	logs := make([]float64, n)
	for i := range logs {
		logs[i] = h.level[b] - h.level[a] + h.noise(h.random)
	}
	return logs, nil
}

func (h *history) SameCode(_ context.Context, a, b int) (bool, error) {
	for _, k := range []int{a, b} {
		if h.broken[k] {
			return false, &brokenError{Commit: k, Reason: "does not build"}
		}
	}
	return h.code != nil && h.code[a] == h.code[b], nil
}

// Compare is the sequential rule of a comparison with at most 40 blocks and
// δ = 0: it stops at a difference, or at the end.
func (h *history) Compare(_ context.Context, a, b int) (outcome, error) {
	h.parents[a] = true
	d := judge.NewDesign(40, 0.05, 1)
	var o outcome
	if h.count != nil && !h.broken[a] && !h.broken[b] {
		h.measured[a]++
		h.measured[b]++
		o = outcome{Exact: true, Old: h.count[a], New: h.count[b], Center: math.Log(h.count[b] / h.count[a])}
		o.Lo, o.Hi, o.Differs, o.Same = o.Center, o.Center, o.Center != 0, o.Center == 0
		return o, nil
	}
	var looks []judge.Look
	for _, n := range d.Looks {
		more, err := h.blocks(a, b, n-len(o.Logs))
		if errors.Is(err, errSameCode) {
			return outcome{Same: true, SameCode: true}, nil
		}
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
		if last.Excludes(0) {
			o.Differs = true
			return o, nil
		}
		if math.Max(-o.Lo, o.Hi) < 0.004 {
			break
		}
	}
	o.Same = true
	return o, nil
}

func normal(sd float64) func(*rand.Rand) float64 {
	return func(r *rand.Rand) float64 { return sd * r.NormFloat64() }
}

// t3 has a standard deviation of sd.
func t3(sd float64) func(*rand.Rand) float64 {
	return func(r *rand.Rand) float64 {
		chi := 0.0
		for range 3 {
			v := r.NormFloat64()
			chi += v * v
		}
		return sd / math.Sqrt(3) * r.NormFloat64() / math.Sqrt(chi/3)
	}
}

// spiked draws blocks like those of short slices: nearly nothing, and one
// process in ten in another state.
func spiked(sd, jump float64) func(*rand.Rand) float64 {
	return func(r *rand.Rand) float64 {
		v := sd * r.NormFloat64()
		if r.IntN(10) == 0 {
			v += jump * (2*r.Float64() - 1)
		}
		return v
	}
}

func flat(n int) []float64 {
	prior := make([]float64, n+1)
	for k := 1; k <= n; k++ {
		prior[k] = 1
	}
	return prior
}
