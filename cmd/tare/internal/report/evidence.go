package report

import (
	"math"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// Evidence has the measurements of one benchmark: the values per variant in
// base unit, round by round. A value is NaN if a variant has none.
type Evidence struct {
	Unit   string
	Values [][]float64 // by variant
	// Blocks and At are, per round, its block and its begin in seconds since
	// the study began. They are nil for samples of files.
	Blocks []int
	At     []float64
	// Iterations are single iterations, if they were timed.
	Iterations Iterations
}

func (e *Evidence) add(k result.Block) {
	for _, r := range k.Timed() {
		if r.Warmup {
			continue
		}
		e.Blocks = append(e.Blocks, k.Block)
		e.At = append(e.At, r.At)
		for v := range e.Values {
			value := math.NaN()
			if v < len(r.Slices) && r.Slices[v].N > 0 {
				value = r.Slices[v].Seconds()
			}
			e.Values[v] = append(e.Values[v], value)
		}
	}
}

// Evidence indexes the rounds (or samples) of a document by benchmark. It omits
// the rounds that the statistics omit: warm-up, and rounds that only count.
func (d Document) Evidence() map[Subject]*Evidence {
	all := make(map[Subject]*Evidence)
	if d.Recording != nil {
		rec := d.Recording
		sides := len(rec.Study.Variants)
		for _, b := range rec.Benchmarks {
			e := &Evidence{Unit: "sec/op", Values: make([][]float64, sides)}
			all[Subject{Key: b.Key}] = e
			for _, k := range b.Blocks {
				e.add(k)
			}
			e.Iterations = iterationsOf(b, sides)
		}
		return all
	}
	for _, s := range d.Samples {
		of := subjectOf(s.Key, s.Row, s.Config)
		e := all[of]
		if e == nil {
			e = &Evidence{Unit: s.Unit, Values: make([][]float64, len(d.Comparison.Variants))}
			all[of] = e
		}
		if e.Unit != s.Unit || s.Variant < 0 || s.Variant >= len(e.Values) {
			continue // a benchmark is shown in its first unit
		}
		e.Values[s.Variant] = append(e.Values[s.Variant], s.Values...)
	}
	for _, e := range all {
		longest := 0
		for _, v := range e.Values {
			longest = max(longest, len(v))
		}
		for v := range e.Values {
			for len(e.Values[v]) < longest {
				e.Values[v] = append(e.Values[v], math.NaN())
			}
		}
	}
	return all
}

// Finite drops values that are NaN.
func Finite(values []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return !words.Known(v) })
}
