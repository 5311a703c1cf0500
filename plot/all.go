package plot

import "io"

// All draws [RunOrder], [Density] and [Percentiles] on one page. Run order is
// left out when every series is a histogram.
func All(w io.Writer, o Options, series ...Series) error {
	all, err := samples(series)
	if err != nil {
		return err
	}
	ordered := 0.0
	for _, s := range all {
		if s.order != nil {
			ordered = 1
		}
	}
	width, height := o.size(800, 90+240*(2+ordered))
	p := newPicture(width, height, o.title(all))
	top := p.head(o.title(all), names(all))
	panel := (height - top) / (2 + ordered)
	if p.runOrder(o, all, 0, top, width, panel) {
		top += panel
	}
	p.density(o, all, 0, top, width, panel)
	p.percentiles(o, all, 0, top+panel, width, panel)
	return p.finish(w)
}
