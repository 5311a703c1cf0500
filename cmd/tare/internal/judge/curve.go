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

// point contains logarithms by unit of analysis: of both variants' seconds
// per operation, and of their ratio.
type point struct {
	x      float64
	sides  [2][]float64
	differ []float64
	// proven is true if its row is faster or slower.
	proven bool
}

// sizePattern is a part of a name with a number: "1000", "n=1000", "1K",
// "size=4KiB".
var sizePattern = regexp.MustCompile(`^((?:[\pL_]+[=_-]?)?)(\d+(?:\.\d+)?(?:e\d+)?)([kKMG]i?)?[bB]?$`)

// sizeOf is the number in a part of a name.
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

// curves finds the growths and the scalings of a recording. rows are the
// decided rows of a comparison with variant v. A run has no rows, and v is 0.
func curves(rec *result.Recording, v int, rows []*row) (growths, scalings []*curve) {
	bySize, byProcs := make(map[result.Key]*curve), make(map[result.Key]*curve)
	for _, b := range rec.Benchmarks {
		p, ok := pointOf(rec, b, v)
		if !ok {
			continue
		}
		p.proven = slices.ContainsFunc(rows, func(r *row) bool {
			return r.Key == b.Key && r.Unit == "sec/op" && r.NewVariant == v && (r.Verdict == result.Faster || r.Verdict == result.Slower)
		})
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

// pointOf reads the blocks of a benchmark.
func pointOf(rec *result.Recording, b result.Benchmark, v int) (p point, ok bool) {
	e, ok := evidenceOf(rec.Study, b.Unpacked(), "sec/op", 0, v)
	if !ok || !e.relative {
		return p, false
	}
	for i, s := range []series{e.before, e.after} {
		m := s.medians()
		for k := range m {
			m[k] = math.Log(m[k])
		}
		p.sides[i] = e.look(len(m), m).Center
	}
	p.differ = e.look(len(e.typical), e.typical).Center
	return p, true
}

// contrast is the weighted sum of the points' values for each unit.
func contrast(n int, weights []float64, values func(point int) []float64) []float64 {
	out := make([]float64, n)
	for i, w := range weights {
		for k := range out {
			out[k] += w * values(i)[k]
		}
	}
	return out
}

// units is the number of units that all points have.
func (c *curve) units() int {
	n := math.MaxInt
	for _, p := range c.at {
		n = min(n, len(p.differ))
	}
	return n
}

// judge is the change of a contrast between the variants, among family curves.
// It uses the first units only, so that it does not depend on when the rows
// stopped. It is a difference only if a row of the curve is one. So curves do
// not change the error rate of a run in which nothing changed.
func (c *curve) judge(weights []float64, delta, alpha float64, family int, better unit.Direction) (Interval, result.Verdict) {
	n := LeastBlocks(alpha / float64(family))
	if c.units() < n {
		return unknown(), result.Undecided
	}
	d := contrast(n, weights, func(i int) []float64 { return c.at[i].differ })
	bounds := func(misrate float64) (lo, hi float64, err error) { return stats.CenterBounds(d, misrate) }
	iv := Samples(stats.Center(d), true, n, alpha, family, bounds)
	proven := (iv.JointLo > 0 || iv.JointHi < 0) && slices.ContainsFunc(c.at, func(p point) bool { return p.proven })
	return iv, iv.Verdict(delta, better, proven)
}

// estimate is the center of values with its interval.
func estimate(values []float64, alpha float64) result.Estimate {
	e := result.Estimate{Center: stats.Center(values), Lo: math.NaN(), Hi: math.NaN(), N: len(values)}
	if lo, hi, err := stats.CenterBounds(values, alpha); err == nil {
		e.Lo, e.Hi = lo, hi
	}
	return e
}

// growthsAndScalings judges the curves of a recording with v variants.
func growthsAndScalings(rec *result.Recording, rows []*row) (growth []result.Growth, scaling []result.Scaling) {
	first := min(1, len(rec.Study.Variants)-1)
	for v := first; v < len(rec.Study.Variants); v++ {
		g, s := curves(rec, v, rows)
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

// growth fits both variants.
func (c *curve) growth(v int, alpha float64, family int) result.Growth {
	g := result.Growth{Key: c.Key, NewVariant: v}
	for _, p := range c.at {
		g.Sizes = append(g.Sizes, p.x)
	}
	if g.Sides = append(g.Sides, c.exponent(0, alpha)); v == 0 {
		return g
	}
	g.Sides = append(g.Sides, c.exponent(1, alpha))
	iv, verdict := c.judge(c.slope(), math.Expm1(tolerance), alpha, family, unit.LowerIsBetter)
	g.Change = &result.Estimate{Center: iv.Center, Lo: finite(iv.Lo), Hi: finite(iv.Hi), N: iv.N}
	if g.Sides[0].Refused == "" && g.Sides[1].Refused == "" {
		g.Verdict = verdict
	}
	return g
}

// form is a fit of c·n^k, or of c·n^k·log n.
type form struct {
	k   result.Estimate
	log bool
	// bend is the greatest possible change of k if all deviations from the form
	// had the most harmful signs.
	bend   float64
	fitted []float64 // logarithms
}

// fit fits a form to the values of a side minus known logarithms.
func (c *curve) fit(side int, alpha float64, known func(x float64) float64) form {
	w, n := c.slope(), c.units()
	shifted := func(i int) []float64 {
		y := slices.Clone(c.at[i].sides[side][:n])
		for k := range y {
			y[k] -= known(c.at[i].x)
		}
		return y
	}
	f := form{k: estimate(contrast(n, w, shifted), alpha)}
	var centers []float64
	level := 0.0
	for i, p := range c.at {
		centers = append(centers, stats.Center(shifted(i)))
		level += (centers[i] - f.k.Center*math.Log(p.x)) / float64(len(c.at))
	}
	for i, p := range c.at {
		on := level + f.k.Center*math.Log(p.x)
		f.bend += math.Abs(w[i] * (centers[i] - on))
		f.fitted = append(f.fitted, on+known(p.x))
	}
	return f
}

// whole is the distance of the exponent from a whole number.
func (f form) whole() float64 { return math.Abs(f.k.Center - math.Round(f.k.Center)) }

// exponent chooses the form of a side. A form fits if its deviations cannot
// change the exponent by more than the tolerance. Over few decades log n
// looks like a power, so both often fit. Then it chooses the form with a
// whole exponent, or else the form that deviates half as much.
func (c *curve) exponent(side int, alpha float64) result.Exponent {
	var out result.Exponent
	for _, p := range c.at {
		out.Times = append(out.Times, math.Exp(stats.Center(p.sides[side])))
	}
	if c.units() < leastEnd {
		out.K, out.Refused = Unknown(), fmt.Sprintf("%d blocks are too few: measure longer", c.units())
		return out
	}
	plain := c.fit(side, alpha, func(float64) float64 { return 0 })
	logarithmic := plain
	if c.at[0].x >= 2 {
		logarithmic = c.fit(side, alpha, func(x float64) float64 { return math.Log(math.Log(x)) })
		logarithmic.log = true
	}
	chosen := plain
	switch far := math.Abs(plain.k.Center - logarithmic.k.Center); {
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
		out.Refused = fmt.Sprintf("n^%.2f and n^%.2f·log n fit equally: measure a wider range", plain.k.Center, logarithmic.k.Center)
	}
	if half := (chosen.k.Hi - chosen.k.Lo) / 2; out.Refused == "" && !(half <= tolerance) {
		out.Refused = fmt.Sprintf("the exponent %.2f is uncertain by more than ±%.2f: measure longer", chosen.k.Center, tolerance)
	}
	if out.K, out.Log = chosen.k, chosen.log; out.Refused != "" {
		out.K, out.Log = Unknown(), false
		return out
	}
	for _, y := range chosen.fitted {
		out.Fitted = append(out.Fitted, math.Exp(y))
	}
	return out
}

// between is the exponent between point i and the next.
func (c *curve) between(side, i int) float64 {
	a, b := c.at[i], c.at[i+1]
	return (stats.Center(b.sides[side]) - stats.Center(a.sides[side])) / math.Log(b.x/a.x)
}

// scaling is the speed of both variants relative to the fewest CPUs.
func (c *curve) scaling(v int, delta, alpha float64, family int) result.Scaling {
	s := result.Scaling{Pkg: c.Pkg, Name: c.Name, NewVariant: v}
	for _, p := range c.at {
		s.Procs = append(s.Procs, int(p.x))
	}
	weights := make([]float64, len(c.at))
	against := func(i int) []float64 {
		clear(weights)
		weights[i]--
		weights[0]++
		return weights
	}
	for side := range min(v, 1) + 1 {
		var up result.Speedup
		for i, p := range c.at {
			e := estimate(contrast(c.units(), against(i), func(i int) []float64 { return c.at[i].sides[side] }), alpha)
			cpus := p.x / c.at[0].x
			up.Speedup = append(up.Speedup, result.Estimate{Center: math.Exp(e.Center), Lo: math.Exp(e.Lo), Hi: math.Exp(e.Hi), N: e.N})
			up.Efficiency = append(up.Efficiency, result.Estimate{Center: math.Exp(e.Center) / cpus, Lo: math.Exp(e.Lo) / cpus, Hi: math.Exp(e.Hi) / cpus, N: e.N})
		}
		s.Sides = append(s.Sides, up)
	}
	if v > 0 {
		iv, verdict := c.judge(against(len(c.at)-1), delta, alpha, family, unit.HigherIsBetter)
		change := iv.Change()
		s.Change, s.Verdict = &change, verdict
	}
	return s
}
