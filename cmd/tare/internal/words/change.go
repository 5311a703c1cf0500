package words

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/unit"
)

// Percent formats a share without needless digits: 0.02 is "2%".
func Percent(v float64) string {
	return strconv.FormatFloat(math.Round(v*1e6)/1e4, 'g', -1, 64) + "%"
}

// Change formats a change without its interval. It is empty if unknown.
func Change(c result.Change) string {
	if !Known(c.Ratio) {
		return ""
	}
	if c.Lo == c.Ratio && c.Hi == c.Ratio { // exact: no needless zeros
		s := strings.TrimSuffix(unit.SignedPercent(c.Ratio-1, 2), "%")
		return strings.TrimSuffix(strings.TrimRight(s, "0"), ".") + "%"
	}
	digits := unit.ChangeDigits(c.Lo-1, c.Hi-1)
	if x := math.Abs(c.Ratio - 1); (!Known(c.Lo) || !Known(c.Hi)) && x >= 0.1 { // three digits are enough
		digits = 1
		if x >= 1 {
			digits = 0
		}
	}
	return unit.SignedPercent(c.Ratio-1, digits)
}

// Range formats an interval of relative changes: -0.01, 0.02 is "-1.0 … +2.0%".
func Range(lo, hi float64) string {
	d := unit.ChangeDigits(lo, hi)
	return strings.TrimSuffix(unit.SignedPercent(lo, d), "%") + " … " + unit.SignedPercent(hi, d)
}

// Difference formats the change of a row that has no ratio, with its unit.
func Difference(b *result.BenchmarkComparison) string {
	d := b.Change.Difference
	if d == nil || !Known(d.Center) {
		return ""
	}
	if d.Center >= 0 {
		return "+" + Amount(b.Unit, d.Center)
	}
	return Amount(b.Unit, d.Center)
}

// ChangeParts returns the signed change and its interval, bracket by bracket.
func ChangeParts(b *result.BenchmarkComparison) []string {
	c := b.Change
	switch {
	case b.Verdict == result.Missing || b.Verdict == result.Skipped || b.Verdict == result.NotReached || b.Verdict == result.Failed || b.Reason == result.ReasonSameCode:
		return nil // there is nothing to compare
	case b.Exact && b.Verdict == result.Same:
		return []string{"0%"}
	case Known(c.Ratio):
		parts := []string{Change(c), "", "", "", "", ""}
		if Known(c.Lo) && Known(c.Hi) && c.Lo < c.Hi {
			d := unit.ChangeDigits(c.Lo-1, c.Hi-1)
			copy(parts[1:], []string{"  (", strings.TrimSuffix(unit.SignedPercent(c.Lo-1, d), "%"), " … ", unit.SignedPercent(c.Hi-1, d), ")"})
		}
		return parts
	case c.Difference != nil:
		return []string{Difference(b)}
	}
	return []string{"?"}
}

// Share formats a share of one, in percent with one decimal.
func Share(v float64) string {
	if !Known(v) {
		return ""
	}
	return fmt.Sprintf("%.1f%%", v*100)
}

// Mean describes a geometric mean of changes.
func Mean(g *result.GeoMean) string {
	words := fmt.Sprintf("geometric mean of %d: %s", g.N, Change(g.Change))
	if Known(g.Change.Lo) && Known(g.Change.Hi) && g.Change.Lo < g.Change.Hi {
		words += " (" + Range(g.Change.Lo-1, g.Change.Hi-1) + ")"
	}
	return words
}
