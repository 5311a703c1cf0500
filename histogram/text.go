package histogram

import (
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/tarebench/tare/internal/unit"
)

// TextOptions control a drawing. The zero value draws ten bars of at most 40
// characters, in nanoseconds.
type TextOptions struct {
	// Bins is the approximate number of bars: 10 if 0, and at most 100.
	Bins int
	// Min and Max, if Max is greater, clip the bars. The values below Min and
	// above Max have one bar each. Both are in the unit of the view.
	Min, Max float64
	// Width is the length of the longest bar in characters: 40 if 0.
	Width int
	// ASCII draws only with #, for terminals without Unicode.
	ASCII bool
	// Step is the minimum width of a bin: the step of the clock.
	Step float64
	// Unit is the unit of the values of the view: nanoseconds if empty, or a
	// base unit such as "B".
	Unit string
}

var quantiles = []float64{0.50, 0.90, 0.99, 0.999, 0.9999}

// WriteText draws the distribution: a line with number, mean, minimum and
// maximum, then a line of quantiles, then a bar for each bin.
func (v View) WriteText(w io.Writer, o TextOptions) error {
	if o.Bins <= 0 {
		o.Bins = 10
	}
	o.Bins = min(o.Bins, 100)
	if !(o.Step >= 0) || math.IsInf(o.Step, 0) {
		o.Step = 0
	}
	if o.Width <= 0 {
		o.Width = 40
	}
	o.Width = min(o.Width, 1000)
	var b strings.Builder
	if v.Count() == 0 {
		b.WriteString("no values\n")
	} else {
		v.writeSummary(&b, o)
		v.writeBars(&b, o)
		v.writeTails(&b, o)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// String draws the values as nanoseconds, with the default options.
func (h *Histogram) String() string { return h.View(0, 1).String() }

// String draws with the default options.
func (v View) String() string {
	var b strings.Builder
	_ = v.WriteText(&b, TextOptions{}) // a Builder does not fail
	return b.String()
}

func (o TextOptions) base() (string, float64) {
	if o.Unit == "" {
		return "sec", 1e-9
	}
	return o.Unit, 1
}

func (o TextOptions) show(x float64) string {
	base, factor := o.base()
	s := unit.Scaling(base, three(x*factor))
	s.Digits = max(0, s.Digits-1) // three digits are enough here
	return strings.TrimSpace(s.Format(x*factor) + " " + s.Symbol)
}

func (v View) writeSummary(b *strings.Builder, o TextOptions) {
	fmt.Fprintf(b, "n %s  mean %s  min %s  max %s\n", grouped(v.Count()), o.show(v.Mean()), o.show(v.Min()), o.show(v.Max()))
	var line []string
	for _, q := range quantiles {
		a := v.Quantile(q)
		if a.Needs > 0 {
			line = append(line, fmt.Sprintf("(%s needs n ≥ %s)", a.Name(), grouped(a.Needs)))
			break
		}
		line = append(line, a.Name()+" "+o.show(a.Value))
	}
	text := strings.Join(line, "  ")
	if o.ASCII {
		text = strings.ReplaceAll(text, "≥", ">=")
	}
	b.WriteString(text + "\n")
}

// three rounds to three digits, so that 999.9 is scaled as 1000 is.
func three(x float64) float64 {
	if x == 0 || math.IsNaN(x) || math.IsInf(x, 0) {
		return x
	}
	power := math.Pow(10, math.Floor(math.Log10(math.Abs(x)))-2)
	return math.Round(x/power) * power
}

func (v View) bins(o TextOptions) (bins []Bin, logarithmic bool) {
	if bins := v.BinsWithin(o.Bins, o.Min, o.Max); bins != nil {
		return bins, false
	}
	bins = v.Bins(o.Bins, o.Step)
	if !v.holdsADecade(bins[0]) {
		return bins, false
	}
	return v.LogBins(o.Bins), true
}

// holdsADecade reports whether bin contains many of the values, and mostly in
// its lower part. Such a bin does not show whether they differ by a factor of
// ten.
func (v View) holdsADecade(bin Bin) bool {
	if v.Count() < 20 || float64(bin.Count) < 0.2*float64(v.Count()) {
		return false
	}
	low := v.Quantile(0.05).Value
	return low > 0 && bin.Hi > 4*low
}

func (v View) writeBars(b *strings.Builder, o TextOptions) {
	bins, logarithmic := v.bins(o)
	spans := o.equalSpans(bins)
	if logarithmic {
		spans = o.logSpans(bins)
	}
	most, longest := int64(0), 0
	for i, bin := range bins {
		most = max(most, bin.Count)
		longest = max(longest, utf8.RuneCountInString(spans[i]))
	}
	counts := len(grouped(most))
	for i, bin := range bins {
		line := fmt.Sprintf("%-*s %*s %5.1f%% %s", longest, spans[i], counts, grouped(bin.Count),
			100*float64(bin.Count)/float64(v.Count()), bar(bin.Count, most, o))
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

func (o TextOptions) logSpans(bins []Bin) []string {
	show := func(x float64) string { // 1 µs, not 1.00 µs
		value, symbol, _ := strings.Cut(o.show(x), " ")
		if strings.Contains(value, ".") {
			value = strings.TrimRight(strings.TrimRight(value, "0"), ".")
		}
		return value + " " + symbol
	}
	return spansOf(bins, bins, show, "")
}

// equalSpans names the bins in one unit for all edges. The width of a bin and
// the greatest regular edge determine the unit, so that 1,000 µs is not next to
// 2 ms.
func (o TextOptions) equalSpans(bins []Bin) []string {
	first, last := 0, len(bins)
	if bins[0].Tail {
		first++
	}
	if last > first && bins[last-1].Tail {
		last--
	}
	regular := bins[first:last]
	if len(regular) == 0 {
		regular = bins
	}
	base, factor := o.base()
	width := (regular[0].Hi - regular[0].Lo) * factor
	scale := unit.Scaling(base, regular[len(regular)-1].Hi*factor)
	scale.Digits = digits(width * scale.Factor)
	edge := func(x float64) string { return scale.Format(x*factor + 0) }
	return spansOf(bins, regular, edge, " "+scale.Symbol)
}

// spansOf names the bins. Their edges are as wide as the widest of regular.
func spansOf(bins, regular []Bin, edge func(float64) string, symbol string) []string {
	width := 0
	for _, bin := range regular {
		width = max(width, utf8.RuneCountInString(edge(bin.Lo)), utf8.RuneCountInString(edge(bin.Hi)))
	}
	spans := make([]string, len(bins))
	for i, bin := range bins {
		lo, hi := edge(bin.Lo), edge(bin.Hi)
		switch {
		case !bin.Tail:
			spans[i] = fmt.Sprintf("%*s up to %*s%s", width, lo, width, hi, symbol)
		case i == 0:
			spans[i] = fmt.Sprintf("%*s up to %*s%s", width, "", width, hi, symbol)
		default:
			spans[i] = fmt.Sprintf("%*s%s and more", width, lo, symbol)
		}
	}
	return spans
}

func digits(width float64) int {
	if !(width > 0) {
		return 0
	}
	return min(6, max(0, int(-math.Floor(math.Log10(width)+1e-9))))
}

// bar is proportional to count, in eighths of a character. A count above zero
// is always visible.
func bar(count, most int64, o TextOptions) string {
	eighths := int(math.Round(float64(count) / float64(most) * float64(8*o.Width)))
	if count > 0 {
		eighths = max(eighths, 1)
	}
	if o.ASCII {
		return strings.Repeat("#", (eighths+7)/8)
	}
	full := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		full += string([]rune(" ▏▎▍▌▋▊▉")[rest])
	}
	return full
}

func (v View) writeTails(b *strings.Builder, o TextOptions) {
	below, above := v.h.Outside()
	if below > 0 {
		fmt.Fprintf(b, "%s below the range of the histogram, the least %s\n", grouped(below), o.show(v.Min()))
	}
	if above > 0 {
		fmt.Fprintf(b, "%s above the range of the histogram, the greatest %s\n", grouped(above), o.show(v.Max()))
	}
}
