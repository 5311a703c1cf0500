package report

import (
	"cmp"
	"encoding/csv"
	"io"
	"slices"
	"strconv"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// CSV writes a document as one flat table with a header. It has a row per
// benchmark, unit and, in a comparison, pair of variants. Numbers are unrounded
// and in base units, and unknown numbers are empty.
func CSV(w io.Writer, d Document) error {
	if c := d.Comparison; c != nil {
		return writeCSV(w, comparedFields(c), c.Benchmarks, func(b *result.BenchmarkComparison) map[string]string { return b.Config })
	}
	return writeCSV(w, measuredFields(), d.Run.Benchmarks, func(m *result.Measurement) map[string]string { return m.Config })
}

// field is one column of the flat table.
type field[R any] struct {
	name  string
	value func(*R) string
}

func writeCSV[R any](w io.Writer, fields []field[R], rows []R, config func(*R) map[string]string) error {
	shown := configKeys(len(rows), func(i int) map[string]string { return config(&rows[i]) })
	o := csv.NewWriter(w)
	line := slices.Clone(shown)
	for _, f := range fields {
		line = append(line, f.name)
	}
	o.Write(line)
	for i := range rows {
		line = line[:0]
		for _, k := range shown {
			line = append(line, config(&rows[i])[k])
		}
		for _, f := range fields {
			line = append(line, f.value(&rows[i]))
		}
		o.Write(line)
	}
	o.Flush()
	return o.Error()
}

// estimateFields are the four columns of an estimate: NAME, lo, hi and n with
// the prefix.
func estimateFields[R any](name, prefix string, of func(*R) result.Estimate) []field[R] {
	return []field[R]{
		{name, func(r *R) string { return number(of(r).Center) }},
		{prefix + "lo", func(r *R) string { return number(of(r).Lo) }},
		{prefix + "hi", func(r *R) string { return number(of(r).Hi) }},
		{prefix + "n", func(r *R) string { return strconv.Itoa(of(r).N) }},
	}
}

func comparedFields(c *result.Comparison) []field[result.BenchmarkComparison] {
	type row = result.BenchmarkComparison
	return slices.Concat(
		[]field[row]{
			{"pkg", func(b *row) string { return b.Pkg }},
			{"name", func(b *row) string { return cmp.Or(b.Row, b.Name) }},
			{"procs", func(b *row) string { return strconv.Itoa(b.Procs) }},
			{"unit", func(b *row) string { return b.Unit }},
			{"old_label", func(b *row) string { return words.Label(c.Variants, b.OldVariant) }},
		},
		estimateFields("old", "old_", func(b *row) result.Estimate { return b.Old }),
		[]field[row]{{"new_label", func(b *row) string { return words.Label(c.Variants, b.NewVariant) }}},
		estimateFields("new", "new_", func(b *row) result.Estimate { return b.New }),
		[]field[row]{
			{"ratio", func(b *row) string { return number(b.Change.Ratio) }},
			{"ratio_lo", func(b *row) string { return number(b.Change.Lo) }},
			{"ratio_hi", func(b *row) string { return number(b.Change.Hi) }},
			{"difference", func(b *row) string {
				if b.Change.Difference == nil {
					return ""
				}
				return number(b.Change.Difference.Center)
			}},
			{"p", func(b *row) string { return pointer(b.P) }},
			{"p_holm", func(b *row) string { return pointer(b.PHolm) }},
			{"verdict", func(b *row) string { return string(b.Verdict) }},
			{"exact", func(b *row) string { return strconv.FormatBool(b.Exact) }},
			{"rounds", func(b *row) string { return strconv.Itoa(b.Rounds) }},
			{"blocks", func(b *row) string { return strconv.Itoa(b.Blocks) }},
			{"seconds", func(b *row) string { return number(b.Seconds) }},
			{"needed", func(b *row) string { return positive(float64(b.Needed)) }},
			{"detectable", func(b *row) string { return positive(b.Detectable) }},
			{"reason", func(b *row) string { return b.Reason }},
			{"old_bytes", func(b *row) string { return positive(b.OldBytes) }},
			{"new_bytes", func(b *row) string { return positive(b.NewBytes) }},
		},
	)
}

func measuredFields() []field[result.Measurement] {
	type row = result.Measurement
	return slices.Concat(
		[]field[row]{
			{"pkg", func(m *row) string { return m.Pkg }},
			{"name", func(m *row) string { return cmp.Or(m.Row, m.Name) }},
			{"procs", func(m *row) string { return strconv.Itoa(m.Procs) }},
			{"unit", func(m *row) string { return m.Unit }},
		},
		estimateFields("value", "", func(m *row) result.Estimate { return m.Value }),
		[]field[row]{
			{"raw", func(m *row) string { return number(m.Raw) }},
			{"overhead_lo", func(m *row) string { return number(m.Overhead.Lo) }},
			{"overhead_hi", func(m *row) string { return number(m.Overhead.Hi) }},
			{"spread", func(m *row) string { return number(m.Spread) }},
			{"band", func(m *row) string { return m.Band }},
			{"exact", func(m *row) string { return strconv.FormatBool(m.Exact) }},
			{"rounds", func(m *row) string { return strconv.Itoa(m.Rounds) }},
			{"blocks", func(m *row) string { return strconv.Itoa(m.Blocks) }},
			{"seconds", func(m *row) string { return number(m.Seconds) }},
			{"bytes", func(m *row) string { return positive(m.Bytes) }},
			{"failed", func(m *row) string { return m.Failed }},
		},
	)
}

// configKeys returns the keys that any of n rows has, sorted.
func configKeys(n int, config func(int) map[string]string) []string {
	seen := make(map[string]string)
	for i := range n {
		for k := range config(i) {
			seen[k] = ""
		}
	}
	return words.Keys(seen)
}

func number(v float64) string {
	if !words.Known(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// positive formats a number that is 0 if it is unknown.
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
