package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
	"github.com/tarebench/tare/internal/drawing"
)

// SVG draws the document as one picture: several benchmarks of a comparison
// as strips, one as run order, density and percentiles of its sides; a run
// over a parameter ("/size=1k", -cpu) as a sweep, and a few benchmarks as the
// series of one page.
func SVG(w io.Writer, d Document) error {
	if d.Comparison != nil {
		return comparisonPicture(w, d)
	}
	return runPicture(w, d)
}

func comparisonPicture(w io.Writer, d Document) error {
	c := d.Comparison
	all := d.Evidence()
	var strips []drawing.Strip
	single := make(map[Subject]bool)
	rows := d.Ordered()
	sameCode := func(b *result.BenchmarkComparison) bool { return b.Reason == result.ReasonSameCode }
	title := d.Title()
	if some := slices.DeleteFunc(slices.Clone(rows), sameCode); len(some) > 0 && len(some) < len(rows) {
		rows = some // the others were not measured: there is nothing to draw
		title += ": " + words.SameCode(c.Summary)
	}
	for _, b := range rows {
		of := ComparedSubject(b)
		e := all[of]
		if e == nil {
			e = &Evidence{Values: make([][]float64, len(c.Variants))}
		}
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

// shown is the value of a side in the table; 0 where there is none.
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

// mostSeries is how many benchmarks share one page before colors repeat.
const mostSeries = 6

func runPicture(w io.Writer, d Document) error {
	param, curves := sweepOf(d.Run)
	if len(curves) > 0 {
		title := "Time per operation against " + param
		o := drawing.SweepOptions{Options: drawing.Options{Title: title, Unit: "sec/op"}, Param: param}
		if err := drawing.Sweep(w, o, curves...); err != nil {
			return fmt.Errorf("draw sweep: %w", err)
		}
		return nil
	}
	var series []drawing.Series
	base := "sec/op"
	all := d.Evidence()
	seen := make(map[Subject]bool)
	for _, m := range d.Run.Benchmarks {
		of := MeasuredSubject(&m)
		e := all[of]
		if e == nil || seen[of] {
			continue
		}
		seen[of] = true
		base = e.Unit
		for v := range e.Values {
			if values := side(e, v); len(values) > 0 {
				series = append(series, drawing.Series{Name: words.RowName(m.Key, m.Row), Values: values})
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

// sweepOf finds the one parameter that a run's benchmarks differ in: a level
// "key=number" of the name, or the number of processors. It returns no curves
// where there is none, or fewer than three settings.
func sweepOf(r *result.Run) (param string, curves []drawing.Curve) {
	byName := make(map[string]int)
	procs, settings := make(map[int]bool), make(map[float64]bool)
	for _, m := range r.Benchmarks {
		procs[m.Procs] = true
	}
	for _, m := range r.Benchmarks {
		if m.Unit != "sec/op" || m.Failed != "" {
			continue
		}
		name, key, value := m.Name, "procs", float64(m.Procs)
		if len(procs) < 3 {
			var ok bool
			if name, key, value, ok = parameter(m.Name); !ok {
				return "", nil
			}
			name = words.RowName(result.Key{Name: name, Procs: m.Procs}, "")
		}
		if param == "" {
			param = key
		}
		if key != param {
			return "", nil
		}
		i, ok := byName[name]
		if !ok {
			i = len(curves)
			byName[name] = i
			curves = append(curves, drawing.Curve{Name: name})
		}
		settings[value] = true
		curves[i].Points = append(curves[i].Points, drawing.Point{Param: value, Value: m.Value.Center, Lo: m.Value.Lo, Hi: m.Value.Hi})
	}
	if len(settings) < 3 || len(curves) > mostSeries {
		return "", nil
	}
	return param, curves
}

// parameter takes the last level "key=number" out of a name.
func parameter(name string) (rest, key string, value float64, ok bool) {
	levels := strings.Split(name, "/")
	for i := len(levels) - 1; i > 0; i-- {
		k, text, found := strings.Cut(levels[i], "=")
		if !found {
			continue
		}
		if v, good := size(text); good {
			rest := append(append([]string{}, levels[:i]...), levels[i+1:]...)
			return strings.Join(rest, "/"), k, v, true
		}
	}
	return name, "", 0, false
}

// size reads a number with a suffix as benchmark names have it: 64, 1k, 4Ki,
// 16KB, 1M. By the custom of such names k is 1000 and Ki is 1024.
func size(text string) (float64, bool) {
	digits := strings.TrimRight(text, "kKMGTiBb")
	v, err := strconv.ParseFloat(digits, 64)
	if err != nil || v <= 0 {
		return 0, false
	}
	suffix := strings.TrimRight(text[len(digits):], "Bb")
	factor, known := map[string]float64{"": 1, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12,
		"ki": 1 << 10, "Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "Ti": 1 << 40}[suffix]
	return v * factor, known
}
