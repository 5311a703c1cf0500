package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
	"github.com/tarebench/tare/internal/drawing"
)

func (d Document) curveLines() []string {
	var lines []string
	for _, g := range d.Comparison.Growth {
		var sides []string
		for _, e := range g.Sides {
			sides = append(sides, exponentWords(e))
		}
		line := words.RowName(g.Key, "") + ": " + strings.Join(slices.Compact(sides), " to ")
		if g.Verdict != "" {
			line += ": " + map[result.Verdict]string{result.Slower: "grows faster", result.Faster: "grows slower",
				result.Same: "same growth", result.Undecided: "change of growth undecided"}[g.Verdict]
			if words.Known(g.Change.Lo) {
				line += fmt.Sprintf(" (exponent %+.2f … %+.2f)", g.Change.Lo, g.Change.Hi)
			}
		}
		lines = append(lines, line)
	}
	for _, s := range d.Comparison.Scaling {
		var sides []string
		for _, side := range s.Sides {
			last := len(side.Speedup) - 1
			sides = append(sides, fmt.Sprintf("×%.2f", side.Speedup[last]))
		}
		last := len(s.Procs) - 1
		line := fmt.Sprintf("%s: speed-up %s with %d CPUs for %d, efficiency %s", s.Name, strings.Join(sides, " to "), s.Procs[last], s.Procs[0],
			words.Share(s.Sides[len(sides)-1].Efficiency[last]))
		if s.Verdict != "" {
			line += ": " + map[result.Verdict]string{result.Slower: "scales worse", result.Faster: "scales better",
				result.Same: "scales the same", result.Undecided: "change of scaling undecided"}[s.Verdict]
		}
		lines = append(lines, line)
	}
	return lines
}

func exponentWords(e result.Exponent) string {
	if e.Refused != "" {
		return "no exponent (" + e.Refused + ")"
	}
	s := fmt.Sprintf("n^%.2f", e.K)
	if e.Log {
		s += "·log n"
	}
	return s
}

func curvePicture(w io.Writer, d Document) (bool, error) {
	rows := 0
	all, _ := d.Sections()
	for _, s := range all {
		if s.Unit == "sec/op" {
			rows += s.Rows()
		}
	}
	growth, scaling := d.Comparison.Growth, d.Comparison.Scaling
	variants := d.Comparison.Variants
	label := func(side, v int) string {
		if side == 1 {
			return words.Label(variants, v)
		}
		return words.Label(variants, 0)
	}
	o := drawing.CurveOptions{}
	var lines []drawing.Curve
	switch {
	case len(growth) == 1 && len(growth[0].Sizes) == rows:
		g := growth[0]
		o.Title, o.X, o.Y, o.Unit = words.RowName(g.Key, ""), "n", "time", "sec/op"
		for i, e := range g.Sides {
			lines = append(lines, drawing.Curve{Name: label(i, g.NewVariant) + ": " + exponentWords(e), X: g.Sizes, Y: e.Times, Line: e.Fitted})
		}
	case len(growth) == 0 && len(scaling) == 1 && len(scaling[0].Procs) == rows:
		s := scaling[0]
		o.Title, o.X, o.Y, o.Unit, o.Diagonal = s.Name, "CPUs", "speed-up", "×", true
		for i, side := range s.Sides {
			c := drawing.Curve{Name: label(i, s.NewVariant)}
			for k, e := range side.Speedup {
				c.X, c.Y, c.Line = append(c.X, float64(s.Procs[k])), append(c.Y, e), append(c.Line, e)
			}
			lines = append(lines, c)
		}
	default:
		return false, nil
	}
	return true, drawing.Curves(w, o, lines...)
}
