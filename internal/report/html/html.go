package html

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"

	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/words"
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
	//go:embed assets/report.html
	reportTemplate string
)

var reportPage = template.Must(template.New("report").Parse(reportTemplate))

// Write writes the report: a single file that needs no network, works from
// disk, and is readable without JavaScript.
func Write(w io.Writer, d report.Document) error {
	page := newPage(d)
	style := uplotStyle + reportStyle + page.axis.style() + page.columnStyle()
	// The policy lists hashes, so neither markup in a name nor a file next to
	// the report can run or load anything.
	policy := "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; style-src '" + hashOf(style) +
		"'; script-src '" + hashOf(uplotScript) + "' '" + hashOf(reportScript) + "'"
	head := `<!doctype html><html lang="en"><head><meta charset="utf-8">` +
		`<meta http-equiv="Content-Security-Policy" content="` + policy + `">` +
		`<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark">` +
		`<meta name="generator" content="tare"><link rel="icon" href="data:,"><title>` + template.HTMLEscapeString(words.Printable(page.Title)) +
		`</title><style>` + style + `</style></head>` + "\n"
	out := &errorWriter{w: w}
	io.WriteString(out, head)
	if err := reportPage.Execute(out, page); err != nil {
		return fmt.Errorf("write HTML report: %w", err)
	}
	io.WriteString(out, "<script>"+uplotScript+"</script>\n<script>"+reportScript+"</script>\n</body></html>\n")
	if out.err != nil {
		return fmt.Errorf("write HTML report: %w", out.err)
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
