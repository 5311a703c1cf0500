// Package formats writes a document in any of the formats, by name.
package formats

import (
	"errors"
	"fmt"
	"io"

	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/export"
	"github.com/tarebench/tare/internal/report/html"
)

// Names are the names that [Write] takes.
func Names() []string {
	return []string{"text", "json", "csv", "markdown", "pull-request", "html", "svg", "png", "junit", "github-benchmark", "bencher", "openmetrics"}
}

// ErrFormat is wrapped by Write for a name that is none of [Names].
var ErrFormat = errors.New("format")

// Write renders d in one of [Names]; an empty name is text.
func Write(w io.Writer, format string, d report.Document, o report.Options) error {
	if d.Comparison == nil && d.Run == nil {
		return fmt.Errorf("write %s: the document has neither comparison nor run", format)
	}
	if d.Comparison != nil && d.Run != nil {
		return fmt.Errorf("write %s: the document has both a comparison and a run", format)
	}
	switch format {
	case "text", "":
		return report.Text(w, d, o)
	case "json":
		return report.JSON(w, d.Value())
	case "csv":
		return report.CSV(w, d)
	case "markdown":
		return report.Markdown(w, d)
	case "pull-request":
		return export.PullRequest(w, d, export.CommentLimit)
	case "html":
		return html.Write(w, d)
	case "svg":
		return export.SVG(w, d)
	case "png":
		return export.PNG(w, d)
	case "junit":
		return export.JUnit(w, d)
	case "github-benchmark":
		return export.GitHubBenchmark(w, d)
	case "bencher":
		return export.Bencher(w, d)
	case "openmetrics":
		return export.OpenMetrics(w, d)
	}
	return fmt.Errorf("unknown %w %q: one of %v", ErrFormat, format, Names())
}
