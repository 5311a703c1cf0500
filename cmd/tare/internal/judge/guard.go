package judge

import (
	"math"

	"github.com/tarebench/tare/cmd/tare/internal/kind"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
	"github.com/tarebench/tare/internal/finding"
	"github.com/tarebench/tare/internal/unit"
)

// guard is what whole blocks say of a row of time: the mean per operation by
// all that the processes used, look by look. A nil guard holds nothing back.
type guard struct {
	clock string
	looks []Look
}

// guard is that of a row with the differences p; nil where they are no ratios.
func (j judged) guard(p pairing, scale timeScaling) *guard {
	if !p.relative {
		return nil
	}
	g := &guard{clock: result.WallClock}
	values := p.means
	if cpu := processorChanges(j.blocks, processorsOf(j.benchmark), j.old, j.new); cpu != nil {
		g.clock, values = result.ProcessorClock, cpu
		scale.reverse(values)
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
		out[i] = math.Log(b / a)
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

// timeScaling turns changes of the time per operation into those of a unit that
// is the same times seen otherwise.
type timeScaling struct {
	rate bool
	// per are the bytes of an operation by side, where it is a rate.
	per [2]float64
}

// timeScale is the scaling of a row of time: of sec/op, or of B/s as package
// testing derives it. What a benchmark reports itself is no time of ours.
func timeScale(q namedReading, blocks []block, old, new int) (s timeScaling, ok bool) {
	switch {
	case q.overridden:
		return s, false
	case q.name == "sec/op":
		return s, true
	case q.name != "B/s" || q.where != nil:
		return s, false
	}
	s.rate = true
	for side, v := range []int{old, new} {
		var per []float64
		for _, k := range blocks {
			for _, r := range k.rounds {
				rate, ok := q.from(r.Slices[v])
				if !ok {
					return s, false
				}
				per = append(per, rate*r.Slices[v].Seconds())
			}
		}
		s.per[side] = stats.Median(per)
		for _, p := range per {
			if math.Abs(p-s.per[side]) > 1e-3*s.per[side] {
				return s, false
			}
		}
	}
	return s, true
}

// reverse turns differences of logarithms.
func (s timeScaling) reverse(all ...[]float64) {
	if !s.rate {
		return
	}
	shift := math.Log(s.per[1] / s.per[0])
	for _, values := range all {
		for i, v := range values {
			values[i] = shift - v
		}
	}
}

// levels turns the levels of the sides.
func (s timeScaling) levels(old, new series) (series, series) {
	if !s.rate {
		return old, new
	}
	for side, levels := range []series{old, new} {
		for _, block := range levels {
			for i, v := range block {
				block[i] = s.per[side] / v
			}
		}
	}
	return old, new
}
