package lockstep

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/tarebench/tare/finding"
	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/internal/sequential"
	"github.com/tarebench/tare/stats"
)

// sliceLength compares the short slices of blocks with the long ones between
// them, by the typical time per operation in each block. Where they differ by
// more than delta beyond chance, a slice is too short to hold what an operation
// costs (collections, caches that have to warm up), and it says so.
func sliceLength(name string, blocks []block, variant int, delta float64) []finding.Finding {
	var logs []float64
	var n, times int64
	for _, b := range blocks {
		byN := make(map[int64][]float64)
		for _, r := range b.rounds {
			if s := r.Slices[variant]; s.Seconds() > 0 {
				byN[s.N] = append(byN[s.N], s.Seconds())
			}
		}
		if len(byN) != 2 {
			continue
		}
		lengths := slices.Sorted(maps.Keys(byN))
		n, times = lengths[1], lengths[1]/lengths[0]
		logs = append(logs, math.Log(stats.Median(byN[lengths[1]])/stats.Median(byN[lengths[0]])))
	}
	lo, hi, err := stats.CenterBounds(logs, 0.05)
	if err != nil || lo <= 0 && hi >= 0 || math.Abs(stats.Center(logs)) <= math.Log1p(delta) {
		return nil
	}
	return []finding.Finding{{ID: "slice-too-short", Severity: finding.Warning, Subject: name,
		Message: fmt.Sprintf("%d times as long a slice changes the time per operation by %+.1f %% (%+.1f … %+.1f %%): it depends on how long one measures",
			times, 100*math.Expm1(stats.Center(logs)), 100*math.Expm1(lo), 100*math.Expm1(hi)),
		Action: fmt.Sprintf("measure longer slices: -benchtime %dx", 4*n)}}
}

// findings says what deserves a word about a row.
func (j judged) findings(row result.BenchmarkComparison, p pairing, d, means sequential.Decision, looked bool) []finding.Finding {
	var out []finding.Finding
	add := func(id string, severity finding.Severity, message, action string) {
		out = append(out, finding.Finding{ID: id, Severity: severity, Subject: row.Name, Message: message, Action: action})
	}
	if !looked {
		if d.Units < sequential.MinBlocks && row.Blocks >= sequential.MinBlocks {
			add("too-few-layouts", finding.Warning,
				fmt.Sprintf("%d blocks share %d link layouts, and an interval needs %d", row.Blocks, d.Units, sequential.MinBlocks),
				"raise -budget, so that more layouts can be linked")
		} else {
			add("too-few-blocks", finding.Warning,
				fmt.Sprintf("need ≥ %d blocks for an interval, have %d", sequential.MinBlocks, row.Blocks),
				"raise -budget or -blocks")
		}
	}
	if looked && row.Verdict == result.Undecided {
		m, a := undecidedWords(row)
		add("undecided", finding.Info, m, a)
	}
	if looked && (means.Lo > d.Hi || means.Hi < d.Lo) {
		add("typical-and-mean-disagree", finding.Warning,
			fmt.Sprintf("the typical slice changes by %s, the mean by %s: rare slow slices (garbage collection, stalls) change on one side",
				words(d, p.relative, row.Unit), words(means, p.relative, row.Unit)),
			"look at the distribution with tare show before believing either")
	}
	if j.benchmark.LinkSets > 0 && looked && row.Blocks > d.Units {
		add("layouts-are-the-unit", finding.Info,
			fmt.Sprintf("%d blocks share %d link layouts, so n is %d: the interval is about %.2g times as wide as with a layout per block, if layout is what varies",
				row.Blocks, d.Units, d.Units, math.Sqrt(float64(row.Blocks)/float64(d.Units))), "")
	}
	if j.benchmark.LinkSets == 0 && row.Unit == "sec/op" && len(j.blocks) > 1 {
		if side := j.oneLayout(); side != "" {
			add("one-layout", finding.Warning,
				fmt.Sprintf("every block of the %s side ran the same link layout: the verdict is about these binaries, and layout alone can move a benchmark by a few per cent", side),
				"compare revisions instead of kept binaries where you can")
		}
	}
	return out
}

func undecidedWords(row result.BenchmarkComparison) (message, action string) {
	c := row.Change
	switch {
	case c.Difference != nil && !math.IsNaN(c.Difference.Lo):
		message = fmt.Sprintf("could be %+.4g … %+.4g %s", c.Difference.Lo, c.Difference.Hi, row.Unit)
	case !math.IsNaN(c.Lo):
		message = fmt.Sprintf("could be %+.1f … %+.1f %%", 100*(c.Lo-1), 100*(c.Hi-1))
	default:
		message = "no interval yet"
	}
	if row.Needed > 0 {
		message += fmt.Sprintf("; about %d blocks in all would settle it", row.Needed)
	}
	return message, "raise -blocks and -budget, or calm the machine (tare doctor)"
}

func words(d sequential.Decision, relative bool, unit string) string {
	if relative {
		return fmt.Sprintf("%+.1f %%", 100*math.Expm1(d.Center))
	}
	return fmt.Sprintf("%+.4g %s", d.Center, unit)
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

// resolution compares the corrected time of the slices with what the
// calibration of the clock leaves open.
func resolution(blocks []block, name string, delta float64, variants ...int) []finding.Finding {
	below, open, count := 0, 0, 0
	for _, b := range blocks {
		for _, r := range b.rounds {
			for _, v := range variants {
				s := r.Slices[v]
				half := (s.OverheadHi - s.OverheadLo) / 2
				net := s.Raw - (s.OverheadHi+s.OverheadLo)/2
				count++
				if half > 0 && net <= half {
					below++
				} else if half > delta*net {
					open++
				}
			}
		}
	}
	switch {
	case 2*below > count:
		return []finding.Finding{{ID: "below-resolution", Severity: finding.Severe, Subject: name,
			Message: "the time per operation lies inside the interval of the clock's own overhead: it cannot be told from zero",
			Action:  "time many operations between StartTimer and StopTimer"}}
	case 2*(below+open) > count:
		return []finding.Finding{{ID: "overhead-uncertain", Severity: finding.Warning, Subject: name,
			Message: fmt.Sprintf("the clock's overhead is known less exactly than %.3g %% of the time per operation", 100*delta),
			Action:  "time more operations between StartTimer and StopTimer"}}
	}
	return nil
}
