// Package html writes reports and histories as pages of one file.
package html

import (
	_ "embed"
	"fmt"
	"io"

	"github.com/tarebench/tare/cmd/tare/internal/report"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// The report is one file: style, script and uPlot (MIT, assets/uplot-LICENSE.txt)
// are embedded, and the content security policy allows exactly these by hash.
var (
	//go:embed assets/uplot-1.6.32.min.js
	uplotScript string
	//go:embed assets/uplot-1.6.32.min.css
	uplotStyle string
	//go:embed assets/report.css
	reportStyle string
	//go:embed assets/report.js
	reportScript string
)

// Write writes the report: a single file that needs no network, works from
// disk, and is readable without JavaScript.
func Write(w io.Writer, d report.Document) error {
	page := newPage(d)
	style := uplotStyle + reportStyle + page.axis.style() + page.columnStyle()
	f := frame{title: words.Printable(page.Title), style: style, scripts: []string{uplotScript, reportScript}}
	if err := f.write(w, page.body); err != nil {
		return fmt.Errorf("write HTML report: %w", err)
	}
	return nil
}
