package judge

import (
	"math"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
	"github.com/tarebench/tare/internal/finding"
)

// leastWhole is the relative difference of whole blocks and slices on the wall
// clock above which tare reports it. Interruptions alone cause 1 to 3%.
const leastWhole = 0.05

// excess is how far the mean of the slices of a variant is above the typical
// slice, as a logarithm: see [block.excess].
type excess struct{ log, length, sums float64 }

// excess is ln(mean/typical) of the time per operation of one variant of a
// block. It excludes slices that met the collector, whose cost is measured
// separately.
//
// If a process collected, excess starts at the first collection. Until then
// allocations touch memory that is new to the process. This costs a third more
// in the first hundredth of a second of the README's example, and never again.
//
// If slices are watched, only a slice that met a rare event counts its own
// time, minus the excess of the mean of the others over the typical one. Any
// other slice counts the typical time of slices of its length. A busy machine
// makes slices longer, but causes no faults or waits in them. length is the
// part that the length of slices explains. In sums every slice counts its own
// time. excess reports false if hardly any slices remain.
func (k block) excess(v int) (e excess, ok bool) {
	var clean []result.Slice
	for _, r := range k.rounds[warmFrom(k.rounds, v):] {
		if s := r.Slices[v]; !s.Collected {
			clean = append(clean, s)
		}
	}
	if len(clean) < leastClean {
		return e, false
	}
	var all, iterations, events []float64
	for _, s := range clean {
		all, iterations = append(all, s.Seconds()), append(iterations, float64(s.N))
		events = append(events, float64(s.Events)/float64(s.N))
	}
	typical, usual := stats.Median(all), 2*stats.Median(events)
	// A few slices are several times longer than the others.
	long := 2 * stats.Median(iterations)
	var ofLong []float64
	for i, s := range clean {
		if float64(s.N) > long {
			ofLong = append(ofLong, all[i])
		}
	}
	rare := func(i int) bool { return clean[i].Watched && events[i] > usual }
	outside, plain := 0.0, 0.0 // time from outside
	for i, s := range clean {
		if s.Watched && !rare(i) {
			outside, plain = outside+(all[i]-typical)*float64(s.N), plain+float64(s.N)
		}
	}
	sums, time, expected, operations := 0.0, 0.0, 0.0, 0.0
	for i, s := range clean {
		n, usual, cost := float64(s.N), typical, all[i]
		sums += cost * n
		if n > long && len(ofLong) >= leastClean {
			usual = stats.Median(ofLong)
		}
		switch {
		case rare(i):
			cost -= outside / plain
		case s.Watched:
			cost = usual
		}
		time, expected, operations = time+cost*n, expected+usual*n, operations+n
	}
	if !(typical > 0 && time > 0) {
		return e, false
	}
	above := func(t float64) float64 { return math.Log(t / operations / typical) }
	return excess{log: above(time), length: above(expected), sums: above(sums)}, true
}

// measured is the time of the slices of a variant, in seconds.
func (k block) measured(v int) float64 {
	seconds := 0.0
	for _, r := range k.rounds {
		seconds += r.Slices[v].Own() / 1e9
	}
	return seconds
}

// warmFrom is the first round after the first collection of a variant, or 0 if
// it had none.
func warmFrom(rounds []result.Round, v int) int {
	return 1 + slices.IndexFunc(rounds, func(r result.Round) bool { return r.Slices[v].Collected })
}

// watched reports whether the kernel's work for the operations is known.
func watched(blocks []block, variants ...int) bool {
	for _, k := range blocks {
		for _, v := range variants {
			if !k.rounds[0].Slices[v].Watched {
				return false
			}
		}
	}
	return len(blocks) > 0
}

// wholeDiffers finds that the slices of a variant and its whole blocks
// disagree. The cause is a cost in few slices, which is rare or grows with
// the iterations, or short slices that measure cold caches. The interval has
// to be beyond the difference that does not matter.
func wholeDiffers(name, side string, blocks []block, v int, study result.Study) (f finding.Finding, found bool) {
	var logs, lengths []float64
	for _, k := range blocks {
		if e, ok := k.excess(v); ok {
			logs, lengths = append(logs, e.log), append(lengths, e.length)
		}
	}
	x := GuardTolerance(study.Delta)
	if !followed(blocks, v) && !watched(blocks, v) {
		x = max(x, leastWhole)
	}
	lo, hi, ok := beyond(logs, math.Log1p(x), study.Alpha)
	if ok && lo < 0 { // rare costs only add, so a decrease comes from the length
		logs = lengths
		lo, hi, ok = beyond(logs, math.Log1p(x), study.Alpha)
	}
	if !ok {
		return f, false
	}
	return wholeFinding(name, side, mean(logs), lo, hi), true
}

func wholeFinding(name, side string, center, lo, hi float64) finding.Finding {
	return catalog.WholeDiffers.Of(name, finding.Text("side", side), finding.ChangeIn("change", math.Expm1(center), math.Expm1(lo), math.Expm1(hi)))
}

// guardFindings reports for decided rows why a guard prevented a verdict.
func guardFindings(rows []*row) {
	for _, r := range rows {
		if r.Guard == nil || r.Guard.Held == result.NotHeld {
			continue
		}
		g := r.guard
		if r.Guard.Held == result.HeldDisagrees {
			center, lo, hi := g.Apart, g.ApartLo, g.ApartHi
			if x := g.tolerance(r.iv); g.sumsApart(x) {
				center, lo, hi = g.SumsApart, g.SumsApartLo, g.SumsApartHi
			}
			r.Findings = append(r.Findings, wholeFinding(r.Name, "the new side against the old one", center, lo, hi))
			continue
		}
		c := r.Guard.Change
		r.Findings = append(r.Findings, catalog.GuardImprecise.Of(r.Name, finding.Change("typical", r.Change.Ratio-1), finding.ChangeIn("whole", c.Ratio-1, c.Lo-1, c.Hi-1)))
	}
}
