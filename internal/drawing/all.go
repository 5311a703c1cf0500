package drawing

import (
	"io"
	"slices"
)

// All draws [RunOrder], [Density] and [Percentiles] on one page. Run order is
// omitted if every series is a histogram.
func All(w io.Writer, o Options, series ...Series) error {
	panels := []panel{(*picture).density, (*picture).percentiles}
	ordered := func(s Series) bool { return s.Counts == nil && slices.ContainsFunc(s.Values, finite) }
	if slices.ContainsFunc(series, ordered) {
		panels = slices.Insert(panels, 0, panel((*picture).runOrder))
	}
	return draw(w, o, series, 90+240*float64(len(panels)), panels...)
}
