// Package timeline writes a history as a page: one file that needs no network,
// with the curve of every benchmark, its intervals and its changes.
//
// The pipeline: a report.History becomes rows and the numbers of the curves,
// these an HTML file with its style and script. The tables are readable
// without JavaScript; the script draws the curves.
package timeline

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"sync"

	"github.com/tarebench/tare/cmd/tare/internal/report"
	"github.com/tarebench/tare/cmd/tare/internal/report/webpage"
)

var (
	//go:embed assets/timeline.css
	style string
	//go:embed assets/timeline.js
	script string
	//go:embed assets/timeline.html
	text string
)

var body = sync.OnceValue(func() *template.Template { return template.Must(template.New("timeline").Parse(text)) })

// Write writes the page. Remote is the address of the repository as git has
// it; where it is that of a web site, commits link to it.
func Write(w io.Writer, h report.History, remote string) error {
	p := newPage(h, site(remote))
	numbers, err := json.Marshal(p.numbers) // escapes <, > and &
	if err != nil {
		return fmt.Errorf("write history page: %w", err)
	}
	frame := webpage.Page{Title: p.Title, Style: style, Scripts: []string{script}}
	err = frame.Write(w, func(w io.Writer) error {
		if err := body().Execute(w, p); err != nil {
			return err
		}
		_, err := fmt.Fprintf(w, "<script type=\"application/json\" id=\"numbers\">%s</script>\n", numbers)
		return err
	})
	if err != nil {
		return fmt.Errorf("write history page: %w", err)
	}
	return nil
}
