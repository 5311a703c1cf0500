package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
	"github.com/tarebench/tare/internal/drawing"
)

// SVG draws the document as one picture. Several benchmarks of a comparison
// become strips. One benchmark becomes run order, density and percentiles. A
// few benchmarks of a run share one page. Benchmarks of one growth or scaling
// become its curve.
func SVG(w io.Writer, d Document) error {
	if drawn, err := curvePicture(w, d); drawn {
		return err
	}
	if d.Comparison.IsRun() {
		return runPicture(w, d)
	}
	return comparisonPicture(w, d)
}

func comparisonPicture(w io.Writer, d Document) error {
	c := d.Comparison
	all := d.Evidence()
	var strips []drawing.Strip
	single := make(map[Subject]bool)
	rows := d.ordered()
	sameCode := func(b *result.BenchmarkComparison) bool { return b.Reason == result.ReasonSameCode }
	title := d.Title()
	if some := slices.DeleteFunc(slices.Clone(rows), sameCode); len(some) > 0 && len(some) < len(rows) {
		rows = some // the others were not measured: there is nothing to draw
		title += ": " + words.SameCode(c.Summary)
	}
	for _, b := range rows {
		of := SubjectOf(b)
		e := cmp.Or(all[of], &Evidence{})
		if e.Unit != "" && e.Unit != b.Unit || e.Unit == "" && b.Unit != "sec/op" && single[of] {
			continue // the picture shows the unit that was sampled
		}
		single[of] = true
		strips = append(strips, drawing.Strip{
			Name: words.RowName(b.Key, b.Row), Unit: b.Unit,
			Old: side(e, b.OldVariant), New: side(e, b.NewVariant), OldValue: shown(b.Old), NewValue: shown(b.New),
			Ratio: b.Change.Ratio, Lo: b.Change.Lo, Hi: b.Change.Hi, Verdict: string(b.Verdict),
		})
	}
	if len(single) == 1 && len(strips) == 1 && len(strips[0].Old) > 0 && len(strips[0].New) > 0 {
		s := strips[0]
		return drawing.All(w, drawing.Options{Title: s.Name, Unit: s.Unit},
			drawing.Series{Name: words.Label(c.Variants, 0), Values: s.Old}, drawing.Series{Name: words.Label(c.Variants, len(c.Variants)-1), Values: s.New})
	}
	o := drawing.StripOptions{Title: title, Delta: c.Delta, Old: words.Label(c.Variants, 0), New: words.Label(c.Variants, len(c.Variants)-1)}
	if err := drawing.Strips(w, o, strips...); err != nil {
		return fmt.Errorf("draw comparison: %w", err)
	}
	return nil
}

func shown(e result.Estimate) float64 {
	if !words.Known(e.Center) {
		return 0
	}
	return e.Center
}

func side(e *Evidence, variant int) []float64 {
	if variant < 0 || variant >= len(e.Values) {
		return nil
	}
	return Finite(e.Values[variant])
}

// mostSeries is the most benchmarks on one page without repeated colors.
const mostSeries = 6

func runPicture(w io.Writer, d Document) error {
	var series []drawing.Series
	base := "sec/op"
	all := d.Evidence()
	for _, of := range d.Subjects() {
		e := all[of]
		if e == nil {
			continue
		}
		base = e.Unit
		for v := range e.Values {
			if values := side(e, v); len(values) > 0 {
				series = append(series, drawing.Series{Name: of.Name(), Values: values})
			}
		}
	}
	if len(series) > mostSeries {
		return fmt.Errorf("draw run: %d benchmarks do not fit one picture: choose with -bench, or write html", len(series))
	}
	title := d.Title()
	if len(series) == 1 {
		title = series[0].Name
	}
	if err := drawing.All(w, drawing.Options{Title: title, Unit: base}, series...); err != nil {
		return fmt.Errorf("draw run: %w", err)
	}
	return nil
}
