package drawing

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/unit"
)

type tick struct {
	at    float64
	label string
}

type axis struct {
	lo, hi   float64 // values
	from, to float64 // pixels
	log      bool
	ticks    []tick
	// unit is the unit of tick labels that do not carry their own.
	unit string
}

func (a *axis) at(v float64) float64 { return a.from + a.share(v)*(a.to-a.from) }

func (a *axis) share(v float64) float64 {
	lo, hi := a.lo, a.hi
	if a.log {
		v, lo, hi = math.Log(v), math.Log(lo), math.Log(hi)
	}
	if hi == lo {
		return 0.5
	}
	return (v - lo) / (hi - lo)
}

func (a *axis) clamp(v float64) float64 { return min(max(v, a.lo), a.hi) }

// valueAxis is an axis for values of a base unit from lo to hi, with about want
// ticks. If log is set, lo must be positive.
func valueAxis(base string, lo, hi float64, log bool, want int) *axis {
	if lo == hi {
		pad := math.Abs(lo) * 0.05
		if pad == 0 {
			pad = 1
		}
		lo, hi = lo-pad, hi+pad
		if log {
			lo = max(lo, hi/2)
		}
	}
	a := &axis{lo: lo, hi: hi, log: log}
	if log {
		prefix, head, per := unit.Split(base)
		quantity := prefix + head
		switch {
		case head != "sec" && head != "B":
			a.unit, quantity = base, ""
		case len(per) > 1:
			a.unit = "per " + per[1:]
		}
		a.ticks = logTicks(quantity, lo, hi, want)
		return a
	}
	scale := unit.Scaling(base, max(math.Abs(lo), math.Abs(hi)))
	a.unit = scale.Label(base)
	for _, t := range linearTicks(lo*scale.Factor, hi*scale.Factor, want) {
		a.ticks = append(a.ticks, tick{t.at / scale.Factor, t.label})
	}
	return a
}

// linearTicks are multiples of 1, 2 or 5 times a power of ten inside [lo, hi].
func linearTicks(lo, hi float64, want int) []tick {
	step := niceStep((hi - lo) / float64(max(want, 1)))
	digits := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	var ticks []tick
	for i := math.Ceil(lo/step - 1e-9); i*step <= hi+step*1e-9; i++ {
		label := strconv.FormatFloat(i*step, 'f', digits, 64)
		if len(label) > 9 {
			label = shortExponent.Replace(strconv.FormatFloat(i*step, 'g', 6, 64))
		}
		if strings.Trim(label, "-0.") == "" {
			label = "0"
		}
		ticks = append(ticks, tick{i*step + 0, label}) // + 0 turns -0 into 0
		if len(ticks) > 1000 {
			break // a step is lost below the precision of the values
		}
	}
	return ticks
}

func niceStep(raw float64) float64 {
	if raw <= 0 || !finite(raw) {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 5} {
		if raw <= m*power*(1+1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// logTicks are decades, or parts of decades if few fit. Bytes step by powers of
// two. Each label carries its own unit.
func logTicks(base string, lo, hi float64, want int) []tick {
	ladders := [][]float64{{1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 2, 3, 5, 7}, {1, 2, 5}, {1, 3}, {1}}
	radix := 10.0
	if scale := unit.Scaling(base, 1); scale.Symbol == "B" {
		ladders, radix = [][]float64{{1, 1.25, 1.5, 1.75}, {1, 1.5}, {1}}, 2
	}
	decades := (math.Log(hi) - math.Log(lo)) / math.Log(radix)
	fits := func(ladder []float64) bool {
		return decades*float64(len(ladder)) <= float64(want)*1.5 || len(ladder) == 1
	}
	ladder, every := ladders[slices.IndexFunc(ladders, fits)], 1.0
	if len(ladder) == 1 {
		every = math.Max(1, math.Round(decades/float64(max(want, 1))))
	}
	if ticks := ladderTicks(base, lo, hi, radix, ladder, every); len(ticks) >= 2 {
		return ticks
	}
	// The range is smaller than any step: use the linear places, with their
	// units.
	scale := unit.Scaling(base, hi)
	var ticks []tick
	for _, t := range linearTicks(lo*scale.Factor, hi*scale.Factor, want) {
		if t.at > 0 {
			ticks = append(ticks, tick{t.at / scale.Factor, strings.TrimSpace(t.label + " " + scale.Label(base))})
		}
	}
	return ticks
}

func ladderTicks(base string, lo, hi, radix float64, ladder []float64, every float64) []tick {
	var ticks []tick
	first := math.Floor(math.Log(lo)/math.Log(radix)/every) * every
	for e := first; ; e += every {
		for _, m := range ladder {
			v := m * math.Pow(radix, e)
			if v > hi*(1+1e-9) {
				return ticks
			}
			if v >= lo*(1-1e-9) {
				ticks = append(ticks, tick{v, valueLabel(base, v)})
			}
		}
	}
}

func valueLabel(base string, v float64) string {
	scale := unit.Scaling(base, v)
	return strings.TrimSpace(trimNumber(v*scale.Factor) + " " + scale.Label(base))
}

var shortExponent = strings.NewReplacer("e+0", "e", "e+", "e", "e-0", "e-")

// trimNumber shows up to four significant digits. It uses an exponent if a
// person would have to count zeros.
func trimNumber(v float64) string {
	s := strconv.FormatFloat(v, 'g', 4, 64)
	if a := math.Abs(v); a >= 1e7 || a < 1e-4 {
		return shortExponent.Replace(s)
	}
	if strings.Contains(s, "e") {
		if f, err := strconv.ParseFloat(s, 64); err == nil {
			s = strconv.FormatFloat(f, 'f', -1, 64)
		}
	}
	return s
}

// tailTicks mark 0, 50, 90, 99, 99.9% … up to one in n. The values of the axis
// are 1/(1−q) on a logarithmic scale.
func tailTicks(n float64) []tick {
	ticks := []tick{{1, "p0"}, {2, "p50"}}
	if n >= 4 {
		ticks = append(ticks, tick{4, "p75"})
	}
	for d, f := 1, 10.0; f <= n*(1+1e-9); d, f = d+1, f*10 {
		if d == 2 {
			ticks = append(ticks, tick{20, "p95"})
		}
		label := "p90"
		switch {
		case d == 2:
			label = "p99"
		case d > 2:
			label = "p99." + strings.Repeat("9", d-2)
		}
		ticks = append(ticks, tick{f, label})
	}
	return ticks
}

// countLabel is a number with a prefix: "20k", "5M". Multiples of 1024 are
// sizes: "64Ki".
func countLabel(v float64) string {
	switch {
	case v >= 1<<20 && math.Mod(v, 1<<20) == 0 && math.Mod(v, 1e6) != 0:
		return trimNumber(v/(1<<20)) + "Mi"
	case v >= 1<<10 && math.Mod(v, 1<<10) == 0 && math.Mod(v, 1e3) != 0:
		return trimNumber(v/(1<<10)) + "Ki"
	case v >= 1e6:
		return trimNumber(v/1e6) + "M"
	case v >= 1e3:
		return trimNumber(v/1e3) + "k"
	}
	return trimNumber(v)
}
