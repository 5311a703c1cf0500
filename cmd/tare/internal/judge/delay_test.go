package judge

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// stretched are blocks of rounds of one operation of 5 ms, of which the new side
// takes the share more. Other programs make every slice 1 + Exp(20) times as
// long. followed says whether that delay is known. wait is what an operation of
// the new side sleeps besides.
func stretched(blocks int, share float64, followed bool, wait float64, seed uint64) result.Benchmark {
	const op = 5e6
	random := rand.New(rand.NewPCG(seed, 1))
	b := result.Benchmark{Key: result.Key{Name: "A"}}
	for i := range blocks {
		k := result.Block{Block: i, FuncOrders: []uint64{uint64(i + 1), uint64(i + 1)}}
		process := [2]float64{0.002 * random.NormFloat64(), 0.002 * random.NormFloat64()}
		for range 8 {
			speed := 0.02 * random.NormFloat64()
			r := result.Round{Order: []int{0, 1}, Slices: make([]result.Slice, 2)}
			for v, more := range [2]float64{0, share} {
				own := op*(1+more)*math.Exp(speed+process[v]+0.003*random.NormFloat64()) + wait*float64(v)
				s := result.Slice{N: 1, Raw: own * (1 + 20*random.ExpFloat64()), Pauses: 1, Followed: followed}
				if followed {
					s.Delay = math.Round(s.Raw - own)
				}
				r.Slices[v] = s
			}
			k.Rounds = append(k.Rounds, r)
		}
		b.Blocks = append(b.Blocks, k)
	}
	return b
}

// TestDelaysAreNotTime: a change of 1% of an operation that is always interrupted
// is found within 20 blocks, with its true size, and its levels are those of
// uninterrupted operations. A sleep counts. What is not followed is no verdict.
func TestDelaysAreNotTime(t *testing.T) {
	t.Parallel()
	const studies = 20
	study := result.Study{Plan: result.Plan{Alpha: 0.05, Delta: 0.005, MaxBlocks: 20}, Variants: make([]result.Variant, 2), Family: 1}
	for _, c := range []struct {
		name                string
		share, wait, change float64
		followed            bool
		least, most         int // studies that say slower
	}{
		{"+1%", 0.01, 0, 0.01, true, studies - 1, studies},
		{"no change", 0, 0, 0, true, 0, 2},
		{"a sleep of 0.25 ms", 0, 0.25e6, 0.05, true, studies, studies},
		{"+1%, not followed", 0.01, 0, 0.01, false, 0, 2},
	} {
		covered := 0
		slower := countStudies(studies, func(seed uint64) bool {
			study := study
			study.Seed = seed
			return judgeUpTo(study, stretched(20, c.share, c.followed, c.wait, seed), 0, 1, ended).Rows[0].Verdict == result.Slower
		})
		if slower < c.least || slower > c.most {
			t.Errorf("%s: %d of %d studies say slower, want %d to %d", c.name, slower, studies, c.least, c.most)
		}
		for seed := range uint64(studies) {
			r := judgeUpTo(study, stretched(20, c.share, c.followed, c.wait, seed), 0, 1, ended).Rows[0]
			if r.Change.Lo <= 1+c.change && 1+c.change <= r.Change.Hi {
				covered++
			}
			if c.followed && math.Abs(r.Old.Center/5e-3-1) > 0.02 {
				t.Errorf("%s: the level is %g", c.name, r.Old.Center)
			}
		}
		if covered < studies-4 {
			t.Errorf("%s: %d of %d intervals contain the change", c.name, covered, studies)
		}
	}
}
