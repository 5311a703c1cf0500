package report

import (
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/words"
)

type style string

const (
	plainStyle style = ""
	bold       style = "\x1b[1m"
	dim        style = "\x1b[2m"
	green      style = "\x1b[32m"
	red        style = "\x1b[31m"
	yellow     style = "\x1b[33m"
)

// column is one column of a text table. Each cell is a list of parts. Each part
// is aligned with the same parts of the other cells, so that digits, units and
// ± line up.
type column struct {
	header string
	// parts has the alignment of each part: 'r' or 'l'.
	parts string
	// headerRight puts the header over the right edge.
	headerRight bool
	// number aligns a Markdown column right if headerRight does not. Markdown
	// omits a detail column.
	number, detail bool
	// marks go before the cells in Markdown.
	marks []string

	cells  []string // row after row, len(parts) to a row
	styles []style
	widths []int // of the parts
	used   bool
}

func (c *column) add(s style, parts ...string) {
	if c.widths == nil {
		c.widths = make([]int, len(c.parts))
	}
	for i := range c.parts {
		p := ""
		if i < len(parts) {
			p = words.Printable(parts[i])
		}
		c.cells = append(c.cells, p)
		c.widths[i] = max(c.widths[i], words.Columns(p))
		c.used = c.used || strings.TrimSpace(p) != ""
	}
	c.styles = append(c.styles, s)
}

func reserve(n int, all ...*column) {
	for _, c := range all {
		c.cells = make([]string, 0, n*len(c.parts))
		c.styles = make([]style, 0, n)
	}
}

func (c *column) width() int {
	w := 0
	for _, p := range c.widths {
		w += p
	}
	return max(w, words.Columns(words.Printable(c.header)))
}

// limit shortens the only part of the cells to w, or to the least width above it
// that keeps different cells different.
func (c *column) limit(w int) {
	short := make([]string, len(c.cells))
	for ; w < c.widths[0]; w++ {
		names := make(map[string]string)
		distinct := true
		for i, p := range c.cells {
			short[i] = words.Shorten(p, w)
			other, taken := names[short[i]]
			distinct = distinct && (!taken || other == p)
			names[short[i]] = p
		}
		if distinct {
			break
		}
	}
	if w < c.widths[0] {
		c.set(short)
	}
}

func (c *column) set(cells []string) {
	c.cells, c.widths[0] = cells, 0
	for _, p := range cells {
		c.widths[0] = max(c.widths[0], words.Columns(p))
	}
}

// factor removes the path that the first n cells have in common and returns it: all
// up to a slash, and no whole cell. It is empty if there is none.
func (c *column) factor(n int) string {
	if n < 2 {
		return ""
	}
	prefix := c.cells[0]
	for _, p := range c.cells[1:n] {
		for !strings.HasPrefix(p, prefix) {
			prefix = prefix[:strings.LastIndexByte(strings.TrimSuffix(prefix, "/"), '/')+1]
		}
	}
	prefix = prefix[:strings.LastIndexByte(prefix, '/')+1]
	cells := slices.Clone(c.cells)
	for i := range n {
		cells[i] = strings.TrimPrefix(cells[i], prefix)
	}
	c.set(cells)
	return prefix
}

func (c *column) empty(part int) {
	for i := part; i < len(c.cells); i += len(c.parts) {
		c.cells[i] = ""
	}
	c.widths[part] = 0
}

// appendCell appends the cell of a row (−1 is the header) without its trailing
// spaces, and returns their number.
func (c *column) appendCell(line []byte, row int) ([]byte, int) {
	width := c.width()
	if row < 0 {
		header := words.Printable(c.header)
		space := width - words.Columns(header)
		if c.headerRight {
			line = spaces(line, space)
			space = 0
		}
		return append(line, header...), space
	}
	inner := 0
	for _, p := range c.widths {
		inner += p
	}
	pending := 0
	if c.headerRight {
		pending = width - inner
	}
	for i, p := range c.cells[row*len(c.parts):][:len(c.parts)] {
		space := c.widths[i] - words.Columns(p)
		if p == "" {
			pending += space
			continue
		}
		if c.parts[i] == 'r' {
			pending += space
			space = 0
		}
		line = append(spaces(line, pending), p...)
		pending = space
	}
	if !c.headerRight {
		pending += width - inner
	}
	return line, pending
}

func (c *column) text(row int) string {
	return strings.TrimSpace(strings.Join(c.cells[row*len(c.parts):][:len(c.parts)], ""))
}

func spaces(line []byte, n int) []byte {
	for range n {
		line = append(line, ' ')
	}
	return line
}

// grid places columns side by side, two spaces between them. It omits a column
// without content.
func grid(b *strings.Builder, all []*column, color bool) {
	var kept []*column
	rows := 0
	for _, c := range all {
		if c.used {
			kept = append(kept, c)
			rows = max(rows, len(c.styles))
		}
	}
	var line []byte
	for row := -1; row < rows && len(kept) > 0; row++ {
		line = line[:0]
		pending := 0
		for i, c := range kept {
			if i > 0 {
				pending += 2
			}
			s := dim
			if row >= 0 {
				s = c.styles[row]
			}
			mark := len(line)
			line = spaces(line, pending)
			start := len(line)
			if color && s != plainStyle {
				line = append(line, s...)
			}
			content := len(line)
			line, pending = c.appendCell(line, row)
			if len(line) == content { // empty: no color, and the spaces wait
				pending += start - mark
				line = line[:mark]
			} else if color && s != plainStyle {
				line = append(line, "\x1b[0m"...)
			}
		}
		b.Write(line)
		b.WriteByte('\n')
	}
}

// wrap makes s printable and breaks it at spaces so that no line is longer than w
// columns. Later lines begin with indent. w = 0 never breaks.
func wrap(s string, w int, indent string) string {
	s = words.Printable(s)
	if w <= words.Columns(indent)+20 {
		return s
	}
	var b strings.Builder
	n := 0
	for i, word := range strings.Fields(s) {
		switch {
		case i == 0:
		case n+1+words.Columns(word) > w:
			b.WriteString("\n" + indent)
			n = words.Columns(indent)
		default:
			b.WriteByte(' ')
			n++
		}
		b.WriteString(word)
		n += words.Columns(word)
	}
	return b.String()
}
