package judge

import (
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
	"github.com/tarebench/tare/internal/finding"
)

// The limits of suspicion. Each test needs both an effect large enough to
// matter and more evidence than noise gives. suspect_test.go limits how often
// each reports without a reason.
const (
	// suspicionAlpha is the error rate of the interval behind a suspicion.
	suspicionAlpha = 0.05
	worthGrowth    = 0.05 // of the time per operation, first to last third
)

// suspicions reports signs that the numbers of one benchmark and variant do
// not measure the intended work. It is a pure function of the timed rounds,
// in the order they ran, without warm-up. cycleSeconds is the length of a
// clock cycle, or 0 if not known.
func suspicions(b result.Benchmark, variant int, cycleSeconds float64) []finding.Finding {
	p := processesOf(b.Blocks, variant)
	if len(p) == 0 || b.Loop == "program" { // every iteration has its own process
		return nil
	}
	var out []finding.Finding
	for _, f := range []*finding.Finding{belowCycle(p, cycleSeconds), growsInProcess(p)} {
		if f != nil {
			f.Subject = b.Name
			out = append(out, *f)
		}
	}
	return out
}

// Cycle is the length in seconds of a cycle of the base clock, or 0 if not known.
func Cycle(m *result.Machine) float64 {
	switch {
	case m == nil:
		return 0
	case m.CPU.CounterHz > 0:
		return 1 / m.CPU.CounterHz
	case len(m.CPU.Frequency) > 0 && m.CPU.Frequency[0].BaseHz > 0:
		return 1 / m.CPU.Frequency[0].BaseHz
	}
	return 0
}

// Sides are the suspicions about the variants of a comparison, one of each
// kind.
func Sides(study result.Study, b result.Benchmark, variants ...int) []finding.Finding {
	var out []finding.Finding
	for _, v := range variants {
		for _, f := range suspicions(b, v, Cycle(study.Machine)) {
			known := slices.ContainsFunc(out, func(o finding.Finding) bool { return o.ID == f.ID })
			if !known {
				out = append(out, f)
			}
		}
	}
	return out
}

func belowCycle(list [][]float64, cycle float64) *finding.Finding {
	t := stats.Median(slices.Concat(list...))
	if cycle <= 0 || t >= cycle {
		return nil
	}
	f := catalog.BelowOneCycle.Of("", finding.Quantity("time", t, "sec/op"), finding.Quantity("cycle", cycle, "sec"))
	return &f
}
