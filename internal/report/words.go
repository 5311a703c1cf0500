package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/unit"
)

// Verdict names the verdict of a row in plain English, phrased for its unit:
// "faster" for times, "fewer" for allocations. Delta is the relative change
// below which two sides are the same.
func Verdict(b *result.BenchmarkComparison, delta float64) string {
	delta = deltaOf(b, delta)
	better, worse := directionWords(b.Unit, b.Change)
	var word string
	switch b.Verdict {
	case result.Faster:
		word = better
	case result.Slower:
		word = worse
	case result.Same:
		if b.Exact {
			return "identical"
		}
		return "same within " + percentOf(delta)
	case result.Undecided:
		return "undecided"
	case result.Failed:
		return "failed"
	default:
		return string(b.Verdict)
	}
	if b.Exact {
		return word + ", exactly"
	}
	if inside(b.Change, delta) {
		return word + ", by less than " + percentOf(delta)
	}
	return word
}

// deltaOf is the δ of a row: its own, or that of the comparison.
func deltaOf(b *result.BenchmarkComparison, delta float64) float64 {
	if b.Delta > 0 {
		return b.Delta
	}
	return delta
}

// Sentence says what a row shows, with its numbers: for places without room
// for a table.
func Sentence(b *result.BenchmarkComparison, delta float64) string {
	v := Verdict(b, delta)
	c := b.Change
	switch {
	case b.Verdict == result.Undecided && known(c.Lo) && known(c.Hi):
		v += ": could be " + rangeOf(c.Lo-1, c.Hi-1)
		if b.Needed > 0 {
			v += "; " + needed(b) + " would settle it"
		}
	case b.Verdict == result.Undecided && b.Needed > 0:
		v += "; " + needed(b) + " would settle it"
	case b.Verdict == result.Faster || b.Verdict == result.Slower:
		if known(c.Ratio) {
			v += ": " + changeWords(c)
			if known(c.Lo) && known(c.Hi) && !b.Exact {
				v += " (" + rangeOf(c.Lo-1, c.Hi-1) + ")"
			}
		} else if c.Difference != nil {
			v += ": " + differenceWords(b)
		}
	}
	return v
}

// Gate says why a gate did not pass: rows are those that regressed, or those
// of which that is not excluded.
func Gate(c *result.Comparison, rows []*result.BenchmarkComparison, regressed bool) string {
	var names []string
	for _, b := range rows {
		names = append(names, printable(rowName(b.Key, b.Row)))
	}
	switch who := subjectWords(names); {
	case regressed:
		return fmt.Sprintf("gate: a regression, and not within %s: %s", percentOf(c.Delta), who)
	case who == "":
		return "gate: nothing was compared"
	default:
		return fmt.Sprintf("gate: a regression beyond %s is not excluded: %s", percentOf(c.Delta), who)
	}
}

// directionWords are the words for better and worse in a unit.
func directionWords(u string, c result.Change) (better, worse string) {
	_, head, per := unit.Split(u)
	rate := per == "/s" || per == "/sec"
	switch {
	case rate:
		return "faster", "slower"
	case head == "sec" || head == "ns":
		return "faster", "slower"
	case head == "B" || head == "bytes" || head == "MB":
		return "less", "more"
	case head == "allocs" || head == "instructions" || head == "cycles" || strings.HasSuffix(head, "misses"):
		return "fewer", "more"
	}
	return "better", "worse"
}

func inside(c result.Change, delta float64) bool {
	return delta > 0 && known(c.Lo) && known(c.Hi) && c.Lo > 1/(1+delta) && c.Hi < 1+delta
}

func needed(b *result.BenchmarkComparison) string {
	what := "runs a side"
	if b.Blocks > 0 {
		what = "blocks"
	}
	return "about " + strconv.FormatFloat(twoDigits(b.Needed), 'f', 0, 64) + " " + what
}

// twoDigits is how exactly an estimate of future work is known at most.
func twoDigits(n int) float64 {
	if n < 100 {
		return float64(n)
	}
	step := math.Pow(10, math.Floor(math.Log10(float64(n)))-1)
	return math.Ceil(float64(n)/step-1e-9) * step
}

