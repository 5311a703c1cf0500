package report

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

type view struct {
	columns []*column
	// name is the first column, which a narrow terminal shortens. Its first rows
	// are of benchmarks.
	name *column
	rows int
	// without are the columns that a narrow terminal drops, in that order. After
	// them it drops the ± of the variants.
	without, sides []*column
	// verdict is the column of verdicts. brief is the same column in a word:
	// settle lists the cost to settle undecided rows, and a finding the tests.
	verdict, brief *column
	settle         []string
	// evidence are the columns that only a verbose text has.
	evidence []*column
}

// Cells returns the heads and the texts of the table of a section, with its
// mean last. It omits empty columns and columns of a verbose text.
func (d Document) Cells(s *Section) (head []string, rows [][]string) {
	v := tableOf(d.Comparison, s)
	for _, c := range v.evidence {
		c.used = false
	}
	return textsOf(v.columns)
}

// tableOf builds the columns of a section. A run leaves the columns of a change
// empty, and a comparison those of a level. What a run shows at once is the
// evidence of a comparison.
func tableOf(c *result.Comparison, s *Section) *view {
	run := c.IsRun()
	name := &column{header: s.head(), parts: "l"}
	before := &column{header: head(c.Variants, s.OldVariant), parts: "rlr", headerRight: true}
	after := &column{header: head(c.Variants, s.NewVariant), parts: "rlr", headerRight: true}
	rate := &column{header: "rate", parts: "rl", headerRight: true, detail: !run}
	low := &column{header: "min", parts: "rl", headerRight: true, detail: true}
	high := &column{header: "max", parts: "rl", headerRight: true, detail: true}
	band := &column{header: "spread", parts: "rl"}
	orders := &column{header: "all function orders", parts: "rlrl", headerRight: true}
	overhead := &column{header: "overhead subtracted", parts: "rlrl", headerRight: true, detail: true}
	change := &column{header: "change", parts: "rlrlrl", number: true}
	p := &column{header: "p", parts: "r", headerRight: true}
	adjusted := &column{header: "p adj.", parts: "r", headerRight: true}
	n := &column{header: "n", parts: "r", headerRight: true, detail: !run}
	cost := &column{header: "measured", parts: "rlr", headerRight: true, detail: !run}
	verdict, brief := &column{header: "verdict", parts: "l"}, &column{header: "verdict", parts: "l"}
	v := &view{
		columns: []*column{name, before, after, rate, low, high, band, orders, overhead, change, p, adjusted, n, cost, verdict},
		name:    name, rows: len(s.Shown), without: []*column{n, rate, cost, p, adjusted}, sides: []*column{before, after},
		verdict: verdict, brief: brief, evidence: []*column{p, adjusted, cost},
	}
	if run {
		after.header, verdict.header, brief.header = "value", "", ""
		v.without, v.sides, v.evidence = []*column{n, cost, low, high, overhead}, nil, nil
	}
	all := append(v.columns, brief)
	reserve(len(s.Shown)+1, all...)
	for _, b := range s.Shown {
		row := s.label(b.Key, b.Row, b.Unit)
		name.add(plainStyle, row)
		addSides(before, after, b)
		rate.add(plainStyle, rateParts(b.NewBytes, b.New.Center)...)
		addLevel(low, high, band, orders, overhead, b)
		color := verdictStyle(b.Verdict)
		if !run {
			change.add(color, words.ChangeParts(b)...)
			verdict.marks = append(verdict.marks, words.Mark(b.Verdict, b.Reason))
		}
		p.add(plainStyle, words.P(b.P))
		adjusted.add(plainStyle, words.P(b.PHolm))
		text := words.Verdict(b, c.Delta)
		switch {
		case run && b.Exact:
			color, text = dim, "exact"
		case b.Tests == "other":
			text = "not the same work"
		}
		short, _, _ := strings.Cut(strings.NewReplacer(", by less than ", " < ", ", by at least ", " ≥ ").Replace(text), " within ")
		brief.add(color, strings.TrimSuffix(short, ", exactly"))
		if b.Tests != "" && b.Tests != "other" {
			text += "; " + b.Tests + " tests"
		}
		if b.Verdict == result.Undecided && b.Needed > 0 {
			text += "; " + words.Needed(b) + " would settle it"
			v.settle = append(v.settle, fmt.Sprintf("%s (%s)", row, words.Needed(b)))
		}
		if b.Verdict == result.Undecided && b.P != nil && *b.P <= c.Alpha && b.PHolm != nil && *b.PHolm > c.Alpha {
			text += "; p adj. " + words.P(b.PHolm)
		}
		if b.PAssumes != "" {
			text += "; p assumes " + b.PAssumes
		}
		if l := b.LongRuns; l != nil && l.CPU != nil {
			text += "; CPU time " + words.Range(l.CPU.Lo-1, l.CPU.Hi-1)
		}
		sides := []*result.RuntimeCounts{b.OldRuntime, b.NewRuntime}
		if run {
			sides = sides[1:]
		}
		if of := words.Collections(sides...); of != "" && b.Blocks > 0 {
			text = strings.TrimPrefix(text+"; "+of, "; ")
		}
		verdict.add(color, text)
		cost.add(plainStyle, words.Cost(b.Blocks, b.Seconds)...)
		if b.Blocks == 0 {
			n.add(plainStyle, words.Samples(b.Old.N, b.New.N))
		}
		pad(all)
	}
	if mean, ok := meanOfFile(s); ok && run {
		name.add(dim, "geometric mean")
		after.add(dim, words.ValueParts(words.Bare(mean), words.Scale(s.Unit, mean))...)
		pad(all)
	}
	if g := s.Mean; g != nil && g.N > 1 {
		name.add(dim, words.MeanName(g, s.Rows()))
		sc := words.Scale(g.Unit, g.Old, g.New)
		before.add(dim, words.ValueParts(words.Bare(g.Old), sc)...)
		after.add(dim, words.ValueParts(words.Bare(g.New), sc)...)
		change.add(dim, words.ChangeParts(&result.BenchmarkComparison{Unit: g.Unit, Change: g.Change})...)
		pad(all)
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

func addLevel(low, high, band, orders, overhead *column, b *result.BenchmarkComparison) {
	sc := words.Scale(b.Unit, b.New.Center)
	low.add(plainStyle, words.QuantileParts(b, "min", sc)...)
	high.add(plainStyle, words.QuantileParts(b, "max", sc)...)
	if b.Band != "" {
		band.add(bandStyle(b.Band), words.Share(b.Spread), " "+b.Band)
	}
	if o := b.OtherOrders; o != nil {
		orders.add(plainStyle, sc.Format(min(o.Lo, b.New.Center)), " … ", sc.Format(max(o.Hi, b.New.Center)), " "+sc.Symbol)
	}
	if b.Overhead.Hi > 0 {
		o := words.Scale(b.Unit, b.Overhead.Hi)
		overhead.add(plainStyle, o.Format(b.Overhead.Lo), " … ", o.Format(b.Overhead.Hi), " "+o.Symbol)
	}
}

// meanOfFile is the geometric mean of the values of a file, if all are positive.
// The levels of tare run are of one function order each, and have none.
func meanOfFile(s *Section) (mean float64, ok bool) {
	sum := 0.0
	for _, b := range s.Shown {
		if b.Blocks > 0 || !(b.New.Center > 0) {
			return 0, false
		}
		sum += math.Log(b.New.Center)
	}
	return math.Exp(sum / float64(len(s.Shown))), len(s.Shown) > 1 && s.Benchmark == ""
}

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
	case "unstable", "busy":
		return yellow
	}
	return plainStyle
}
