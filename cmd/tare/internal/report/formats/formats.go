// Package formats writes a document in any of the formats, by name, to a file or
// a stream.
//
// The pipeline: [OfFile] finds a format by the name of a file; [Writable] checks
// the file before a long run; [WriteFile] creates it; [Write] renders.
package formats

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/report"
	"github.com/tarebench/tare/cmd/tare/internal/report/export"
	"github.com/tarebench/tare/cmd/tare/internal/report/html"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// Names are the names that [Write] takes.
func Names() []string {
	return []string{"text", "json", "csv", "markdown", "pull-request", "html", "svg", "junit"}
}

// ErrFormat is wrapped by Write for a name that is none of [Names].
var ErrFormat = errors.New("format")

// Write renders d in one of [Names]; an empty name is text. "distribution"
// is the text with the values of every benchmark; benchmark files can also be
// written as "benchstat".
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
	case "distribution":
		return report.Distribution(w, d, o)
	case "benchstat":
		if d.Tables == nil {
			return errors.New("write benchstat: the document has no benchmark files")
		}
		return report.Benchstat(w, d.Tables)
	case "json":
		return result.WriteJSON(w, d.Value())
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
	case "junit":
		return export.JUnit(w, d)
	}
	return fmt.Errorf("unknown %w %q: one of %v", ErrFormat, format, Names())
}

// ofEnding are the formats by the ending of a file's name.
var ofEnding = map[string]string{
	".html": "html", ".htm": "html", ".svg": "svg", ".json": "json", ".csv": "csv", ".md": "markdown", ".xml": "junit",
}

// Endings are the endings that [OfFile] knows, sorted.
func Endings() []string { return slices.Sorted(maps.Keys(ofEnding)) }

// OfFile is the format by the ending of a file's name: "text" for an ending of
// texts or none, "" for an unknown one.
func OfFile(name string) string {
	ending := strings.ToLower(filepath.Ext(name))
	if slices.Contains([]string{"", ".txt", ".text", ".log", ".out"}, ending) {
		return "text"
	}
	return ofEnding[ending]
}

// Writable checks up front that a file can be created, so that a long run does
// not fail at its end. An empty name is standard output.
func Writable(file string) error {
	folder := filepath.Dir(file)
	switch info, err := os.Stat(folder); {
	case file == "":
		return nil
	case err != nil:
		return fmt.Errorf("write %s: %w: make the folder first", file, err)
	case !info.IsDir():
		return fmt.Errorf("write %s: %s is no folder", file, folder)
	}
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return fmt.Errorf("write %s: it is a folder: name a file in it", file)
	}
	return nil
}

// WriteFile creates a file and writes it. An empty name is out.
func WriteFile(out io.Writer, name string, write func(io.Writer) error) error {
	if name == "" {
		return write(out)
	}
	return result.WriteFile(name, write)
}
