package drawing

import (
	"errors"
	"fmt"
	"math"
)

// Point is a value measured at one setting of a parameter.
type Point struct {
	// Param is the setting: a size, a number of processors.
	Param float64
	// Value is in the base unit, with its interval; Lo and Hi are NaN where
	// there is none.
	Value, Lo, Hi float64
}

// PowerLaw is value = Factor · param^Exponent, with the 95% interval
// [Lo, Hi] of the exponent; both are NaN for two points, which any power law
// fits.
type PowerLaw struct {
	Factor, Exponent, Lo, Hi float64
}

// At is the law's value at a setting.
func (l PowerLaw) At(param float64) float64 { return l.Factor * math.Pow(param, l.Exponent) }

// ErrNoFit is returned for points that no power law can be fitted to.
var ErrNoFit = errors.New("a power law needs two different positive settings with positive values")

// FitPowerLaw fits by least squares on logarithms, with Student's interval of
// the slope (Draper and Smith, Applied Regression Analysis, 1998, section
// 1.4). The interval is about the scatter around the law, so a law that does
// not hold shows as a wide one. Points that are not positive are left out.
func FitPowerLaw(points []Point) (PowerLaw, error) {
	var xs, ys []float64
	for _, p := range points {
		if p.Param > 0 && p.Value > 0 && finite(p.Param) && finite(p.Value) {
			xs, ys = append(xs, math.Log(p.Param)), append(ys, math.Log(p.Value))
		}
	}
	n := float64(len(xs))
	var mx, my float64
	for i := range xs {
		mx, my = mx+xs[i]/n, my+ys[i]/n
	}
	var sxx, sxy float64
	for i := range xs {
		sxx += (xs[i] - mx) * (xs[i] - mx)
		sxy += (xs[i] - mx) * (ys[i] - my)
	}
	if len(xs) < 2 || sxx == 0 {
		return PowerLaw{}, fmt.Errorf("fit power law to %d points: %w", len(xs), ErrNoFit)
	}
	slope := sxy / sxx
	law := PowerLaw{Factor: math.Exp(my - slope*mx), Exponent: slope, Lo: math.NaN(), Hi: math.NaN()}
	if df := len(xs) - 2; df > 0 {
		var rest float64
		for i := range xs {
			r := ys[i] - my - slope*(xs[i]-mx)
			rest += r * r
		}
		half := student975(df) * math.Sqrt(rest/float64(df)/sxx)
		law.Lo, law.Hi = slope-half, slope+half
	}
	return law, nil
}

// student975 is the 97.5% quantile of Student's t with df degrees of
// freedom, by bisection of the finite sums of Abramowitz and Stegun 26.7.3
// and 26.7.4.
func student975(df int) float64 {
	lo, hi := 0.0, 20.0
	for range 60 {
		mid := (lo + hi) / 2
		if studentWithin(mid, df) < 0.95 {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}

// studentWithin is P(|T| ≤ t).
func studentWithin(t float64, df int) float64 {
	theta := math.Atan(t / math.Sqrt(float64(df)))
	sin, cos := math.Sincos(theta)
	if df%2 == 1 {
		sum, term := 0.0, cos
		for k := 3; k <= df; k += 2 {
			sum += term
			term *= cos * cos * float64(k-1) / float64(k)
		}
		return 2 / math.Pi * (theta + sin*sum)
	}
	sum, term := 0.0, 1.0
	for k := 2; k <= df; k += 2 {
		sum += term
		term *= cos * cos * float64(k-1) / float64(k)
	}
	return sin * sum
}
