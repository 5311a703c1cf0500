package report

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// layout places cells that may span columns, as benchstat does. Every column is
// as wide as its widest cell. If a spanning cell is wider than its columns,
// they share the rest, the narrower first, except those kept narrow.
type layout struct {
	cells   []layoutCell
	narrow  map[int]bool
	rows    int
	columns int
}

type layoutCell struct {
	row, column, span int
	text, margin      string
	align             alignment
}

type alignment int

const (
	left alignment = iota
	center
	right
)

func (l *layout) row() { l.rows++ }

// at adds a cell to the current row. The margin is left of the text. An empty
// text has one only if the margin is visible.
func (l *layout) at(column, span int, text string, align alignment, margin string) {
	l.columns = max(l.columns, column+span)
	if text == "" && strings.TrimSpace(margin) == "" {
		return
	}
	l.cells = append(l.cells, layoutCell{l.rows - 1, column, span, text, margin, align})
}

func (l *layout) keepNarrow(column int) {
	if l.narrow == nil {
		l.narrow = make(map[int]bool)
	}
	l.narrow[column] = true
}

func (l *layout) write(b *strings.Builder) {
	margins := make([]int, l.columns)
	for _, c := range l.cells {
		margins[c.column] = max(margins[c.column], utf8.RuneCountInString(c.margin))
	}
	offsets := l.offsets(margins)
	row, at := 0, 0
	for _, c := range l.cells {
		for ; row < c.row; row++ {
			b.WriteByte('\n')
			at = 0
		}
		pad(b, offsets[c.column]-at)
		pad(b, margins[c.column]-utf8.RuneCountInString(c.margin))
		b.WriteString(c.margin)
		room := offsets[c.column+c.span] - offsets[c.column] - margins[c.column]
		n := utf8.RuneCountInString(c.text)
		indent := 0
		switch c.align {
		case center:
			indent = max(0, (room-n)/2)
		case right:
			indent = max(0, room-n)
		}
		pad(b, indent)
		b.WriteString(c.text)
		at = offsets[c.column] + margins[c.column] + indent + n
	}
	if len(l.cells) > 0 {
		b.WriteByte('\n')
	}
}

func pad(b *strings.Builder, n int) { b.WriteString(strings.Repeat(" ", max(0, n))) }

// offsets are the places where the columns' margins begin, and the width of the
// whole.
func (l *layout) offsets(margins []int) []int {
	widths := make([]int, l.columns)
	var spanning []layoutCell
	for _, c := range l.cells {
		if c.span == 1 {
			widths[c.column] = max(widths[c.column], utf8.RuneCountInString(c.text)+margins[c.column])
		} else {
			spanning = append(spanning, c)
		}
	}
	slices.SortStableFunc(spanning, func(a, b layoutCell) int { return a.span - b.span })
	for _, c := range spanning {
		need := utf8.RuneCountInString(c.text) + margins[c.column]
		have := 0
		var grow []int
		for k := c.column; k < c.column+c.span; k++ {
			have += widths[k]
			if l.narrow[k] {
				need -= widths[k]
				have -= widths[k]
			} else {
				grow = append(grow, k)
			}
		}
		if have >= need {
			continue
		}
		// The widest first: one that is wide enough leaves the rest to the
		// others.
		slices.SortFunc(grow, func(a, b int) int { return widths[b] - widths[a] })
		for i, k := range grow {
			rest := len(grow) - i
			widths[k] = max(widths[k], (need+rest-1)/rest)
			need -= widths[k]
		}
	}
	offsets := make([]int, l.columns+1)
	for i, w := range widths {
		offsets[i+1] = offsets[i] + w
	}
	return offsets
}
