package histogram

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/tarebench/tare/unit"
)

// TextOptions shape a drawing. The zero value draws ten bars of at most 40
// characters, in nanoseconds.
type TextOptions struct {
	// Bins is about how many bars to draw: 10 when 0.
	Bins int
	// Width is the length of the longest bar in characters: 40 when 0.
	Width int
	// ASCII draws with # alone, for terminals without Unicode.
	ASCII bool
	// Step is the least width of a bin: the step of the clock.
	Step float64
	// Unit is the base unit of the view's values divided by UnitFactor: the
	// zero value means nanoseconds ("sec", 1e-9).
	Unit       string
	UnitFactor float64
}

// quantiles are those of a summary, as far as the values support them.
var quantiles = []float64{0.50, 0.90, 0.99, 0.999, 0.9999}

// WriteText draws the distribution: a line with number, mean, minimum and
// maximum; a line of quantiles; a bar for each bin.
func (v View) WriteText(w io.Writer, o TextOptions) error {
	if o.Bins <= 0 {
		o.Bins = 10
	}
	if o.Width <= 0 {
		o.Width = 40
	}
	if o.Unit == "" {
		o.Unit, o.UnitFactor = "sec", 1e-9
	}
	if o.UnitFactor == 0 {
		o.UnitFactor = 1
	}
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

// String draws with the default options.
func (v View) String() string {
	var b strings.Builder
	_ = v.WriteText(&b, TextOptions{}) // a Builder does not fail
	return b.String()
}

// show writes one value with its unit.
func (o TextOptions) show(x float64) string {
	s := unit.Scaling(o.Unit, three(x*o.UnitFactor))
	s.Digits = max(0, s.Digits-1) // three digits are enough here
	return strings.TrimSpace(s.Format(x*o.UnitFactor) + " " + s.Symbol)
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

func (v View) writeBars(b *strings.Builder, o TextOptions) {
	bins := v.Bins(o.Bins, o.Step)
	most := int64(0)
	edges := make([]float64, 0, len(bins)+1)
	for _, bin := range bins {
		most = max(most, bin.Count)
		edges = append(edges, bin.Lo*o.UnitFactor)
	}
	edges = append(edges, bins[len(bins)-1].Hi*o.UnitFactor)
	// One unit for all edges, chosen by the width of a bin and by the
	// greatest regular edge, so that 1,000 µs does not stand beside 2 ms.
	regular := len(bins)
	if bins[regular-1].Tail {
		regular--
	}
	width := edges[0]
	if regular > 0 {
		width = edges[1] - edges[0]
	}
	scale := unit.Scaling(o.Unit, edges[max(regular, 1)])
	scale.Digits = digits(width * scale.Factor)
	text := make([]string, len(edges))
	longest := 0
	for i, e := range edges {
		text[i] = scale.Format(e + 0)
		if i <= regular {
			longest = max(longest, len(text[i]))
		}
	}
	counts := len(grouped(most))
	label := fmt.Sprintf("%*s up to %*s %s", longest, "", longest, "", scale.Symbol)
	for i, bin := range bins {
		from := pad(text[i], longest)
		span := fmt.Sprintf("%s up to %s %s", from, pad(text[i+1], longest), scale.Symbol)
		if bin.Tail {
			span = fmt.Sprintf("%s %s and more", from, scale.Symbol)
			span += strings.Repeat(" ", max(0, len(label)-len(span)))
		}
		line := fmt.Sprintf("%s %s %5.1f%% %s", span, pad(grouped(bin.Count), counts),
			100*float64(bin.Count)/float64(v.Count()), bar(bin.Count, most, o))
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

func pad(s string, width int) string { return strings.Repeat(" ", max(0, width-len(s))) + s }

// digits is how many digits after the point tell edges of this distance apart.
func digits(width float64) int {
	if !(width > 0) {
		return 0
	}
	return min(6, max(0, int(-math.Floor(math.Log10(width)+1e-9))))
}

// bar is as long as count is large, in eighths of a character; what is not
// zero shows.
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
	below, above := v.Histogram.Outside()
	if below > 0 {
		fmt.Fprintf(b, "%s below the range of the histogram, the least %s\n", grouped(below), o.show(v.Min()))
	}
	if above > 0 {
		fmt.Fprintf(b, "%s above the range of the histogram, the greatest %s\n", grouped(above), o.show(v.Max()))
	}
}
