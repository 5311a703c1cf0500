package judge

import (
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/kind"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
	"github.com/tarebench/tare/internal/finding"
)

// Adjust fills PBH and PHolm over all rows of a family that have a p-value, and
// gives these rows their verdicts: a run asks as many questions as it has rows,
// and a row is faster or slower only where Holm's p-value is at most alpha, so
// that a run in which nothing changed says so of any row with probability at
// most alpha. A row that differs alone gets a finding. Same rows stay same.
//
// The rows of sec/op are a family, in which B/s, the same times seen the other
// way, counts with sec/op; each other unit is a family of its own.
func Adjust(rows []result.BenchmarkComparison, alpha float64) {
	type hypothesis struct {
		benchmark
		family string
	}
	index := make(map[hypothesis]int) // into p of the family
	p := make(map[string][]float64)
	at := make([]int, len(rows))               // in p of the family, by row
	for _, rate := range []bool{false, true} { // sec/op stands for B/s where there is one
		for i := range rows {
			r := &rows[i]
			if r.P == nil || (r.Unit == "B/s") != rate {
				continue
			}
			h := hypothesis{benchmarkOf(r), Family(r.Unit)}
			k, known := index[h]
			if !known {
				k = len(p[h.family])
				index[h], p[h.family] = k, append(p[h.family], tested(r))
			}
			at[i] = k
		}
	}
	bh, holm := make(map[string][]float64), make(map[string][]float64)
	for family, all := range p {
		bh[family], holm[family] = stats.BenjaminiHochberg(all), stats.Holm(all)
	}
	for i := range rows {
		r := &rows[i]
		if r.P == nil {
			continue
		}
		family := Family(r.Unit)
		b, a := max(tested(r), bh[family][at[i]]), max(tested(r), holm[family][at[i]])
		r.PBH, r.PHolm = &b, &a
		if r.Exact || r.Verdict == result.Failed || r.Verdict == result.Same {
			continue
		}
		iv := Between(r.Change)
		r.Verdict = iv.Verdict(0, r.Direction(), a <= alpha)
		// Delta counts only for same, which is not decided here.
		if held := guardOf(r).Allows(iv, r.Verdict, 0, r.Direction()); held != result.NotHeld {
			r.Verdict, r.Guard.Held = result.Undecided, held
			continue
		}
		if r.Verdict == result.Undecided && iv.Excludes(0) {
			r.Needed = 0 // the interval says enough: it is the adjustment that holds the verdict back
			r.Findings = append(r.Findings, kind.NotAfterAdjustment.Of(r.Name,
				finding.Number("p", tested(r)), finding.Count("rows", len(p[family]), "benchmark")))
		}
	}
}

// Crossed takes back what rests on Holm's adjustment alone, after [Adjust]: a
// p-value above alpha/family at the look where measuring happened to end. Where
// a study chooses by its data which rows to look at again, only crossing a
// boundary bounds the error, whatever it chooses.
func Crossed(rows []result.BenchmarkComparison, alpha float64, family int) {
	for i := range rows {
		r := &rows[i]
		if r.P == nil || r.Exact || tested(r) <= alpha/float64(max(family, 1)) || r.Verdict != result.Faster && r.Verdict != result.Slower {
			continue
		}
		r.Verdict = result.Undecided
		r.Findings = append(r.Findings, kind.NotAfterAdjustment.Of(r.Name, finding.Number("p", tested(r)), finding.Count("rows", family, "benchmark")))
	}
}

// tested is the p-value that a verdict rests on.
func tested(r *result.BenchmarkComparison) float64 {
	if r.PStudent != nil {
		return max(*r.P, *r.PStudent)
	}
	return *r.P
}

// Family names the units whose rows are adjusted together with those of u.
func Family(u string) string {
	if u == "B/s" {
		return "sec/op"
	}
	return u
}

// unitsIn lists the units of rows in the order they first appear.
func unitsIn(rows []result.BenchmarkComparison) []string {
	var units []string
	for _, r := range rows {
		if !slices.Contains(units, r.Unit) {
			units = append(units, r.Unit)
		}
	}
	return units
}
