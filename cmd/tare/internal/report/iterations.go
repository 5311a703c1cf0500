package report

import (
	"errors"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
	"github.com/tarebench/tare/cmd/tare/internal/words"
	"github.com/tarebench/tare/internal/unit"
)

// Iterations are the quantiles of single iterations, ascending. A quantile is
// the median over the slices that have it. The greatest and the least value are
// over all slices.
type Iterations struct {
	N      []int64 // iterations by variant
	Shares []IterationShare
}

// IterationShare is a quantile by variant, NaN if a variant has none.
type IterationShare struct {
	Name   string // "p99"
	Of     float64
	Values []float64
}

func iterationsOf(b result.Benchmark, variants int) Iterations {
	its := Iterations{N: make([]int64, variants)}
	for _, share := range result.Shares {
		of := IterationShare{strings.TrimSuffix(share.Unit, "-sec/op"), share.Of, make([]float64, variants)}
		some := false
		for v := range variants {
			var values []float64
			for _, s := range slicesOfTail(b, v) {
				if x, ok := s.Metrics[share.Unit]; ok {
					values = append(values, x)
				}
				if share.Of == 1 {
					its.N[v] += s.N
				}
			}
			of.Values[v] = combined(values, share.Of)
			some = some || len(values) > 0
		}
		if some {
			its.Shares = append(its.Shares, of)
		}
	}
	return its
}

// slicesOfTail returns the slices of a variant with timed iterations: their
// least and greatest iteration are known.
func slicesOfTail(b result.Benchmark, variant int) (all []result.Slice) {
	for _, k := range b.Blocks {
		for _, r := range k.Counted() {
			if variant < len(r.Slices) {
				s := r.Slices[variant]
				_, least := s.Metrics[result.Shares[0].Unit]
				if _, greatest := s.Metrics["max-sec/op"]; least && greatest && k.Good() {
					all = append(all, s)
				}
			}
		}
	}
	return all
}

func combined(values []float64, share float64) float64 {
	switch {
	case len(values) == 0:
		return math.NaN()
	case share == 0:
		return slices.Min(values)
	case share == 1:
		return slices.Max(values)
	}
	return stats.Median(values)
}

func (its Iterations) write(b *strings.Builder, variants []result.Variant) {
	if len(its.Shares) == 0 {
		return
	}
	scale, labels := its.Scale(), make([]string, len(its.N))
	for v := range labels {
		labels[v] = words.Printable(words.Label(variants, v))
	}
	words.Fprintf(b, "  single iterations [%s], median of the slices (the table: of the blocks)", scale.Label("sec/op"))
	if len(labels) > 1 {
		b.WriteString(": " + strings.Join(labels, ", "))
	}
	b.WriteByte('\n')
	for _, share := range its.Shares {
		words.Fprintf(b, "    %-6s", share.Name)
		for _, value := range share.Values {
			words.Fprintf(b, "  %8s", scale.Format(value))
		}
		b.WriteByte('\n')
	}
}

// Scale is the unit in which the quantiles are shown.
func (its Iterations) Scale() unit.Scale {
	middle := its.Shares[len(its.Shares)/2].Values
	return unit.Scaling("sec/op", Finite(middle)...)
}

// HGRM writes the quantiles of single iterations in microseconds, as a table of
// percentiles (.hgrm) for each benchmark and variant.
func HGRM(w io.Writer, d Document) error {
	var b strings.Builder
	evidence := d.Evidence()
	for _, s := range d.Subjects() {
		e := evidence[s]
		if e == nil || len(e.Iterations.Shares) == 0 {
			continue
		}
		for v, n := range e.Iterations.N {
			words.Fprintf(&b, "#[%s %s]\n%12s %14s %10s %14s\n\n", s.Name(), words.Label(d.Comparison.Variants, v),
				"Value", "Percentile", "TotalCount", "1/(1-Percentile)")
			for _, share := range e.Iterations.Shares {
				if value := share.Values[v]; words.Known(value) {
					words.Fprintf(&b, "%12.3f %14.12f %10d", 1e6*value, share.Of, int64(share.Of*float64(n)))
					if share.Of < 1 {
						words.Fprintf(&b, " %14.2f", 1/(1-share.Of))
					}
					b.WriteByte('\n')
				}
			}
		}
	}
	if b.Len() == 0 {
		return errors.New("write hgrm: no iteration was timed: measure with -units tail")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
