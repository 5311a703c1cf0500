package compare

import (
	"math"

	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/stats"
)

// leastDifferent is the smallest equal number of runs a side that can give a
// p-value of at most alpha; 0 when none up to 50 can.
func leastDifferent(alpha float64) int {
	for n := 1; n <= 50; n++ {
		if stats.SmallestP(n, n) <= alpha {
			return n
		}
	}
	return 0
}

// decide adjusts the p-values over all rows of a unit and gives the verdicts.
// A row is called faster or slower only where Benjamini and Hochberg's p-value
// is at most alpha and the interval of the change leaves out no change; same
// where the interval lies within delta.
func (t *Tables) decide() {
	rows := make(map[string][]*result.BenchmarkComparison)
	for _, table := range t.Tables {
		for _, row := range table.Rows {
			for _, c := range row.Cells {
				if c != nil && c.Against != nil {
					rows[table.Unit] = append(rows[table.Unit], c.Against)
				}
			}
		}
	}
	x := math.Log1p(t.Options.Delta)
	for _, all := range rows {
		p := make([]float64, len(all))
		for i, b := range all {
			p[i] = math.NaN()
			if b.P != nil {
				p[i] = *b.P
			}
		}
		bh, holm := stats.BenjaminiHochberg(p), stats.Holm(p)
		for i, b := range all {
			if b.P == nil {
				continue
			}
			b.PBH, b.PHolm = &bh[i], &holm[i]
			b.Verdict = verdictOf(b, bh[i] <= t.Options.Alpha, x)
			if b.Verdict == result.Undecided {
				b.Needed = t.needed(b, x)
			}
		}
	}
}

// verdictOf reads the interval of a row; proven says whether its adjusted
// p-value lets it be called different.
func verdictOf(b *result.BenchmarkComparison, proven bool, x float64) result.Verdict {
	c := b.Change
	lo, hi := math.Log(c.Lo), math.Log(c.Hi)
	if d := c.Difference; d != nil {
		lo, hi, x = d.Lo, d.Hi, 0
	}
	if math.IsNaN(lo) || math.IsNaN(hi) {
		return result.Undecided
	}
	v := verdict(lo, hi, x, b.Better)
	if (v == result.Faster || v == result.Slower) && !proven {
		if x > 0 && lo >= -x && hi <= x {
			return result.Same
		}
		return result.Undecided
	}
	return v
}

// needed estimates how many runs a side would settle an undecided row: the
// half-width h of its interval shrinks as 1/√n, and settles it when it falls
// below the way from the centre to no change, or to the far end of ±x.
func (t *Tables) needed(b *result.BenchmarkComparison, x float64) int {
	if math.IsNaN(b.Change.Lo) {
		if d := b.Change.Difference; d == nil || math.IsNaN(d.Lo) {
			return t.LeastDifferent
		}
		return 0
	}
	center, half := math.Log(b.Change.Ratio), math.Log(b.Change.Hi/b.Change.Lo)/2
	way := max(math.Abs(center), x-math.Abs(center))
	if !(way > 0) || half <= way || b.Change.Lo > 1 || b.Change.Hi < 1 {
		return 0 // the interval says enough: it is the adjustment that holds the verdict back
	}
	n := 2 / (1/float64(b.Old.N) + 1/float64(b.New.N))
	need := math.Ceil(n * (half / way) * (half / way))
	if need > 1e6 {
		return 0
	}
	return max(int(need), max(b.Old.N, b.New.N)+1)
}
