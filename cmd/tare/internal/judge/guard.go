package judge

import (
	"math"

	"github.com/tarebench/tare/cmd/tare/internal/kind"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
	"github.com/tarebench/tare/internal/unit"
)

// guard is what whole blocks say of a row of time: the mean per operation by
// all that the processes used, look by look. A nil guard holds nothing back.
type guard struct {
	clock string
	looks []Look
}

// guard is the guard of a row with the differences p.
func (j judged) guard(p pairing) *guard {
	g := &guard{clock: result.WallClock}
	values := p.means
	if cpu := processorChanges(j.blocks, processorsOf(j.benchmark), j.old, j.new); cpu != nil {
		g.clock, values = result.ProcessorClock, cpu
	}
	// How calm the slices of a block are says nothing about its sum: all
	// blocks count alike.
	p.spread = make([]float64, len(p.spread))
	g.looks = j.looks(p, values)
	return g
}

// processorChanges are ln(new/old) of the processor time per operation of whole
// blocks, the collector's included; nil where it is not known, or not what
// passes: where work waits, runs in parallel or pauses its timer.
func processorChanges(blocks []block, processors, old, new int) []float64 {
	out := make([]float64, len(blocks))
	apart := 0
	for i, k := range blocks {
		if !usageOf(k, processors, old, new).processor {
			apart++
		}
		a, b := processorCost(k.rounds, old), processorCost(k.rounds, new)
		if !(a > 0 && b > 0) {
			return nil
		}
		out[i] = math.Log(b) - math.Log(a)
	}
	if 4*apart > len(blocks) {
		return nil
	}
	return out
}

// processorCost is the processor time per operation of all slices of a side,
// with what its collector used after them, in seconds; 0 where it is not known.
func processorCost(rounds []result.Round, side int) float64 {
	time, operations := 0.0, 0.0
	for _, r := range rounds {
		s := r.Slices[side]
		if s.CPU <= 0 {
			return 0
		}
		time += (s.CPU + s.Settle) / 1e9
		operations += float64(s.N)
	}
	return time / operations
}

// at is the guard at a look. It only takes verdicts away, which costs nothing of
// the error rate, so that every look has all of α.
func (g *guard) at(j judged, k int) Guard {
	if k >= len(g.looks) {
		return Guard{Lo: math.NaN(), Hi: math.NaN()}
	}
	l := g.looks[k]
	lo, hi := l.OneSided(j.study.Alpha)
	return Guard{Center: l.Median(), Lo: lo, Hi: hi, Strict: g.clock == result.ProcessorClock, Tolerance: GuardTolerance(j.study.Delta)}
}

// held reports why the guard holds back what iv shows at look k.
func (g *guard) held(iv Interval, j judged, name string, k int) result.Held {
	if g == nil {
		return result.NotHeld
	}
	better := unit.Better(name)
	if j.gate() {
		return g.at(j, k).AllowsGate(iv, iv.Gate(j.study.Delta, better), j.study.Delta, better)
	}
	return g.at(j, k).Allows(iv, iv.Verdict(j.study.Delta, better, true), j.study.Delta, better)
}

// hold puts the guard into the row, whose verdict it may hold back, and reports
// whether it keeps the row open.
func (g *guard) hold(r *result.BenchmarkComparison, iv Interval, j judged, k int) (open bool) {
	if g == nil {
		return false
	}
	at := g.at(j, k)
	r.Guard = &result.Guard{
		Clock: g.clock, Tolerance: at.Tolerance,
		Change: Interval{Center: at.Center, Lo: at.Lo, Hi: at.Hi, Relative: true}.Change(),
	}
	if held := at.Allows(iv, r.Verdict, j.study.Delta, unit.Better(r.Unit)); held != result.NotHeld {
		r.Guard.Held, r.Verdict = held, result.Undecided
	}
	return g.held(iv, j, r.Unit, k) != result.NotHeld
}

// guardFindings say of the finished rows why a guard held a verdict back.
func guardFindings(rows []result.BenchmarkComparison) {
	for i := range rows {
		r := &rows[i]
		if r.Guard == nil || r.Guard.Held == result.NotHeld {
			continue
		}
		clock := map[string]string{result.ProcessorClock: "processor time", result.WallClock: "time"}[r.Guard.Clock]
		c := r.Guard.Change
		values := []finding.Value{
			finding.Change("typical", r.Change.Ratio-1), finding.Text("clock", clock),
			finding.ChangeIn("whole", c.Ratio-1, c.Lo-1, c.Hi-1),
		}
		if r.Guard.Held == result.HeldImprecise {
			r.Findings = append(r.Findings, kind.GuardImprecise.Of(r.Name, values...))
			continue
		}
		r.Findings = append(r.Findings, kind.GuardDisagrees.Of(r.Name, values...))
	}
}
