package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
)

// TestOrderAndFolding: rows come in source order, rows that need no reading are
// one line, and nothing is lost: every row is shown, folded or absent.
func TestOrderAndFolding(t *testing.T) {
	c := &result.Comparison{Delta: 0.02, Variants: []result.Variant{{Label: "main"}, {Label: "."}}}
	add := func(name, unit string, v result.Verdict, exact bool) {
		e := result.Estimate{Center: 1, Lo: 1, Hi: 1, N: 8}
		c.Benchmarks = append(c.Benchmarks, result.BenchmarkComparison{Key: result.Key{Name: name}, Unit: unit, NewVariant: 1, Old: e, New: e, Verdict: v, Exact: exact,
			Change: result.Change{Ratio: 1, Lo: 1, Hi: 1}, Blocks: 8})
	}
	for i := range 12 {
		add(fmt.Sprint("Same", i), "sec/op", result.Same, false)
		add(fmt.Sprint("Same", i), "B/op", result.Same, true)
		add(fmt.Sprint("Same", i), "allocs/op", result.Same, i > 0)
		if i < 2 {
			add(fmt.Sprint("Same", i), "widgets/op", result.Same, true)
		}
	}
	add("Open", "sec/op", result.Undecided, false)
	add("Fast", "sec/op", result.Faster, false)
	add("Fast", "widgets/op", result.Faster, true)
	add("Slow", "sec/op", result.Slower, false)
	add("Broken", "sec/op", result.Failed, false)
	add("Skips", "sec/op", result.Skipped, false)
	c.Benchmarks[len(c.Benchmarks)-1].Findings = []finding.Finding{catalog.Skipped.Of("Skips", finding.Text("why", "net_test.go:9: needs a network\nand a server"))}
	d := Document{Comparison: c}
	all, _ := d.Sections()
	var got []string
	for _, s := range all {
		for _, b := range s.Shown {
			got = append(got, b.Name)
		}
		got = append(got, s.FoldedWords(c.Delta))
	}
	want := []string{"Open", "Fast", "Slow", "Broken", "12 more rows same within 2%: Same0, Same1, Same2 and 9 more",
		"B/op: identical in all 12 rows", "allocs/op: same within 2% in all 12 rows",
		"Fast", "2 more rows identical: Same0, Same1"}
	if !slices.Equal(got, want) {
		t.Errorf("sections show\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if absent := d.Absent(); len(absent) != 1 || absent[0].Text != "1 benchmark skipped (net_test.go:9: needs a network): Skips" {
		t.Errorf("absent: %v", absent)
	}
	if n := len(d.Rows()); n != len(c.Benchmarks)-1 { // not the skipped one
		t.Errorf("%d rows of their own, want %d", n, len(c.Benchmarks)-1)
	}
}

// TestRatesOfFilesAreAColumn: B/s of a timed benchmark is the bytes of its row of
// time. B/s of any other benchmark is a row.
func TestRatesOfFilesAreAColumn(t *testing.T) {
	value := func(v float64) result.Estimate { return result.Estimate{Center: v, Lo: v, Hi: v, N: 8} }
	row := func(name, unit string, old, new float64, v result.Verdict) result.BenchmarkComparison {
		return result.BenchmarkComparison{Key: result.Key{Name: name}, Unit: unit, NewVariant: 1, Old: value(old), New: value(new), Verdict: v}
	}
	c := &result.Comparison{
		Benchmarks: []result.BenchmarkComparison{row("A", "sec/op", 2e-6, 1e-6, result.Faster), row("A", "B/s", 512e6, 1024e6, result.Faster), row("Untimed", "B/s", 1, 2, result.Faster)},
		Summary:    result.Summary{Faster: 3},
	}
	foldRates(c)
	if len(c.Benchmarks) != 2 || c.Benchmarks[0].OldBytes != 1024 || c.Benchmarks[0].NewBytes != 1024 || c.Benchmarks[1].Name != "Untimed" {
		t.Errorf("rows %+v", c.Benchmarks)
	}
	r := &result.Comparison{Benchmarks: []result.BenchmarkComparison{{Key: result.Key{Name: "A"}, Unit: "sec/op", New: value(1e-6)}, {Key: result.Key{Name: "A"}, Unit: "B/s", New: value(1024e6)}}}
	foldRates(r)
	if len(r.Benchmarks) != 1 || r.Benchmarks[0].NewBytes != 1024 {
		t.Errorf("measurements %+v", r.Benchmarks)
	}
	if got := strings.Join(rateParts(1024, 1e-6), ""); got != "976.6 MiB/s" {
		t.Errorf("the rate is %s", got)
	}
}

// TestUnitsAsRows: a benchmark with percentiles is one table of its units, in
// their order, and the greatest changes can come first.
func TestUnitsAsRows(t *testing.T) {
	c := &result.Comparison{Delta: 0.02, Variants: []result.Variant{{Label: "main"}, {Label: "."}}}
	for _, name := range []string{"Get", "Put"} {
		for i, unit := range []string{"sec/op", "B/op", "max-sec/op", "p50-sec/op", "p99-sec/op", "p99.9-sec/op", "p90-sec/op"} {
			e := result.Estimate{Center: 1, Lo: 1, Hi: 1, N: 8}
			ratio := 1 + float64(i+1)/10
			c.Benchmarks = append(c.Benchmarks, result.BenchmarkComparison{Key: result.Key{Name: name}, Unit: unit, NewVariant: 1, Old: e, New: e,
				Verdict: result.Slower, Change: result.Change{Ratio: ratio, Lo: ratio, Hi: ratio}, Blocks: 8})
		}
	}
	units := func(d Document) (got []string) {
		all, _ := d.readable()
		for _, s := range all {
			got = append(got, s.head())
			for _, b := range s.Shown {
				got = append(got, s.label(b.Key, b.Row, b.Unit))
			}
		}
		return got
	}
	rows := []string{"sec/op", "p50-sec/op", "p90-sec/op", "p99-sec/op", "p99.9-sec/op", "max-sec/op", "B/op"}
	if got, want := units(Document{Comparison: c}), slices.Concat([]string{"Get"}, rows, []string{"Put"}, rows); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	var tables []string
	sections, _ := Document{Comparison: c}.Sections()
	for _, s := range sections {
		tables = append(tables, s.Unit)
	}
	if want := []string{"sec/op", "B/op", "p50-sec/op", "p90-sec/op", "p99-sec/op", "p99.9-sec/op", "max-sec/op"}; !slices.Equal(tables, want) {
		t.Errorf("tables of %q, want %q", tables, want)
	}
	few := *c
	few.Benchmarks = slices.DeleteFunc(slices.Clone(c.Benchmarks), func(b result.BenchmarkComparison) bool { return strings.HasPrefix(b.Unit, "p") })
	if got, want := units(Document{Comparison: &few}), []string{"sec/op", "Get", "Put", "B/op", "Get", "Put", "max-sec/op", "Get", "Put"}; !slices.Equal(got, want) {
		t.Errorf("few units: got %q, want %q", got, want)
	}
	if first := (Document{Comparison: c, ByChange: true}).Rows()[0]; first.Unit != "p90-sec/op" {
		t.Errorf("the greatest change is %s", first.Unit)
	}
}

// TestRangeOfOrdersHasTheValue: the range beside a value contains it, also if the
// other function orders are all slower.
func TestRangeOfOrdersHasTheValue(t *testing.T) {
	c := &result.Comparison{Variants: []result.Variant{{Label: "."}}, Benchmarks: []result.BenchmarkComparison{{
		Key: result.Key{Name: "X"}, Unit: "sec/op", New: result.Estimate{Center: 1e-6, Lo: 0.99e-6, Hi: 1.01e-6, N: 8}, Blocks: 8,
	}}}
	c.Benchmarks[0].OtherOrders = &result.Interval{Lo: 8e-6, Hi: 11e-6}
	var b strings.Builder
	if err := Text(&b, Document{Comparison: c}, Options{}); err != nil {
		t.Fatal(err)
	}
	if text := b.String(); !strings.Contains(text, "1.000 … 11.000 µs") || strings.Contains(text, "8.000") {
		t.Errorf("the range does not contain 1 µs:\n%s", text)
	}
}
