package report

import (
	"cmp"
	"encoding/csv"
	"io"
	"maps"
	"slices"
	"strconv"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

var columns = []string{"pkg", "name", "procs", "unit", "old_label", "old", "old_lo", "old_hi", "old_n", "new_label", "new", "new_lo", "new_hi", "new_n",
	"ratio", "ratio_lo", "ratio_hi", "difference", "p", "p_holm", "verdict", "exact", "rounds", "blocks", "seconds", "needed", "detectable", "reason",
	"old_bytes", "new_bytes", "raw", "overhead_lo", "overhead_hi", "spread", "band"}

// CSV writes a document as one flat table with a header. It has a row per
// benchmark, unit and, in a comparison, pair of variants, and a column for each
// key of a configuration. Numbers are unrounded and in base units, and unknown
// numbers are empty. A run has new values alone.
func CSV(w io.Writer, d Document) error {
	seen := make(map[string]string)
	for _, b := range d.Comparison.Benchmarks {
		maps.Copy(seen, b.Config)
	}
	keys := slices.Sorted(maps.Keys(seen))
	o := csv.NewWriter(w)
	o.Write(slices.Concat(keys, columns))
	for i := range d.Comparison.Benchmarks {
		var line []string
		for _, k := range keys {
			line = append(line, d.Comparison.Benchmarks[i].Config[k])
		}
		o.Write(append(line, cellsOf(d.Comparison, &d.Comparison.Benchmarks[i])...))
	}
	o.Flush()
	return o.Error()
}

func cellsOf(c *result.Comparison, b *result.BenchmarkComparison) []string {
	old := ""
	if !c.IsRun() {
		old = words.Label(c.Variants, b.OldVariant)
	}
	cells := []string{b.Pkg, cmp.Or(b.Row, b.Name), strconv.Itoa(b.Procs), b.Unit, old}
	cells = append(append(cells, estimateCells(b.Old)...), words.Label(c.Variants, b.NewVariant))
	cells = append(cells, estimateCells(b.New)...)
	difference, reason := "", b.Reason
	if (absent(b) || b.Verdict == result.Failed) && len(b.Findings) > 0 {
		reason = cmp.Or(reason, b.Findings[0].Message)
	}
	if d := b.Change.Difference; d != nil {
		difference = number(d.Center)
	}
	return append(cells, number(b.Change.Ratio), number(b.Change.Lo), number(b.Change.Hi), difference, pointer(b.P), pointer(b.PHolm),
		string(b.Verdict), strconv.FormatBool(b.Exact), strconv.Itoa(b.Rounds), strconv.Itoa(b.Blocks), number(b.Seconds),
		positive(float64(b.Needed)), positive(b.Detectable), reason, positive(b.OldBytes), positive(b.NewBytes),
		positive(b.Raw), positive(b.Overhead.Lo), positive(b.Overhead.Hi), positive(b.Spread), b.Band)
}

func estimateCells(e result.Estimate) []string {
	if e.IsZero() {
		return make([]string, 4)
	}
	return []string{number(e.Center), number(e.Lo), number(e.Hi), strconv.Itoa(e.N)}
}

func number(v float64) string {
	if !words.Known(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

func positive(v float64) string {
	if v == 0 {
		return ""
	}
	return number(v)
}

func pointer(p *float64) string {
	if p == nil {
		return ""
	}
	return number(*p)
}
