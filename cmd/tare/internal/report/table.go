package report

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// view is a section as columns of cells, for text and Markdown.
type view struct {
	columns []*column
	// name is the first column, which a narrow terminal shortens. Its first rows
	// are of benchmarks.
	name *column
	rows int
	// without are the columns that a narrow terminal drops, in that order. After
	// them it drops the ± of the variants.
	without, sides []*column
	// verdict is the column of verdicts. brief is the same column without notes:
	// settle lists the cost to settle undecided rows, and a finding the tests.
	verdict, brief *column
	settle         []string
	// evidence are the columns that only a verbose text has.
	evidence []*column
}

// table builds the columns of a section.
func (d Document) table(s *Section) *view {
	if d.Comparison != nil {
		return comparedTable(d.Comparison, s)
	}
	return measuredTable(s)
}

// Cells returns the heads and the texts of the table of a section, with its
// mean last. It omits empty columns and columns of a verbose text.
func (d Document) Cells(s *Section) (head []string, rows [][]string) {
	v := d.table(s)
	for _, c := range v.columns {
		if !c.used || slices.Contains(v.evidence, c) {
			continue
		}
		head = append(head, c.header)
		for row := range c.styles {
			if row == len(rows) {
				rows = append(rows, nil)
			}
			rows[row] = append(rows[row], c.text(row))
		}
	}
	return head, rows
}

func comparedTable(c *result.Comparison, s *Section) *view {
	name := &column{header: s.Unit, parts: "l"}
	before := &column{header: head(c.Variants, s.OldVariant), parts: "rlr", headerRight: true}
	after := &column{header: head(c.Variants, s.NewVariant), parts: "rlr", headerRight: true}
	rate := &column{header: "rate", parts: "rl", headerRight: true, detail: true}
	change := &column{header: "change", parts: "rlrlrl", number: true}
	p := &column{header: "p", parts: "r", headerRight: true}
	adjusted := &column{header: "p adj.", parts: "r", headerRight: true}
	n := &column{header: "n", parts: "r", headerRight: true, detail: true}
	cost := &column{header: "measured", parts: "rlr", headerRight: true, detail: true}
	verdict, brief := &column{header: "verdict", parts: "l"}, &column{header: "verdict", parts: "l"}
	v := &view{
		columns: []*column{name, before, after, rate, change, p, adjusted, n, cost, verdict},
		name:    name, rows: len(s.Compared), without: []*column{n, rate, cost, p, adjusted}, sides: []*column{before, after},
		verdict: verdict, brief: brief, evidence: []*column{p, adjusted, cost},
	}
	reserve(len(s.Compared)+1, append(v.columns, brief)...)
	for _, b := range s.Compared {
		row := words.RowName(b.Key, b.Row)
		name.add(plainStyle, row)
		addSides(before, after, b)
		rate.add(plainStyle, rateParts(b.NewBytes, b.New.Center)...)
		color := verdictStyle(b.Verdict)
		change.add(color, words.ChangeParts(b)...)
		p.add(plainStyle, words.P(b.P))
		adjusted.add(plainStyle, words.P(b.PHolm))
		verdict.marks = append(verdict.marks, words.Mark(b.Verdict, b.Reason))
		text := words.Verdict(b, c.Delta)
		brief.add(color, strings.Replace(text, ", by less than ", " < ", 1))
		switch b.Tests {
		case "":
		case "other":
			text += "; not the same work"
		default:
			text += "; " + b.Tests + " tests"
		}
		if b.Verdict == result.Undecided && b.Needed > 0 {
			text += "; " + words.Needed(b) + " would settle it"
			v.settle = append(v.settle, fmt.Sprintf("%s (%s)", row, words.Needed(b)))
		}
		if b.PAssumes != "" {
			text += "; p assumes " + b.PAssumes
		}
		if of := words.Collections(b.OldRuntime, b.NewRuntime); of != "" && b.Blocks > 0 {
			text += "; " + of
		}
		verdict.add(color, text)
		cost.add(plainStyle, words.Cost(b.Blocks, b.Seconds)...)
		if b.Blocks > 0 {
			n.add(plainStyle)
		} else {
			n.add(plainStyle, words.Samples(b.Old.N, b.New.N))
		}
	}
	if g := s.Mean; g != nil && g.N > 1 {
		name.add(dim, words.MeanName(g, s.Rows()))
		sc := words.Scale(g.Unit, g.Old, g.New)
		before.add(dim, words.ValueParts(words.Bare(g.Old), sc)...)
		after.add(dim, words.ValueParts(words.Bare(g.New), sc)...)
		change.add(dim, words.ChangeParts(&result.BenchmarkComparison{Unit: g.Unit, Change: g.Change})...)
		for _, c := range []*column{rate, p, adjusted, verdict, brief, n, cost} {
			c.add(dim)
		}
	}
	return v
}