func known(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// percentOf renders a share without needless digits: 0.02 is "2%".
func percentOf(v float64) string {
	return strconv.FormatFloat(math.Round(v*1e6)/1e4, 'g', -1, 64) + "%"
}

// percentDigits is the number of decimals that an interval supports: two
// digits of its half width.
func percentDigits(c result.Change) int {
	if !known(c.Lo) || !known(c.Hi) || c.Hi <= c.Lo {
		return 2
	}
	half := (c.Hi - c.Lo) / 2 * 100
	return max(0, min(2, 1-int(math.Floor(math.Log10(half)))))
}

// changePercent renders a relative change (0.05 is +5%) with its sign.
func changePercent(v float64, digits int) string {
	s := strconv.FormatFloat(v*100, 'f', digits, 64)
	if !strings.HasPrefix(s, "-") {
		return "+" + s + "%"
	}
	if strings.Trim(s, "-0.") == "" {
		return "+" + s[1:] + "%" // -0.00 is no direction
	}
	return s + "%"
}

func changeWords(c result.Change) string {
	if !known(c.Ratio) {
		return ""
	}
	if c.Lo == c.Ratio && c.Hi == c.Ratio { // exact: no needless zeros
		s := strings.TrimSuffix(changePercent(c.Ratio-1, 2), "%")
		return strings.TrimSuffix(strings.TrimRight(s, "0"), ".") + "%"
	}
	return changePercent(c.Ratio-1, percentDigits(c))
}

func rangeOf(lo, hi float64) string {
	d := percentDigits(result.Change{Lo: 1 + lo, Hi: 1 + hi})
	return strings.TrimSuffix(changePercent(lo, d), "%") + " … " + changePercent(hi, d)
}

func differenceWords(b *result.BenchmarkComparison) string {
	d := b.Change.Difference
	if d == nil || !known(d.Center) {
		return ""
	}
	num, sym := scaled(b.Unit, d.Center)
	if d.Center >= 0 {
		num = "+" + num
	}
	return strings.TrimSpace(num + " " + sym)
}

// spread is the larger side of an interval relative to its centre, as the
// number after ±; empty when it is unknown or has no width.
func spread(e result.Estimate) string {
	if !known(e.Lo) || !known(e.Hi) || e.Center == 0 || !known(e.Center) || e.Lo == e.Hi {
		return ""
	}
	v := max(e.Hi/e.Center-1, 1-e.Lo/e.Center) * 100
	if v > 0 && v < 0.95 {
		return strconv.FormatFloat(v, 'f', 1, 64) + "%"
	}
	return strconv.FormatFloat(v, 'f', 0, 64) + "%"
}

// scaleOf is the one scale for the values of a row.
func scaleOf(u string, values ...float64) unit.Scale {
	var ok []float64
	whole := true
	for _, v := range values {
		if known(v) {
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

// scaled renders one value and its scaled symbol.
func scaled(u string, v float64) (number, symbol string) {
	s := scaleOf(u, v)
	return s.Format(v), s.Symbol
}

func probability(p *float64) string {
	if p == nil {
		return ""
	}
	switch {
	case *p < 0.001:
		return "<0.001"
	default:
		return strconv.FormatFloat(*p, 'f', 3, 64)
	}
}

func seconds(s float64) string {
	switch {
	case s <= 0:
		return ""
	case s < 9.95:
		return strconv.FormatFloat(s, 'f', 1, 64) + " s"
	default:
		return strconv.FormatFloat(s, 'f', 0, 64) + " s"
	}
}

// rowName is the benchmark as go test prints it, or the label of -row.
func rowName(k result.Key, row string) string {
	if row != "" {
		return row
	}
	if k.Procs > 1 {
		return k.Name + "-" + strconv.Itoa(k.Procs)
	}
	return k.Name
}

func label(variants []result.Variant, i int) string {
	if i < 0 || i >= len(variants) {
		return "?"
	}
	return variants[i].Label
}

var asciiWords = strings.NewReplacer(
	"±", "+/-", "µ", "u", "…", "..", "−", "-", "≈", "~", "→", "->", "δ", "delta", "α", "alpha", "·", "|", "–", "-", "×", "x", "≥", ">=", "≤", "<=", "─", "-",
)

// plain renders s in ASCII alone: our own signs by their words, all else as
// Go escapes.
func plain(s string) string {
	var b strings.Builder
	for _, r := range asciiWords.Replace(s) {
		if r < unicode.MaxASCII {
			b.WriteRune(r)
			continue
		}
		q := strconv.QuoteRuneToASCII(r)
		b.WriteString(q[1 : len(q)-1])
	}
	return b.String()
}
