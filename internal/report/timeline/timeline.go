// Package timeline writes a history as a page: one file that needs no network,
// with the curve of every benchmark, its intervals and its changes.
//
// The pipeline: a report.History becomes rows and the numbers of the curves,
// these an HTML file with its style and script. The tables are readable
// without JavaScript; the script draws the curves.
package timeline

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"

	"github.com/tarebench/tare/internal/report"
)

var (
	//go:embed assets/timeline.css
	style string
	//go:embed assets/timeline.js
	script string
	//go:embed assets/timeline.html
	text string
)

var body = template.Must(template.New("timeline").Parse(text))

// Write writes the page. Remote is the address of the repository as git has
// it; where it is that of a web site, commits link to it.
func Write(w io.Writer, h report.History, remote string) error {
	p := newPage(h, site(remote))
	numbers, err := json.Marshal(p.numbers) // escapes <, > and &
	if err != nil {
		return fmt.Errorf("write history page: %w", err)
	}
	// The policy lists hashes, so neither markup in a name nor a file next to
	// the page can run or load anything.
	policy := "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; style-src '" + hashOf(style) + "'; script-src '" + hashOf(script) + "'"
	out := &errorWriter{w: w}
	io.WriteString(out, `<!doctype html><html lang="en"><head><meta charset="utf-8">`+
		`<meta http-equiv="Content-Security-Policy" content="`+policy+`">`+
		`<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark">`+
		`<meta name="generator" content="tare"><link rel="icon" href="data:,"><title>`+template.HTMLEscapeString(p.Title)+`</title><style>`+style+"</style></head>\n")
	if err := body.Execute(out, p); err != nil {
		return fmt.Errorf("write history page: %w", err)
	}
	fmt.Fprintf(out, "<script type=\"application/json\" id=\"numbers\">%s</script>\n<script>%s</script>\n</body></html>\n", numbers, script)
	if out.err != nil {
		return fmt.Errorf("write history page: %w", out.err)
	}
	return nil
}

func hashOf(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// errorWriter keeps the first error.
type errorWriter struct {
	w   io.Writer
	err error
}

func (e *errorWriter) Write(b []byte) (int, error) {
	if e.err != nil {
		return 0, e.err
	}
	_, e.err = e.w.Write(b)
	return len(b), e.err
}
