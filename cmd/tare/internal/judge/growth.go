package judge

import (
	"math"

	"github.com/tarebench/tare/cmd/tare/internal/kind"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
	"github.com/tarebench/tare/internal/finding"
)

// growsWithN compares slices of different n inside a process, where the few
// long ones stand among the short ones: between processes, the machine may
// have changed, as n may after the first block.
//
// With other work a long slice is interrupted where a short one is not: then
// the clock says more, and the processor time (where it is known) does not.
func growsWithN(list []process) *finding.Finding {
	wall := lengths(list, func(p process, i int) float64 { return p.times[i] })
	ratio, sure := wall.growth()
	if cpu := lengths(list, processorTime); len(cpu.few) == len(wall.few) {
		worked, also := cpu.growth()
		ratio, sure = min(ratio, worked), sure && also
	}
	if !sure || !(ratio > 1+2*worthGrowth) {
		return nil
	}
	f := kind.GrowsWithN.Of("", finding.Number("ratio", ratio), finding.Count("most", wall.most, ""), finding.Count("least", wall.least, ""))
	return &f
}

func processorTime(p process, i int) float64 {
	s := p.slices[i]
	return (s.User + s.System) / float64(s.N)
}

// byLength are times per operation in slices of few iterations and of many,
// relative to the typical short slice of their process.
type byLength struct {
	few, many   []float64
	least, most int64 // iterations
}

func lengths(list []process, time func(p process, i int) float64) byLength {
	out := byLength{least: math.MaxInt64}
	for _, p := range list {
		n := p.slices[0].N
		for _, s := range p.slices {
			n = min(n, s.N)
		}
		var short, long []float64
		most := n
		for i, s := range p.slices {
			switch {
			case s.Collected:
				// A longer slice meets the collector more often.
			case s.N >= 2*n:
				long = append(long, time(p, i))
				most = max(most, s.N)
			case s.N == n:
				short = append(short, time(p, i))
			}
		}
		if len(short) < 3 || len(long) == 0 {
			continue
		}
		typical := stats.Median(short)
		if !(typical > 0) {
			continue
		}
		out.least, out.most = min(out.least, n), max(out.most, most)
		for _, t := range short {
			out.few = append(out.few, t/typical)
		}
		for _, t := range long {
			out.many = append(out.many, t/typical)
		}
	}
	return out
}

// growth is how much longer an operation takes among many iterations, and
// whether that is more than chance.
func (b byLength) growth() (ratio float64, sure bool) {
	if len(b.few) < 8 || len(b.many) < 8 {
		return math.NaN(), false
	}
	return stats.Median(b.many) / stats.Median(b.few), stats.MannWhitney(b.few, b.many).P <= 0.001
}

// growsInProcess compares the last third of every process with its first:
// state that lives on from slice to slice, as under b.Loop, makes all of them
// slower. It takes at least seven processes, so that chance alone is below
// one in a hundred even when it says nothing about how much.
func growsInProcess(list []process) *finding.Finding {
	var growth []float64
	up := 0
	for _, p := range list {
		third := len(p.times) / 3
		if third < 3 {
			continue
		}
		first, last := stats.Median(p.times[:third]), stats.Median(p.times[len(p.times)-third:])
		if first <= 0 || last <= 0 {
			continue
		}
		growth = append(growth, math.Log(last/first))
		if last > first {
			up++
		}
	}
	if len(growth) < 7 || binomialTail(len(growth), up) > 0.01 {
		return nil
	}
	g := math.Expm1(stats.Median(growth))
	if g < worthGrowth {
		return nil
	}
	f := kind.GrowsInProcess.Of("", finding.Count("slower", up, ""), finding.Count("processes", len(growth), "process"), finding.Share("growth", g))
	return &f
}

// binomialTail is P(X ≥ k) in n fair trials.
func binomialTail(n, k int) float64 {
	sum, term := 0.0, math.Pow(2, -float64(n)) // term: C(n, i)/2^n
	for i := range n + 1 {
		if i >= k {
			sum += term
		}
		term *= float64(n-i) / float64(i+1)
	}
	return min(1, sum)
}

func drifts(list []process) *finding.Finding {
	if len(list) < 8 {
		return nil
	}
	var medians []float64
	for _, p := range list {
		medians = append(medians, stats.Median(p.times))
	}
	center := stats.Median(medians)
	trend := stats.MannKendall(medians)
	if !(trend.P < 0.001) || !(math.Abs(trend.Change) > worthDrift*center) {
		return nil
	}
	f := kind.Drift.Of("", finding.Change("change", trend.Change/center), finding.Text("of", ""))
	return &f
}

func slowFirst(list []process) *finding.Finding {
	var ratios []float64
	slow := 0
	for _, p := range list {
		rest := p.times
		if p.first.Seconds() == rest[0] {
			rest = rest[1:]
		}
		if len(rest) < 3 {
			continue
		}
		r := p.first.Seconds() / stats.Median(rest)
		ratios = append(ratios, r)
		if r >= slowStart {
			slow++
		}
	}
	if len(ratios) < 3 || slow*4 < len(ratios)*3 {
		return nil
	}
	f := kind.SlowFirstSlice.Of("", finding.Number("ratio", stats.Median(ratios)))
	return &f
}
