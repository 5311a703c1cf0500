package judge

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
	"github.com/tarebench/tare/internal/unit"
)

// A growth needs this many sizes, and this ratio of the largest to the smallest.
const leastSizes, leastRange = 4, 8

// tolerance is the greatest error of a reported exponent, and the greatest
// difference of two exponents that are the same.
const tolerance = 0.05

// curve is a benchmark as a function of the size in its name, or of GOMAXPROCS.
type curve struct {
	result.Key
	at []point
}

// point is a row of a curve: the seconds per operation of the variants as its row
// shows them, and the logarithms of their ratio by unit of analysis.
type point struct {
	x      float64
	sides  []result.Estimate
	differ []float64
	// proven is true if its row is faster or slower.
	proven bool
}

// The rows of a curve are measured one after the other, and the machine drifts
// between them. The spread of their blocks does not contain that. So the exponent
// and the speed-up of one variant have no interval. Their change has one, since the
// variants of a block share the drift.

// sizePattern is a part of a name with a number: "1000", "n=1000", "1K",
// "size=4KiB".
var sizePattern = regexp.MustCompile(`^((?:[\pL_]+[=_-]?)?)(\d+(?:\.\d+)?(?:e\d+)?)([kKMG]i?)?[bB]?$`)

func sizeOf(part string) (name string, size float64, ok bool) {
	m := sizePattern.FindStringSubmatch(part)
	if m == nil {
		return "", 0, false
	}
	size, err := strconv.ParseFloat(m[2], 64)
	prefix := map[string]float64{"": 1, "K": 1e3, "k": 1e3, "M": 1e6, "G": 1e9, "Ki": 1 << 10, "ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30}
	size *= prefix[m[3]]
	return m[1] + "#", size, err == nil && size > 0
}

// curves finds the growths and the scalings of a recording. times has the rows of
// time, as the table shows them.
func curves(rec *result.Recording, v int, times map[rowsKey]*row) (growths, scalings []*curve) {
	bySize, byProcs := make(map[result.Key]*curve), make(map[result.Key]*curve)
	for _, b := range rec.Benchmarks {
		r := times[rowsKey{b.Key, v}]
		if r == nil || !(r.New.Center > 0) || v > 0 && !(r.Old.Center > 0) {
			continue
		}
		p := point{sides: []result.Estimate{r.New}}
		if e, ok := evidenceOf(rec.Study, b.Unpacked(), "sec/op", 0, v); v > 0 {
			if !ok || !e.relative {
				continue
			}
			p = point{sides: []result.Estimate{r.Old, r.New}, differ: e.whole().Center, proven: r.Verdict.Differs()}
		}
		add := func(to map[result.Key]*curve, list *[]*curve, key result.Key, x float64) {
			if to[key] == nil {
				to[key] = &curve{Key: key}
				*list = append(*list, to[key])
			}
			p.x = x
			to[key].at = append(to[key].at, p)
		}
		parts := strings.Split(b.Name, "/")
		for i := 1; i < len(parts); i++ {
			if name, size, ok := sizeOf(parts[i]); ok {
				key := b.Key
				key.Name = strings.Join(slices.Concat(parts[:i], []string{name}, parts[i+1:]), "/")
				add(bySize, &growths, key, size)
			}
		}
		add(byProcs, &scalings, result.Key{Pkg: b.Pkg, Name: b.Name}, float64(b.Procs))
	}
	unusable := func(points int, span float64) func(c *curve) bool {
		return func(c *curve) bool {
			slices.SortStableFunc(c.at, func(a, b point) int { return cmp.Compare(a.x, b.x) })
			c.at = slices.CompactFunc(c.at, func(a, b point) bool { return a.x == b.x })
			return len(c.at) < points || c.at[len(c.at)-1].x < span*c.at[0].x
		}
	}
	return slices.DeleteFunc(growths, unusable(leastSizes, leastRange)), slices.DeleteFunc(scalings, unusable(2, 1))
}

func (c *curve) contrast(n int, weights []float64) []float64 {
	out := make([]float64, n)
	for i, w := range weights {
		for k := range out {
			out[k] += w * c.at[i].differ[k]
		}
	}
	return out
}

// judge is the change of a contrast between the variants, among family curves.
// It uses the first units only, so that it does not depend on when the rows
// stopped. It is a difference only if a row of the curve is one. So curves do
// not change the error rate of a run in which nothing changed.
func (c *curve) judge(weights []float64, delta, alpha float64, family int, better unit.Direction) (Interval, result.Verdict) {
	n := LeastBlocks(alpha / float64(family))
	if slices.ContainsFunc(c.at, func(p point) bool { return len(p.differ) < n }) {
		return unknown(), result.Undecided
	}
	d := c.contrast(n, weights)
	bounds := func(misrate float64) (lo, hi float64, err error) { return stats.CenterBounds(d, misrate) }
	iv := Samples(stats.Center(d), true, n, alpha, family, bounds)
	proven := (iv.JointLo > 0 || iv.JointHi < 0) && slices.ContainsFunc(c.at, func(p point) bool { return p.proven })
	return iv, iv.Verdict(delta, better, proven)
}

func growthsAndScalings(rec *result.Recording, rows []*row) (growth []result.Growth, scaling []result.Scaling) {
	times := make(map[rowsKey]*row)
	for _, r := range rows {
		if at := (rowsKey{r.Key, r.NewVariant}); r.Unit == "sec/op" && times[at] == nil {
			times[at] = r
		}
	}
	first := min(1, len(rec.Study.Variants)-1)
	for v := first; v < len(rec.Study.Variants); v++ {
		g, s := curves(rec, v, times)
		family := (len(g) + len(s)) * max(1, len(rec.Study.Variants)-1)
		for _, c := range g {
			growth = append(growth, c.growth(v, rec.Study.Alpha, family))
		}
		for _, c := range s {
			scaling = append(scaling, c.scaling(v, rec.Study.Delta, rec.Study.Alpha, family))
		}
	}
	return growth, scaling
}

// slope contains the weights of the least-squares slope over ln x.
func (c *curve) slope() []float64 {
	w, center, square := make([]float64, len(c.at)), 0.0, 0.0
	for i, p := range c.at {
		w[i] = math.Log(p.x)
		center += w[i] / float64(len(w))
	}
	for i := range w {
		w[i] -= center
		square += w[i] * w[i]
	}
	for i := range w {
		w[i] /= square
	}
	return w
}

func (c *curve) growth(v int, alpha float64, family int) result.Growth {
	g := result.Growth{Key: c.Key, NewVariant: v}
	for _, p := range c.at {
		g.Sizes = append(g.Sizes, p.x)
	}
	if g.Sides = append(g.Sides, c.exponent(0)); v == 0 {
		return g
	}
	g.Sides = append(g.Sides, c.exponent(1))
	iv, verdict := c.judge(c.slope(), math.Expm1(tolerance), alpha, family, unit.LowerIsBetter)
	g.Change = &result.Estimate{Center: iv.Center, Lo: finite(iv.Lo), Hi: finite(iv.Hi), N: iv.N}
	if g.Sides[0].Refused == "" && g.Sides[1].Refused == "" {
		g.Verdict = verdict
	}
	return g
}

// form is a fit of c·n^k, or of c·n^k·log n.
type form struct {
	k   float64
	log bool
	// half is the half-width of k from the intervals of the rows.
	half float64
	// bend is the greatest possible change of k if all deviations from the form
	// had the most harmful signs.
	bend   float64
	fitted []float64 // logarithms
}

// fit fits a form to the values of a side minus known logarithms.
func (c *curve) fit(side int, known func(x float64) float64) (f form) {
	w, level := c.slope(), 0.0
	y := make([]float64, len(c.at))
	for i, p := range c.at {
		e := p.sides[side]
		y[i] = math.Log(e.Center) - known(p.x)
		f.k += w[i] * y[i]
		f.half = math.Hypot(f.half, w[i]*math.Log(e.Hi/e.Lo)/2)
	}
	for i, p := range c.at {
		level += (y[i] - f.k*math.Log(p.x)) / float64(len(c.at))
	}
	for i, p := range c.at {
		on := level + f.k*math.Log(p.x)
		f.bend += math.Abs(w[i] * (y[i] - on))
		f.fitted = append(f.fitted, on+known(p.x))
	}
	return f
}

// whole is the distance of the exponent from a whole number.
func (f form) whole() float64 { return math.Abs(f.k - math.Round(f.k)) }

// exponent chooses the form of a side. A form fits if its deviations cannot
// change the exponent by more than the tolerance. Over few decades log n
// looks like a power, so both often fit. Then it chooses the form with a
// whole exponent, or else the form that deviates half as much.
func (c *curve) exponent(side int) result.Exponent {
	var out result.Exponent
	for _, p := range c.at {
		out.Times = append(out.Times, p.sides[side].Center)
	}
	plain := c.fit(side, func(float64) float64 { return 0 })
	logarithmic := plain
	if c.at[0].x >= 2 {
		logarithmic = c.fit(side, func(x float64) float64 { return math.Log(math.Log(x)) })
		logarithmic.log = true
	}
	chosen := plain
	switch far := math.Abs(plain.k - logarithmic.k); {
	case min(plain.bend, logarithmic.bend) > tolerance:
		out.Refused = fmt.Sprintf("the times bend: exponent %.2f at the smallest sizes, %.2f at the largest", c.between(side, 0), c.between(side, len(c.at)-2))
	case logarithmic.bend > tolerance, plain.bend <= tolerance && far <= tolerance:
	case plain.bend > tolerance:
		chosen = logarithmic
	case plain.whole() <= tolerance && logarithmic.whole() > tolerance:
	case logarithmic.whole() <= tolerance && plain.whole() > tolerance:
		chosen = logarithmic
	case 2*plain.bend <= logarithmic.bend:
	case 2*logarithmic.bend <= plain.bend:
		chosen = logarithmic
	default:
		out.Refused = fmt.Sprintf("n^%.2f and n^%.2f·log n fit equally: measure a wider range", plain.k, logarithmic.k)
	}
	if out.Refused == "" && !(chosen.half <= tolerance) {
		out.Refused = fmt.Sprintf("the exponent %.2f is uncertain by more than ±%.2f: measure longer", chosen.k, tolerance)
	}
	if out.Refused != "" {
		return out
	}
	out.K, out.Log = chosen.k, chosen.log
	for _, y := range chosen.fitted {
		out.Fitted = append(out.Fitted, math.Exp(y))
	}
	return out
}

func (c *curve) between(side, i int) float64 {
	a, b := c.at[i], c.at[i+1]
	return math.Log(b.sides[side].Center/a.sides[side].Center) / math.Log(b.x/a.x)
}

func (c *curve) scaling(v int, delta, alpha float64, family int) result.Scaling {
	s := result.Scaling{Pkg: c.Pkg, Name: c.Name, NewVariant: v}
	for _, p := range c.at {
		s.Procs = append(s.Procs, int(p.x))
	}
	for side := range c.at[0].sides {
		var up result.Speedup
		for _, p := range c.at {
			speedup := c.at[0].sides[side].Center / p.sides[side].Center
			up.Speedup = append(up.Speedup, speedup)
			up.Efficiency = append(up.Efficiency, speedup*c.at[0].x/p.x)
		}
		s.Sides = append(s.Sides, up)
	}
	if v > 0 {
		against := make([]float64, len(c.at))
		against[0], against[len(against)-1] = 1, -1
		iv, verdict := c.judge(against, delta, alpha, family, unit.HigherIsBetter)
		change := iv.Change()
		s.Change, s.Verdict = &change, verdict
	}
	return s
}
