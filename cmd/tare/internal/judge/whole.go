package judge

import (
	"math"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/kind"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
	"github.com/tarebench/tare/internal/finding"
)

// leastWhole is the relative difference of whole blocks and slices on the wall
// clock from which it is worth a word: interruptions alone make 1 to 3%.
const leastWhole = 0.05

// wholeOver is ln(mean/typical) of the time per operation of one side, block by
// block: over all its slices, long ones included, and in the typical slice. Slices
// that met the collector are left out: its cost is measured by itself. It is on
// the processor clock if that is what passes.
//
// If a process collected, it counts from there on: until then allocations touch
// memory that is new to the process, which costs a third more in the first
// hundredth of a second of the README's example, and never again.
func wholeOver(blocks []block, processors, v int) (logs []float64, clock string) {
	clock = result.ProcessorClock
	for _, k := range blocks {
		if !usageOf(k, processors, v).processor {
			clock = result.WallClock
		}
	}
	for _, k := range blocks {
		var per []float64
		time, operations := 0.0, 0.0
		for _, r := range k.rounds[warmFrom(k.rounds, v):] {
			s := r.Slices[v]
			if s.Collected || s.N <= 0 {
				continue
			}
			cost := s.Seconds()
			if clock == result.ProcessorClock {
				cost = s.CPU / 1e9 / float64(s.N)
			}
			per = append(per, cost)
			time, operations = time+cost*float64(s.N), operations+float64(s.N)
		}
		if typical := stats.Median(per); len(per) >= leastClean && typical > 0 && time > 0 {
			logs = append(logs, math.Log(time/operations/typical))
		}
	}
	return logs, clock
}

// warmFrom is the first round after the first collection of a side, or 0 if it
// met none.
func warmFrom(rounds []result.Round, v int) int {
	return 1 + slices.IndexFunc(rounds, func(r result.Round) bool { return r.Slices[v].Collected })
}

// wholeDiffers finds that the slices of a side and its whole blocks disagree: that
// a rare cost, or one that grows with the iterations, is in few slices, or that
// short slices measure cold caches. The interval has to lie beyond what does not
// matter.
func wholeDiffers(name, side string, blocks []block, processors, v int, study result.Study) (f finding.Finding, found bool) {
	logs, clock := wholeOver(blocks, processors, v)
	if len(logs) == 0 {
		return f, false
	}
	x := math.Log1p(GuardTolerance(study.Delta))
	if clock == result.WallClock {
		x = math.Log1p(leastWhole)
	}
	lo, hi, ok := beyond(logs, x, study.Alpha)
	if !ok {
		return f, false
	}
	return wholeFinding(name, side, mean(logs), lo, hi), true
}

func wholeFinding(name, side string, center, lo, hi float64) finding.Finding {
	return kind.WholeDiffers.Of(name, finding.Text("side", side), finding.ChangeIn("change", math.Expm1(center), math.Expm1(lo), math.Expm1(hi)))
}

// guardFindings say of decided rows why a guard held a verdict back.
func guardFindings(rows []*row) {
	for _, r := range rows {
		if r.Guard == nil || r.Guard.Held == result.NotHeld {
			continue
		}
		g := r.guard
		if r.Guard.Held == result.HeldDisagrees {
			r.Findings = append(r.Findings, wholeFinding(r.Name, "the new side against the old one", g.Apart, g.ApartLo, g.ApartHi))
			continue
		}
		c := r.Guard.Change
		r.Findings = append(r.Findings, kind.GuardImprecise.Of(r.Name, finding.Change("typical", r.Change.Ratio-1), finding.ChangeIn("whole", c.Ratio-1, c.Lo-1, c.Hi-1)))
	}
}
