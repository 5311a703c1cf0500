package report

import (
	"encoding/csv"
	"io"
	"strconv"

	"github.com/tarebench/tare/internal/result"
)

// CSV writes a comparison as one flat table with a header: a row per
// benchmark, unit and pair of variants, numbers unrounded and in base units,
// unknown numbers empty.
func CSV(w io.Writer, c *result.Comparison) error {
	shown := configKeys(len(c.Benchmarks), func(i int) map[string]string { return c.Benchmarks[i].Config })
	o := csv.NewWriter(w)
	header := append(shown[:len(shown):len(shown)], "pkg", "name", "procs", "unit",
		"old_label", "old", "old_lo", "old_hi", "old_n", "new_label", "new", "new_lo", "new_hi", "new_n",
		"ratio", "ratio_lo", "ratio_hi", "difference", "p", "p_bh", "p_holm", "verdict", "exact", "rounds", "blocks", "seconds", "needed", "detectable")
	o.Write(header)
	for i := range c.Benchmarks {
		b := &c.Benchmarks[i]
		row := make([]string, 0, len(header))
		for _, k := range shown {
			row = append(row, b.Config[k])
		}
		row = append(row, b.Pkg, csvName(b.Key, b.Row), strconv.Itoa(b.Procs), b.Unit)
		row = append(row, label(c.Variants, b.OldVariant))
		row = append(row, estimateFields(b.Old)...)
		row = append(row, label(c.Variants, b.NewVariant))
		row = append(row, estimateFields(b.New)...)
		difference := ""
		if b.Change.Difference != nil {
			difference = number(b.Change.Difference.Center)
		}
		row = append(row, number(b.Change.Ratio), number(b.Change.Lo), number(b.Change.Hi), difference,
			pointer(b.P), pointer(b.PBH), pointer(b.PHolm), string(b.Verdict), strconv.FormatBool(b.Exact),
			strconv.Itoa(b.Rounds), strconv.Itoa(b.Blocks), number(b.Seconds), strconv.Itoa(b.Needed), number(b.Detectable))
		o.Write(row)
	}
	o.Flush()
	return o.Error()
}

// RunCSV writes a run as one flat table with a header: a row per benchmark
// and unit.
func RunCSV(w io.Writer, r *result.Run) error {
	shown := configKeys(len(r.Benchmarks), func(i int) map[string]string { return r.Benchmarks[i].Config })
	o := csv.NewWriter(w)
	header := append(shown[:len(shown):len(shown)], "pkg", "name", "procs", "unit", "value", "lo", "hi", "n", "raw",
		"overhead_lo", "overhead_hi", "spread", "band", "exact", "rounds", "blocks", "seconds", "failed")
	o.Write(header)
	for i := range r.Benchmarks {
		m := &r.Benchmarks[i]
		row := make([]string, 0, len(header))
		for _, k := range shown {
			row = append(row, m.Config[k])
		}
		row = append(row, m.Pkg, csvName(m.Key, m.Row), strconv.Itoa(m.Procs), m.Unit)
		row = append(row, estimateFields(m.Value)...)
		row = append(row, number(m.Raw), number(m.Overhead.Lo), number(m.Overhead.Hi), number(m.Spread), m.Band,
			strconv.FormatBool(m.Exact), strconv.Itoa(m.Rounds), strconv.Itoa(m.Blocks), number(m.Seconds), m.Failed)
		o.Write(row)
	}
	o.Flush()
	return o.Error()
}

// configKeys are the keys that any of n rows has, sorted.
func configKeys(n int, config func(int) map[string]string) []string {
	seen := make(map[string]string)
	for i := range n {
		for k := range config(i) {
			seen[k] = ""
		}
	}
	return sortedKeys(seen)
}

func csvName(k result.Key, row string) string {
	if row != "" {
		return row
	}
	return k.Name
}

func estimateFields(e result.Estimate) []string {
	return []string{number(e.Center), number(e.Lo), number(e.Hi), strconv.Itoa(e.N)}
}

func number(v float64) string {
	if !known(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

func pointer(p *float64) string {
	if p == nil {
		return ""
	}
	return number(*p)
}
