package report

import (
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

const rateUnit = "B/s"

func rateParts(bytes, seconds float64) []string {
	if bytes == 0 || !words.Known(bytes/seconds) {
		return nil
	}
	scale := words.Scale(rateUnit, bytes/seconds)
	return []string{scale.Format(bytes / seconds), " " + scale.Label(rateUnit)}
}

// foldRates moves rows of B/s, as files have them, into the bytes of
// the rows of time, so that a change appears once.
func foldRates(c *result.Comparison) {
	type place struct {
		Subject
		old, new int
	}
	placeOf := func(b *result.BenchmarkComparison) place {
		return place{SubjectOf(b), b.OldVariant, b.NewVariant}
	}
	rates := make(map[place]*result.BenchmarkComparison)
	for _, b := range c.Benchmarks {
		if b.Unit == rateUnit {
			rates[placeOf(&b)] = &b
		}
	}
	for i := range c.Benchmarks {
		b := &c.Benchmarks[i]
		if rate := rates[placeOf(b)]; b.Unit == "sec/op" && rate != nil {
			b.OldBytes, b.NewBytes = bytesPerOp(rate.Old, b.Old), bytesPerOp(rate.New, b.New)
			delete(rates, placeOf(b))
		}
	}
	c.Benchmarks = slices.DeleteFunc(c.Benchmarks, func(b result.BenchmarkComparison) bool { return b.Unit == rateUnit && rates[placeOf(&b)] == nil })
	if len(rates) == 0 {
		c.GeoMeans = slices.DeleteFunc(c.GeoMeans, func(g result.GeoMean) bool { return g.Unit == rateUnit })
	}
	c.Summary = judge.Summarize(c.Benchmarks)
}

func bytesPerOp(rate, time result.Estimate) float64 {
	if bytes := rate.Center * time.Center; words.Known(bytes) {
		return bytes
	}
	return 0
}
