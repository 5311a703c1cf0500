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
	// code makes the first part of each cell code in Markdown, codeHeader the header.
	code, codeHeader bool
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

// pad adds an empty cell to each column that has none in the last row of the first.
func pad(all []*column) {
	for _, c := range all {
		if len(c.styles) < len(all[0].styles) {
			c.add(plainStyle)
		}
	}
}

// textsOf returns the headers and, row by row, the texts of columns with content.
func textsOf(all []*column) (head []string, rows [][]string) {
	for _, c := range all {
		if !c.used {
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

// inner is the width of the cells, width the one with the header.
func (c *column) inner() (w int) {
	for _, p := range c.widths {
		w += p
	}
	return w
}

func (c *column) width() int { return max(c.inner(), words.Columns(words.Printable(c.header))) }

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

// limitHeaders shortens the headers of columns to the widths of their cells and some
// more, or to the least width above it that keeps different headers different.
func limitHeaders(columns []*column, long []string, more int) {
	for w := 8; ; w++ {
		fits, short := true, make(map[string]string)
		for i, c := range columns {
			c.header = words.Shorten(long[i], max(w, c.inner()+more))
			other, taken := short[c.header]
			fits = fits && (!taken || other == long[i])
			short[c.header] = long[i]
		}
		if fits {
			return
		}
	}
}

func (c *column) set(cells []string) {
	c.cells, c.widths[0] = cells, 0
	for _, p := range cells {
		c.widths[0] = max(c.widths[0], words.Columns(p))
	}
}

// factor removes the path that the first n cells have in common and returns it.
func (c *column) factor(n int) string {
	prefix := CommonPath(c.cells[:n])
	cells := slices.Clone(c.cells)
	for i := range n {
		cells[i] = strings.TrimPrefix(cells[i], prefix)
	}
	c.set(cells)
	return prefix
}

// CommonPath is the path that all names have in common: all up to a slash, and no
// whole name. It is empty if there is none.
func CommonPath(names []string) string {
	if len(names) < 2 {
		return ""
	}
	prefix := names[0]
	for _, p := range names[1:] {
		for !strings.HasPrefix(p, prefix) {
			prefix = prefix[:strings.LastIndexByte(strings.TrimSuffix(prefix, "/"), '/')+1]
		}
	}
	return prefix[:strings.LastIndexByte(prefix, '/')+1]
}

// form moves what the parts of the first n cells have in common, their keys and
// GOMAXPROCS, to a form such as size=#/align=#-8, which it returns. The cells keep
// what differs, as 64/1. It is empty if they have no common key.
func (c *column) form(n int) string {
	if n < 2 {
		return ""
	}
	var rows [][]string
	for _, p := range c.cells[:n] {
		rows = append(rows, strings.Split(p, "/"))
		if len(rows[0]) != len(rows[len(rows)-1]) {
			return ""
		}
	}
	short := make([]string, n)
	var form []string
	for i, part := range rows[0] {
		key, procs := part[:strings.IndexByte(part, '=')+1], part[max(strings.LastIndexByte(part, '-'), 0):]
		same := true
		for _, row := range rows {
			same = same && row[i] == part
			if !strings.HasPrefix(row[i], key) {
				key = ""
			}
			if i+1 < len(row) || !strings.HasSuffix(row[i], procs) || len(procs) == len(part) {
				procs = ""
			}
		}
		if same {
			form = append(form, part)
			continue
		}
		form = append(form, key+"#"+procs)
		for k, row := range rows {
			short[k] = strings.TrimPrefix(short[k]+"/"+strings.TrimSuffix(strings.TrimPrefix(row[i], key), procs), "/")
		}
	}
	if all := strings.Join(form, "/"); strings.Contains(all, "=#") {
		c.set(append(short, c.cells[n:]...))
		return all
	}
	return ""
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
	inner, pending := c.inner(), 0
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

// Lines makes the lines of a message printable and wraps those that are wider than
// a terminal. A width of 0 wraps nothing.
func Lines(message string, width int) string {
	lines := strings.Split(words.PrintableLines(message), "\n")
	for i, line := range lines {
		if words.Columns(line) > width {
			text := strings.TrimLeft(line, " ")
			begin := line[:len(line)-len(text)]
			lines[i] = begin + strings.ReplaceAll(wrap(text, width-len(begin), "  "), "\n", "\n"+begin)
		}
	}
	return strings.Join(lines, "\n")
}

// wrapAfter is [wrap] for text after a head that ends with a space.
func wrapAfter(head, text string, w int, indent string) string {
	taken := strings.Repeat("x", words.Columns(head)-1)
	return strings.TrimPrefix(strings.TrimPrefix(wrap(taken+" "+text, w, indent), taken), " ")
}

// wrap makes s printable and breaks it at spaces, or a long name after a slash, so
// that no line is longer than w columns. Later lines begin with indent. w = 0 never
// breaks.
func wrap(s string, w int, indent string) string {
	s = words.Printable(s)
	if w <= words.Columns(indent)+20 {
		return s
	}
	var b strings.Builder
	n := 0
	for i, word := range strings.Fields(s) {
		space, left := 1, w-words.Columns(indent)
		if i == 0 {
			space = 0
		}
		for word != "" {
			part := word
			for words.Columns(part) > left && strings.Contains(part[:len(part)-1], "/") {
				part = part[:strings.LastIndexByte(part[:len(part)-1], '/')+1]
			}
			switch {
			case n > 0 && n+space+words.Columns(part) > w:
				b.WriteString("\n" + indent)
				n = words.Columns(indent)
			case space > 0:
				b.WriteByte(' ')
				n++
			}
			b.WriteString(part)
			n += words.Columns(part)
			word, space = word[len(part):], 0
		}
	}
	return b.String()
}
