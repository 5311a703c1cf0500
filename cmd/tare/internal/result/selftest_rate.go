package result

import (
	"math/rand/v2"
	"slices"
)

// SelfTestRate counts comparisons at a fixed number of blocks, before any
// adjustment. If nothing differs, P is below 0.05 in one row of twenty, p-values
// fill all tenths alike, half of the blocks are positive, and half of the
// neighbors have the same sign.
type SelfTestRate struct {
	Rows int
	// Below counts rows with p < 0.05. Lo and Hi are the 95% interval of their
	// share, by a bootstrap of whole runs (Davison and Hinkley 1997, section 3.8):
	// rows of one run share the machine of that hour. They are 0 and 1 with fewer
	// than two runs.
	Below  int
	Lo, Hi float64
	// Tenths counts p-values by tenths of the range from 0 to 1.
	Tenths [10]int
	// Positive counts blocks with new above old, of Blocks. Alike counts pairs of
	// blocks in a row with the same sign, of Pairs.
	Positive, Blocks int
	Alike, Pairs     int
}

// Rate is the rate of the comparisons at a fixed number of blocks.
func (t SelfTestTruth) Rate() SelfTestRate {
	r := SelfTestRate{Hi: 1}
	rows, below := make([]int, t.Runs), make([]int, t.Runs)
	for _, f := range t.Fixed {
		r.Rows++
		rows[f.Run]++
		if f.P < 0.05 {
			r.Below++
			below[f.Run]++
		}
		r.Tenths[min(9, int(10*f.P))]++
		for i, v := range f.Logs {
			r.Blocks++
			if v > 0 {
				r.Positive++
			}
			if i > 0 {
				r.Pairs++
				if (v > 0) == (f.Logs[i-1] > 0) {
					r.Alike++
				}
			}
		}
	}
	if t.Runs < 2 || r.Rows == 0 {
		return r
	}
	const draws = 4000
	random := rand.New(rand.NewPCG(1, 1))
	shares := make([]float64, 0, draws)
	for range draws {
		of, hit := 0, 0
		for range t.Runs {
			k := random.IntN(t.Runs)
			of, hit = of+rows[k], hit+below[k]
		}
		if of > 0 {
			shares = append(shares, float64(hit)/float64(of))
		}
	}
	slices.Sort(shares)
	r.Lo, r.Hi = shares[len(shares)/40], shares[len(shares)-1-len(shares)/40]
	return r
}
