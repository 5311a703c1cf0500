package study

import (
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// Trim removes the last lines of an interrupted study from a recording: the end
// line, and the stops from the interruption. The study can resume from the
// rest. Every random choice comes from the seed and the block number, so the
// choices stay the same. The judgment uses all blocks so far, and spends no α
// twice.
func Trim(lines []result.Line) []result.Line {
	return slices.DeleteFunc(slices.Clone(lines), func(l result.Line) bool {
		return l.End != nil || l.Stop != nil && l.Stop.Reason == "interrupted"
	})
}

func (r *runner) restore(rec *result.Recording) {
	r.recorded = slices.Clone(rec.Findings)
	for i, announced := range rec.Benchmarks {
		b := &bench{index: i, Benchmark: announced}
		if b.Pilot != nil {
			b.pilot = *b.Pilot
		}
		for _, k := range b.Blocks {
			b.spent += seconds(k.Seconds)
		}
		b.wall = b.spent
		b.done = slices.ContainsFunc(rec.Stops, func(s result.Stop) bool { return s.Benchmark == i })
		if b.done {
			r.finished++
		}
		r.benches = append(r.benches, b)
	}
}

func (r *runner) announced(key result.Key) *bench {
	for _, b := range r.benches {
		if b.Key == key {
			return b
		}
	}
	return nil
}