// head is the head of the column of a variant. A file has its base name, unless
// another variant has the same.
func head(variants []result.Variant, i int) string {
	base := func(i int) string {
		label := words.Label(variants, i)
		if slices.Equal(variants[i].Files, []string{label}) {
			return filepath.Base(label)
		}
		return label
	}
	label := words.Label(variants, i)
	if i >= 0 && i < len(variants) {
		label = base(i)
		for j := range variants {
			if j != i && base(j) == label {
				label = words.Label(variants, i)
			}
		}
	}
	return words.Printable(words.Shorten(label, 28))
}

func measuredTable(s *Section) *view {
	name := &column{header: s.Unit, parts: "l"}
	value := &column{header: "value", parts: "rlr", headerRight: true}
	rate := &column{header: "rate", parts: "rl", headerRight: true}
	low := &column{header: "min", parts: "rl", headerRight: true, detail: true}
	high := &column{header: "max", parts: "rl", headerRight: true, detail: true}
	band := &column{header: "spread", parts: "rl"}
	orders := &column{header: "other function orders", parts: "rlrl", headerRight: true}
	overhead := &column{header: "overhead subtracted", parts: "rlrl", headerRight: true, detail: true}
	n := &column{header: "n", parts: "r", headerRight: true}
	cost := &column{header: "measured", parts: "rlr", headerRight: true}
	remark := &column{header: "", parts: "l"}
	for _, m := range s.Measured {
		name.add(plainStyle, words.RowName(m.Key, m.Row))
		if m.Failed != "" {
			for _, c := range []*column{value, rate, low, high, band, orders, overhead, n, cost} {
				c.add(plainStyle)
			}
			remark.add(red, "failed: "+words.FirstLine(m.Failed))
			continue
		}
		sc := words.Scale(m.Unit, m.Value.Center)
		value.add(plainStyle, words.ValueParts(m.Value, sc)...)
		rate.add(plainStyle, rateParts(m.Bytes, m.Value.Center)...)
		low.add(plainStyle, words.QuantileParts(m, "min", sc)...)
		high.add(plainStyle, words.QuantileParts(m, "max", sc)...)
		if m.Band != "" {
			band.add(bandStyle(m.Band), words.Share(m.Spread), " "+m.Band)
		} else {
			band.add(plainStyle)
		}
		if o := m.OtherOrders; o != nil {
			orders.add(plainStyle, sc.Format(o.Lo), " … ", sc.Format(o.Hi), " "+sc.Symbol)
		} else {
			orders.add(plainStyle)
		}
		if m.Overhead.Hi > 0 {
			o := words.Scale(m.Unit, m.Overhead.Hi)
			overhead.add(plainStyle, o.Format(m.Overhead.Lo), " … ", o.Format(m.Overhead.Hi), " "+o.Symbol)
		} else {
			overhead.add(plainStyle)
		}
		cost.add(plainStyle, words.Cost(m.Blocks, m.Seconds)...)
		if m.Blocks > 0 {
			n.add(plainStyle)
		} else {
			n.add(plainStyle, words.Samples(m.Value.N, m.Value.N))
		}
		if m.Exact {
			remark.add(dim, "exact")
		} else {
			remark.add(plainStyle, words.Collections(m.Runtime))
		}
	}
	return &view{
		columns: []*column{name, value, rate, low, high, band, orders, overhead, n, cost, remark},
		name:    name, rows: len(s.Measured), without: []*column{n, cost, low, high, overhead},
	}
}

// addSides adds the values of a row in one scale.
func addSides(before, after *column, b *result.BenchmarkComparison) {
	scale := words.Scale(b.Unit, b.Old.Center, b.New.Center)
	before.add(plainStyle, words.ValueParts(b.Old, scale)...)
	after.add(plainStyle, words.ValueParts(b.New, scale)...)
}

func verdictStyle(v result.Verdict) style {
	return map[result.Verdict]style{result.Faster: green, result.Slower: red, result.Failed: red, result.Undecided: yellow, result.NotReached: yellow}[v]
}

func bandStyle(band string) style {
	switch band {
	case "good":
		return green
	case "unstable":
		return yellow
	}
	return plainStyle
}
