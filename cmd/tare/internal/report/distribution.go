package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
	"github.com/tarebench/tare/internal/unit"
)

// Distribution writes the text of tare show. For each benchmark and variant it
// has quantiles, a histogram and the run order as a line of blocks, then the
// table and the findings. A quantile needs a value beyond it: p99 needs 100
// values. If single iterations were timed, their quantiles replace these.
func Distribution(w io.Writer, d Document, o Options) error {
	var b strings.Builder
	evidence, named := d.Evidence(), make(map[string]int)
	for _, s := range d.Subjects() {
		named[s.Name()]++
	}
	for _, s := range d.Subjects() {
		name := s.Name()
		if named[name] > 1 {
			name += " " + strings.ReplaceAll(strings.TrimSuffix(s.config, "\x00"), "\x00", " ")
		}
		if e := evidence[s]; e != nil {
			writeDistribution(&b, name, e, d.Comparison.Variants, o)
		}
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write distribution: %w", err)
	}
	return Text(w, d, o)
}

// histogramBars is the number of bars of a histogram. The last bar has all
// values beyond the 99% quantile, so that one slow round does not hide the
// rest.
const histogramBars = 10

func writeDistribution(b *strings.Builder, name string, e *Evidence, variants []result.Variant, o Options) {
	var all []float64
	for _, v := range e.Values {
		all = append(all, Finite(v)...)
	}
	if len(all) == 0 {
		return
	}
	slices.Sort(all)
	scale := unit.Scaling(e.Unit, nearestRank(all, 0.5))
	words.Fprintf(b, "%s [%s]\n", name, scale.Label(e.Unit))
	width := o.Width
	if width <= 0 || width > 100 {
		width = 100
	}
	lo, hi := all[0], nearestRank(all, 0.99)
	for v, values := range e.Values {
		values = Finite(values)
		if len(values) == 0 {
			continue
		}
		if len(e.Values) > 1 {
			words.Fprintf(b, "  %s\n", words.Label(variants, v))
		}
		sorted := slices.Sorted(slices.Values(values))
		b.WriteString("  ")
		if len(e.Iterations.Shares) == 0 {
			writeQuantiles(b, sorted, scale)
		}
		words.Fprintf(b, "n %d\n", len(values))
		writeBars(b, sorted, lo, hi, scale, width)
		words.Fprintf(b, "  in run order  %s\n", sparkline(values, lo, hi, width-18))
	}
	e.Iterations.write(b, variants)
	b.WriteByte('\n')
}

// nearestRank returns the smallest value with at least q of the sample at or
// below.
func nearestRank(sorted []float64, q float64) float64 {
	rank := int(math.Ceil(q * float64(len(sorted))))
	return sorted[max(0, min(rank, len(sorted))-1)]
}

func writeQuantiles(b *strings.Builder, sorted []float64, scale unit.Scale) {
	for _, q := range []struct {
		name string
		at   float64
	}{{"min", 0}, {"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"max", 1}} {
		if beyond := float64(len(sorted)) * (1 - q.at); q.at == 1 || beyond > 0.999 {
			words.Fprintf(b, "%s %s  ", q.name, scale.Format(nearestRank(sorted, q.at)))
		}
	}
}

func writeBars(b *strings.Builder, sorted []float64, lo, hi float64, scale unit.Scale, width int) {
	if hi <= lo || len(sorted) < histogramBars {
		return // the quantiles show it
	}
	counts := make([]int, histogramBars+1)
	for _, v := range sorted {
		i := int((v - lo) / (hi - lo) * histogramBars)
		if v == hi {
			i = histogramBars - 1
		}
		counts[max(0, min(i, histogramBars))]++
	}
	most := slices.Max(counts)
	longest := 0
	labels := make([]string, len(counts))
	for i := range counts {
		labels[i] = scale.Format(lo + (hi-lo)*float64(i)/histogramBars)
		longest = max(longest, len(labels[i]))
	}
	digits := len(fmt.Sprint(most))
	for i, n := range counts {
		if i == histogramBars && n == 0 {
			continue
		}
		mark := "  "
		if i == histogramBars {
			mark = "> "
		}
		room := max(10, width-longest-digits-8)
		length := n * room / most
		if n > 0 && length == 0 {
			length = 1 // even the smallest part shows
		}
		words.Fprintf(b, "  %s%*s  %*d %s\n", mark, longest, labels[i], digits, n, strings.Repeat("█", length))
	}
}

var sparks = []rune("▁▂▃▄▅▆▇█")

// sparkline draws the greatest value of each of at most cells parts of the run.
func sparkline(values []float64, lo, hi float64, cells int) string {
	cells = min(max(cells, 10), len(values))
	out := make([]rune, cells)
	for i := range out {
		begin, end := i*len(values)/cells, (i+1)*len(values)/cells
		top := slices.Max(values[begin:max(end, begin+1)])
		level := 0
		if hi > lo {
			level = int((top - lo) / (hi - lo) * float64(len(sparks)))
		}
		out[i] = sparks[max(0, min(level, len(sparks)-1))]
	}
	return string(out)
}
