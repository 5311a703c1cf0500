package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/tarebench/tare/internal/result"
)

// runSection is one table of a run: one configuration, package and unit.
type runSection struct {
	config map[string]string
	pkg    string
	unit   string
	rows   []*result.Measurement
}

func runSections(r *result.Run) []*runSection {
	type place struct{ config, pkg, unit string }
	index := make(map[place]*runSection)
	var groups [][]*runSection
	group := make(map[string]int)
	for i := range r.Benchmarks {
		m := &r.Benchmarks[i]
		k := place{configKey(m.Config), m.Pkg, m.Unit}
		s := index[k]
		if s == nil {
			s = &runSection{config: m.Config, pkg: m.Pkg, unit: m.Unit}
			index[k] = s
			g, ok := group[k.config+"\x00"+k.pkg]
			if !ok {
				g = len(groups)
				group[k.config+"\x00"+k.pkg] = g
				groups = append(groups, nil)
			}
			groups[g] = append(groups[g], s)
		}
		s.rows = append(s.rows, m)
	}
	var all []*runSection
	for _, g := range groups {
		all = append(all, g...)
	}
	return all
}

// RunText writes a run as tables for a terminal: one per package and unit,
// then what deserves a word.
func RunText(w io.Writer, r *result.Run, o Options) error {
	t := &textWriter{o: o}
	t.config(r.Config)
	var last *section
	for _, s := range runSections(r) {
		here := &section{config: s.config, pkg: s.pkg, unit: s.unit}
		t.heading(last, here, r.Variants)
		t.runTable(s)
		last = here
	}
	if last == nil {
		t.line("Nothing was measured.")
	}
	t.narrow()
	if r.Incomplete {
		t.line(t.paint(yellow, "Interrupted: these are the blocks that were finished."))
	}
	t.notes(runNotes(r))
	if r.Folder != "" {
		t.line("Kept in " + printable(r.Folder))
	}
	return t.flush(w)
}

func (t *textWriter) runTable(s *runSection) {
	name := &column{header: printable(s.unit), parts: "l"}
	value := &column{header: "value", parts: "rlr", headerRight: true}
	low := &column{header: "min", parts: "rl", headerRight: true}
	high := &column{header: "max", parts: "rl", headerRight: true}
	band := &column{header: "spread", parts: "rl"}
	overhead := &column{header: "overhead taken off", parts: "rlrl", headerRight: true}
	n := &column{header: "n", parts: "r", headerRight: true}
	cost := &column{header: "took", parts: "rlr", headerRight: true}
	remark := &column{header: "", parts: "l"}
	for _, m := range s.rows {
		name.add(plainStyle, printable(rowName(m.Key, m.Row)))
		if m.Failed != "" {
			for _, c := range []*column{value, low, high, band, overhead, n, cost} {
				c.add(plainStyle)
			}
			remark.add(red, "failed: "+printable(strings.Join(strings.Fields(m.Failed), " ")))
			continue
		}
		sc := scaleOf(m.Unit, m.Value.Center)
		value.add(plainStyle, valueParts(m.Value, sc.Format, sc.Symbol)...)
		low.add(plainStyle, quantileParts(m, "min", sc.Format, sc.Symbol)...)
		high.add(plainStyle, quantileParts(m, "max", sc.Format, sc.Symbol)...)
		if m.Band != "" {
			band.add(bandStyle(m.Band), spreadPercent(m.Spread), " "+printable(m.Band))
		} else {
			band.add(plainStyle)
		}
		if m.Overhead.Hi > 0 {
			o := scaleOf(m.Unit, m.Overhead.Hi)
			overhead.add(plainStyle, o.Format(m.Overhead.Lo), " … ", o.Format(m.Overhead.Hi), " "+o.Symbol)
		} else {
			overhead.add(plainStyle)
		}
		if m.Blocks > 0 {
			n.add(plainStyle)
			cost.add(plainStyle, fmt.Sprint(m.Blocks), blockWord(m.Blocks), gap(seconds(m.Seconds)))
		} else {
			n.add(plainStyle, samples(m.Value.N, m.Value.N))
			cost.add(plainStyle)
		}
		if m.Exact {
			remark.add(dim, "exact")
		} else {
			remark.add(plainStyle)
		}
	}
	all := []*column{name, value, low, high, band, overhead, n, cost, remark}
	t.fit(name, all, cost, low, high, overhead)
	grid(&t.b, all, t.o.Color)
}

func quantileParts(m *result.Measurement, q string, format func(float64) string, symbol string) []string {
	v, ok := m.Quantiles[q]
	if !ok || !known(v) || m.Exact {
		return nil
	}
	return []string{format(v), " " + symbol}
}

func spreadPercent(v float64) string {
	if !known(v) {
		return ""
	}
	return fmt.Sprintf("%.1f%%", v*100)
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
