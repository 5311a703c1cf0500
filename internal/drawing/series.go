package drawing

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
)

// Series is a set of measurements of one thing.
type Series struct {
	Name string
	// Values are the measurements in the base unit of [Options], in the order
	// in which they were taken. NaN, infinities and magnitudes above 1e200 are
	// not drawn.
	Values []float64
	// Counts, if not nil, contains the number of occurrences of each of Values:
	// the buckets of a histogram. Such a series has no run order. It is as long
	// as Values.
	Counts []uint64
	// Widths are the widths of the buckets, if they are known.
	Widths []float64
}

// Options apply to a whole picture.
type Options struct {
	Title string
	// Unit is the base unit of the values: "sec" if empty. See package unit.
	Unit string
	// Width and Height are in pixels. 0 means a default that suits the picture. A
	// height that is too low for the plotting areas is raised. The maximum of each
	// is 10,000.
	Width, Height int
}

// ErrNoValues is returned if there is nothing to draw.
var ErrNoValues = errors.New("no finite values")

// sample is a prepared series: finite values with their weights in ascending
// order, and the values in run order.
type sample struct {
	name   string
	order  []float64 // nil for a histogram
	sorted []float64
	// upTo[i] counts the measurements at or below sorted[i]. A nil upTo means i+1.
	upTo  []uint64
	total uint64
	// widths are the widths of the buckets of a histogram, if they are known.
	widths []float64
}

func (s *sample) below(i int) uint64 {
	if i == 0 {
		return 0
	}
	if s.upTo == nil {
		return uint64(i)
	}
	return s.upTo[i-1]
}

func (s *sample) weight(i int) float64 { return float64(s.below(i+1) - s.below(i)) }

func (s *sample) min() float64 { return s.sorted[0] }
func (s *sample) max() float64 { return s.sorted[len(s.sorted)-1] }

// quantile is the smallest value with at least q of the measurements at or
// below it (the inverse of the empirical distribution function).
func (s *sample) quantile(q float64) float64 {
	rank := uint64(math.Ceil(q * float64(s.total)))
	rank = max(1, min(rank, s.total))
	if s.upTo == nil {
		return s.sorted[rank-1]
	}
	i, _ := slices.BinarySearch(s.upTo, rank)
	return s.sorted[i]
}

// panel draws series into a picture, from top on. It reports whether there was
// anything to draw.
type panel func(p *picture, o Options, all []*sample, top, height float64) bool

// draw writes a page of panels, one below the other. The height applies if the
// options have none.
func draw(w io.Writer, o Options, series []Series, height float64, panels ...panel) error {
	all, err := samples(series)
	if err != nil {
		return err
	}
	width, whole := o.size(height)
	top := (&picture{width: width}).head(o.title(all), all)
	whole = max(whole, top+leastPanel*float64(len(panels)))
	p := newPicture(width, whole, o.title(all))
	p.describe(o, all)
	p.head(o.title(all), all)
	each := (whole - top) / float64(len(panels))
	for _, draw := range panels {
		if !draw(p, o, all, top, each) {
			return ErrNoValues
		}
		top += each
	}
	return p.finish(w)
}

// samples prepares every series. It needs at least one value in all.
func samples(series []Series) ([]*sample, error) {
	all := make([]*sample, 0, len(series))
	for _, s := range series {
		p, err := prepare(s)
		if err != nil {
			return nil, fmt.Errorf("series %q: %w", s.Name, err)
		}
		if p != nil {
			all = append(all, p)
		}
	}
	if len(all) == 0 {
		return nil, ErrNoValues
	}
	return all, nil
}

func prepare(s Series) (*sample, error) {
	if s.Counts != nil {
		return prepareCounts(s)
	}
	return prepareOrder(s.Name, s.Values), nil
}

// prepareOrder returns nil without a finite value.
func prepareOrder(name string, order []float64) *sample {
	if slices.ContainsFunc(order, func(v float64) bool { return !finite(v) }) {
		order = slices.DeleteFunc(slices.Clone(order), func(v float64) bool { return !finite(v) })
	}
	if len(order) == 0 {
		return nil
	}
	sorted := slices.Sorted(slices.Values(order))
	return &sample{name: name, order: order, sorted: sorted, total: uint64(len(order))}
}

func prepareCounts(s Series) (*sample, error) {
	if len(s.Counts) != len(s.Values) {
		return nil, fmt.Errorf("%d values but %d counts", len(s.Values), len(s.Counts))
	}
	index := make([]int, 0, len(s.Values))
	for i, v := range s.Values {
		if s.Counts[i] > 0 && finite(v) {
			index = append(index, i)
		}
	}
	if len(index) == 0 {
		return nil, nil
	}
	slices.SortFunc(index, func(a, b int) int { return cmp.Compare(s.Values[a], s.Values[b]) })
	p := &sample{name: s.Name}
	for _, i := range index {
		p.total += s.Counts[i]
		p.sorted = append(p.sorted, s.Values[i])
		p.upTo = append(p.upTo, p.total)
		if len(s.Widths) == len(s.Values) {
			p.widths = append(p.widths, s.Widths[i])
		}
	}
	return p, nil
}

// finite reports whether v can be drawn. It excludes NaN, infinities, and
// values so great that the arithmetic of an axis would overflow. No unit
// reaches them.
func finite(v float64) bool { return math.Abs(v) <= 1e200 }
