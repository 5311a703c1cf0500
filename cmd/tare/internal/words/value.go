package words

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/unit"
)

// Known reports whether v is a number.
func Known(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Spread formats the larger half of an interval relative to its center, as the
// number after ±. It is empty if unknown or zero.
func Spread(e result.Estimate) string {
	if !Known(e.Lo) || !Known(e.Hi) || e.Center == 0 || !Known(e.Center) || e.Lo == e.Hi {
		return ""
	}
	v := max(0, e.Hi-e.Center, e.Center-e.Lo) / math.Abs(e.Center) * 100
	if v > 0 && v < 0.95 {
		return strconv.FormatFloat(v, 'f', 1, 64) + "%"
	}
	return strconv.FormatFloat(v, 'f', 0, 64) + "%"
}

// Scale returns the common scale of the values of a row.
func Scale(u string, values ...float64) unit.Scale {
	var ok []float64
	whole := true
	for _, v := range values {
		if Known(v) {
			ok = append(ok, v)
			whole = whole && v == math.Trunc(v)
		}
	}
	s := unit.Scaling(u, ok...)
	if whole && s.Factor == 1 {
		s.Digits = 0 // counts are counts: 5, not 5.000
	}
	return s
}

// Amount formats one value with its symbol: "80.21 KiB" of "live-B", "14680" of
// "allocs/op".
func Amount(u string, v float64) string {
	s := Scale(u, v)
	return strings.TrimSpace(s.Format(v) + " " + s.Symbol)
}

// SignedAmount is Amount with a sign.
func SignedAmount(u string, v float64) string {
	if v > 0 {
		return "+" + Amount(u, v)
	}
	return Amount(u, v)
}

// P formats a p-value. It is empty if there is none.
func P(p *float64) string {
	switch {
	case p == nil:
		return ""
	case *p < 0.001:
		return "<0.001"
	}
	return strconv.FormatFloat(*p, 'f', 3, 64)
}

// Seconds formats a waiting time: "0.4 s", "67 s", "2.5 min", "3 h". It is empty
// for none.
func Seconds(s float64) string {
	switch {
	case s <= 0:
		return ""
	case s < 120:
		return short(s) + " s"
	case s < 120*60:
		return short(s/60) + " min"
	default:
		return short(s/3600) + " h"
	}
}

// short has one digit after the point below 10, if that is not 0.
func short(v float64) string {
	if v < 9.95 {
		return strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0")
	}
	return strconv.FormatFloat(v, 'f', 0, 64)
}

// Estimate formats a value of unit u with its interval: "1.21 [1.20 … 1.23]
// µs/op".
func Estimate(e result.Estimate, scale unit.Scale, u string) string {
	if !Known(e.Center) || e.N == 0 && e.Center == 0 {
		return "–"
	}
	s := scale.Format(e.Center)
	if Known(e.Lo) && Known(e.Hi) && e.Lo != e.Hi {
		s += " [" + scale.Format(e.Lo) + " … " + scale.Format(e.Hi) + "]"
	}
	return s + " " + Printable(scale.Label(u))
}

// Bare returns an estimate without an interval.
func Bare(v float64) result.Estimate {
	return result.Estimate{Center: v, Lo: math.NaN(), Hi: math.NaN()}
}

// ValueParts returns number, symbol and ± of a value.
func ValueParts(e result.Estimate, scale unit.Scale) []string {
	switch {
	case Known(e.Center):
	case e.N > 0: // measured, and no number
		return []string{"?", "", ""}
	default:
		return nil
	}
	if v := math.Abs(e.Center * scale.Factor); v >= 1 { // five digits are enough beside a small value
		scale.Digits = max(0, min(scale.Digits, 4-int(math.Floor(math.Log10(v)))))
	}
	parts := []string{scale.Format(e.Center), "", ""}
	if scale.Symbol != "" {
		parts[1] = " " + scale.Symbol
	}
	if s := Spread(e); s != "" {
		parts[2] = " ± " + s
	}
	return parts
}

// QuantileParts returns number and symbol of one quantile of a run's slices.
func QuantileParts(m *result.BenchmarkComparison, q string, scale unit.Scale) []string {
	v, ok := m.Quantiles[q]
	if !ok || !Known(v) || m.Exact {
		return nil
	}
	return []string{scale.Format(v), " " + scale.Symbol}
}

// Cost returns the blocks and the time of a row in three parts. It is nil
// without blocks.
func Cost(blocks int, seconds float64) []string {
	if blocks == 0 {
		return nil
	}
	parts := []string{fmt.Sprint(blocks), " blocks", ""}
	if blocks == 1 {
		parts[1] = " block"
	}
	if s := Seconds(seconds); s != "" {
		parts[2] = "  " + s
	}
	return parts
}

// collectionsMatter is the least share of the CPU time of garbage collection
// that a row reports.
const collectionsMatter = 0.1

// Collections describes the share of garbage collection in the CPU time of one
// or two variants: "of it garbage collection 31%". It is "" for a small share.
func Collections(sides ...*result.RuntimeCounts) string {
	var shares []string
	matter := false
	for _, c := range sides {
		if c == nil {
			return ""
		}
		matter = matter || c.GCShare >= collectionsMatter
		shares = append(shares, unit.Percent(c.GCShare))
	}
	if !matter {
		return ""
	}
	return "of it garbage collection " + strings.Join(slices.Compact(shares), " and ")
}
