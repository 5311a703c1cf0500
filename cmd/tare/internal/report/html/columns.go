package html

import (
	"fmt"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// mostColumn is the widest column, in digits. A longer text ends in an
// ellipsis, and is whole in the details.
const mostColumn = 36

// columnStyle gives every table of the page the same columns, as wide as the
// widest cell. Rows are grids with fixed columns because a browser then lays
// out those in view only (content-visibility, which the cells of a table do
// not take): sorting 1,000 rows takes a fifth of the time.
func (p *page) columnStyle() string {
	var widths []int
	fit := func(i int, header string, cells ...string) {
		for len(widths) <= i {
			widths = append(widths, 4)
		}
		// A header is smaller than a cell, and has an arrow when sorted by.
		widths[i] = max(widths[i], min(24, words.Columns(header)+2))
		for _, c := range cells {
			widths[i] = max(widths[i], min(mostColumn, words.Columns(c)))
		}
	}
	for _, t := range p.Tables {
		for _, r := range t.Rows {
			if p.Compared {
				fit(0, t.Old, r.Old)
				fit(1, t.New, r.New)
				fit(2, "change", r.Change)
				fit(3, "verdict", r.Verdict)
				fit(4, "p", r.P)
			} else {
				fit(0, "value", r.Value)
				fit(1, "interval", r.Interval)
				fit(2, "spread", r.Note)
			}
		}
	}
	const name, padding = 16, 20
	grid := []string{fmt.Sprintf("minmax(%dch,1fr)", name)}
	digits, pixels := name, 0
	for i, w := range widths {
		if p.Compared && i == 3 {
			grid = append(grid, fmt.Sprintf("%dpx", stripWidth+padding))
			pixels += stripWidth + padding
		}
		grid = append(grid, fmt.Sprintf("calc(%dch + %dpx)", w, padding))
		digits, pixels = digits+w, pixels+padding
	}
	return fmt.Sprintf("@media(min-width:701px){.list{min-width:calc(%dch + %dpx)}.list tr{grid-template-columns:%s}}", digits, pixels, strings.Join(grid, " "))
}
