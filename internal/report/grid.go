package report

import (
	"strings"
)

// style is an ANSI colour, empty for none.
type style string

const (
	plainStyle style = ""
	bold       style = "\x1b[1m"
	dim        style = "\x1b[2m"
	green      style = "\x1b[32m"
	red        style = "\x1b[31m"
	yellow     style = "\x1b[33m"
)

// column is one column of a text table. Each cell is a list of parts that are
// aligned with the same parts of the other cells, so that digits, units and ±
// stand in line.
type column struct {
	header string
	// parts says how each part is aligned: 'r' or 'l'.
	parts  string
	cells  [][]string
	styles []style
	// headerRight puts the header over the right edge.
	headerRight bool
}

// add appends a cell; one without parts is empty.
func (c *column) add(s style, parts ...string) {
	c.cells = append(c.cells, parts)
	c.styles = append(c.styles, s)
}

func (c *column) empty() bool {
	for _, cell := range c.cells {
		if strings.TrimSpace(strings.Join(cell, "")) != "" {
			return false
		}
	}
	return true
}

// lines renders the header and the cells, all of one width.
func (c *column) lines() []string {
	widths := make([]int, len(c.parts))
	for _, cell := range c.cells {
		for i, p := range cell {
			widths[i] = max(widths[i], columns(p))
		}
	}
	out := []string{c.header}
	most := columns(c.header)
	for _, cell := range c.cells {
		var b strings.Builder
		for i := range widths {
			p := ""
			if i < len(cell) {
				p = cell[i]
			}
			space := strings.Repeat(" ", widths[i]-columns(p))
			if c.parts[i] == 'r' {
				b.WriteString(space + p)
			} else {
				b.WriteString(p + space)
			}
		}
		out = append(out, b.String())
		most = max(most, columns(b.String()))
	}
	for i, l := range out {
		space := strings.Repeat(" ", most-columns(l))
		if c.headerRight {
			out[i] = space + l
		} else {
			out[i] = l + space
		}
	}
	return out
}

// grid lays columns side by side, two spaces between them.
func grid(all []*column, color bool) string {
	var texts [][]string
	var kept []*column
	for _, c := range all {
		if c.empty() {
			continue
		}
		kept = append(kept, c)
		texts = append(texts, c.lines())
	}
	if len(kept) == 0 {
		return ""
	}
	var b strings.Builder
	for row := range texts[0] {
		var line strings.Builder
		for i, c := range kept {
			cell := texts[i][row]
			if i > 0 {
				line.WriteString("  ")
			}
			s := dim
			if row > 0 {
				s = c.styles[row-1]
			}
			if last := i == len(kept)-1; last {
				cell = strings.TrimRight(cell, " ")
			}
			if color && s != plainStyle && strings.TrimSpace(cell) != "" {
				line.WriteString(string(s) + cell + "\x1b[0m")
			} else {
				line.WriteString(cell)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " "))
		b.WriteByte('\n')
	}
	return b.String()
}

// wrap breaks s at spaces so that no line is longer than w columns; later
// lines begin with indent. w = 0 never breaks.
func wrap(s string, w int, indent string) string {
	if w <= columns(indent)+20 {
		return s
	}
	var b strings.Builder
	n := 0
	for i, word := range strings.Fields(s) {
		switch {
		case i == 0:
		case n+1+columns(word) > w:
			b.WriteString("\n" + indent)
			n = columns(indent)
		default:
			b.WriteByte(' ')
			n++
		}
		b.WriteString(word)
		n += columns(word)
	}
	return b.String()
}
