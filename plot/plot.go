package plot

import (
	"errors"
	"io"
	"os"

	"github.com/tarebench/tare/internal/drawing"
)

// Options are the settings of a picture.
type Options struct {
	Title string
	// Unit is the base unit of the values: "sec" if empty, or "sec/op", "B/op",
	// "B", or any other name.
	Unit string
	// Width and Height are in pixels. 0 means a default that suits the picture.
	// A height that is too low for the plotting areas is raised. The maximum of
	// each is 10,000.
	Width, Height int
}

// ErrNoValues is returned if there is nothing to draw.
var ErrNoValues = drawing.ErrNoValues

// All draws [RunOrder], [Density] and [Percentiles] on one page. Run order is
// omitted if every series is a histogram.
func All(w io.Writer, o Options, series ...Series) error {
	return drawing.All(w, drawing.Options(o), samples(series)...)
}

// Save draws [All] into a file.
func Save(file string, o Options, series ...Series) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(All(f, o, series...), f.Close())
}

// RunOrder draws each measurement in the order in which it was taken. It shows
// drift, warm-up and garbage collection. Above 6,000 points, bands contain most
// of them, the extremes are exact, and a line joins the medians. For more than
// two such series only the lines are drawn. Series of histogram buckets have no
// order and are omitted.
func RunOrder(w io.Writer, o Options, series ...Series) error {
	return drawing.RunOrder(w, drawing.Options(o), samples(series)...)
}

// Density draws how the values are distributed: a Gaussian kernel estimate with
// Silverman's bandwidth (Silverman, Density Estimation, 1986, eq. 3.31) for the
// width of one mode. The median is a dashed line. Up to 50 values are ticks
// too, and fewer than 10 have no curve. Every series encloses the same area.
// The picture counts the values beyond the 99.5% quantile instead of drawing
// them.
func Density(w io.Writer, o Options, series ...Series) error {
	return drawing.Density(w, drawing.Options(o), samples(series)...)
}

// Percentiles draws the value at each percentile on an axis that stretches the
// tail: p90, p99 and p99.9 are equally far apart. The axis ends at the greatest
// of n values, at "one in n".
func Percentiles(w io.Writer, o Options, series ...Series) error {
	return drawing.Percentiles(w, drawing.Options(o), samples(series)...)
}

func samples(series []Series) []drawing.Series {
	all := make([]drawing.Series, len(series))
	for i, s := range series {
		all[i] = drawing.Series{Name: s.Name, Values: s.Values, Counts: s.Counts, Widths: s.widths}
	}
	return all
}
