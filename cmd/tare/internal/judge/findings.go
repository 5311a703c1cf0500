package judge

import (
	"maps"
	"math"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/kind"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
	"github.com/tarebench/tare/internal/finding"
)

// sliceLength compares the short slices of blocks with the long ones between
// them, by the time per operation that the quickest quarter of each stays
// below in a block: a long slice is interrupted more often than a short one.
// Where the whole interval of the difference lies beyond delta, a slice is too
// short to hold what an operation costs (caches that have to warm up), or the
// cost grows with the iterations, and it says so.
func sliceLength(name string, blocks []block, variant int, delta, alpha float64) []finding.Finding {
	var logs []float64
	var n, times int64
	for _, b := range blocks {
		byN := make(map[int64][]float64)
		for _, r := range b.rounds {
			if s := r.Slices[variant]; s.Seconds() > 0 && !s.Collected {
				byN[s.N] = append(byN[s.N], s.Seconds())
			}
		}
		if len(byN) != 2 {
			continue
		}
		lengths := slices.Sorted(maps.Keys(byN))
		n, times = lengths[1], lengths[1]/lengths[0]
		logs = append(logs, math.Log(stats.Quantile(byN[lengths[1]], 0.25)/stats.Quantile(byN[lengths[0]], 0.25)))
	}
	lo, hi, err := stats.CenterBounds(logs, alpha)
	if err != nil || lo <= math.Log1p(delta) && hi >= -math.Log1p(delta) {
		return nil
	}
	return []finding.Finding{kind.SliceTooShort.Of(name, finding.Count("times", times, "time"), finding.ChangeIn("change", math.Expm1(stats.Center(logs)), math.Expm1(lo), math.Expm1(hi)), finding.Count("iterations", round(4*n), ""))}
}

// round rounds a number of iterations up to one digit: a person may type it.
func round(n int64) int64 {
	power := int64(1)
	for n/power >= 10 {
		power *= 10
	}
	return (n + power - 1) / power * power
}

// findings returns the findings about a row.
func (j judged) findings(row result.BenchmarkComparison, d Decision, looked bool) []finding.Finding {
	var out []finding.Finding
	add := func(k finding.Kind, values ...finding.Value) {
		out = append(out, k.Of(row.Name, values...))
	}
	if !looked {
		if d.Units < MinBlocks && row.Blocks >= MinBlocks {
			add(kind.TooFewLayouts, finding.Count("blocks", row.Blocks, "block"), finding.Count("layouts", d.Units, "link layout"), finding.Count("needed", MinBlocks, ""))
		} else {
			add(kind.TooFewBlocks, finding.Count("blocks", row.Blocks, "block"), finding.Count("needed", MinBlocks, ""))
		}
	}
	if j.benchmark.LinkSets > 0 && looked && row.Blocks > d.Units {
		add(kind.LayoutsAreTheUnit, finding.Count("blocks", row.Blocks, "block"), finding.Count("layouts", d.Units, "link layout"),
			finding.Number("ratio", math.Sqrt(float64(row.Blocks)/float64(d.Units))))
	}
	if j.benchmark.LinkSets == 0 && row.Unit == "sec/op" && len(j.blocks) > 1 {
		if side := j.oneLayout(); side != "" {
			add(kind.OneLayout, finding.Text("side", side))
		}
	}
	return out
}

// oneLayout names the side whose known layouts were all the same.
func (j judged) oneLayout() string {
	same := func(v int) bool {
		for _, b := range j.blocks {
			if v >= len(b.Layouts) || b.Layouts[v] != j.blocks[0].Layouts[v] {
				return false
			}
		}
		return true
	}
	switch old, new := same(j.old), same(j.new); {
	case old && new:
		return "old and the new"
	case old:
		return "old"
	case new:
		return "new"
	}
	return ""
}

// leastUncertainty is the share of the time per operation below which an
// uncertain overhead does not matter, however small δ is.
const leastUncertainty = 0.001

// resolution compares the corrected time of the slices with what the
// calibration of the clock leaves open.
func resolution(blocks []block, name string, delta float64, variants ...int) []finding.Finding {
	below, open, count := 0, 0, 0
	var shares []float64
	for _, b := range blocks {
		for _, r := range b.rounds {
			for _, v := range variants {
				s := r.Slices[v]
				half := (s.OverheadHi - s.OverheadLo) / 2
				net := s.Raw - (s.OverheadHi+s.OverheadLo)/2
				count++
				if half > 0 && net <= half {
					below++
					continue
				}
				if half > max(delta, leastUncertainty)*net {
					open++
				}
				if net > 0 {
					shares = append(shares, half/net)
				}
			}
		}
	}
	switch {
	case 2*below > count:
		return []finding.Finding{kind.BelowResolution.Of(name)}
	case 2*(below+open) > count && len(shares) > 0:
		return []finding.Finding{finding.OverheadUncertain.Of(name, finding.Share("share", stats.Median(shares)))}
	}
	return nil
}
