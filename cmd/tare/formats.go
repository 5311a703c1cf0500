package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/report"
	"github.com/tarebench/tare/cmd/tare/internal/report/html"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// formats are the formats of a report. The first is the default.
var formats = []format{
	{name: "text", endings: []string{"", ".txt", ".text", ".log", ".out"}, write: report.Text},
	{name: "json", endings: []string{".json"}, write: func(w io.Writer, d report.Document, _ report.Options) error {
		return result.WriteJSON(w, d.Comparison.Document())
	}},
	{name: "csv", endings: []string{".csv"}, write: unstyled(report.CSV)},
	{name: "markdown", endings: []string{".md"}, write: unstyled(report.Markdown)},
	{name: "pull-request", write: func(w io.Writer, d report.Document, _ report.Options) error {
		return report.PullRequest(w, d, report.CommentLimit)
	}},
	{name: "html", endings: []string{".html", ".htm"}, write: unstyled(html.Write)},
	{name: "svg", endings: []string{".svg"}, write: unstyled(report.SVG)},
	{name: "go", write: unstyled(writeLines)},
	{name: "junit", endings: []string{".xml"}, write: unstyled(report.JUnit)},
	{name: "hgrm", endings: []string{".hgrm"}, write: unstyled(report.HGRM)},
	{name: "benchstat", compares: true, write: unstyled(report.Benchstat)},
	{name: "line", compares: true, write: unstyled(report.ComparisonBrief)},
	{name: "summary", compares: true, hidden: true, write: report.Summary}, // of tare compare -watch
	{name: "distribution", hidden: true, write: report.Distribution},       // the text of tare show
}

// format is one form of a report. A new one is a file in package report and a
// line in formats.
type format struct {
	name    string
	endings []string // of files
	// compares is true if only comparisons have the format, hidden if no flag
	// names it.
	compares, hidden bool
	write            func(io.Writer, report.Document, report.Options) error
}

func unstyled(write func(io.Writer, report.Document) error) func(io.Writer, report.Document, report.Options) error {
	return func(w io.Writer, d report.Document, _ report.Options) error { return write(w, d) }
}

func formatNames(compares bool) (names []string) {
	for _, f := range formats {
		if !f.hidden && (compares || !f.compares) {
			names = append(names, f.name)
		}
	}
	return names
}

func ofEnding() map[string]string {
	names := make(map[string]string)
	for _, f := range formats {
		for _, ending := range f.endings {
			names[ending] = f.name
		}
	}
	return names
}

func writeDocument(w io.Writer, name string, d report.Document, o report.Options) error {
	i := slices.IndexFunc(formats, func(f format) bool { return f.name == name })
	switch {
	case i < 0:
		return fmt.Errorf("unknown format %q: one of %v", name, formatNames(true))
	case formats[i].compares && d.Comparison.IsRun():
		return fmt.Errorf("write %s: only comparisons have this format", name)
	}
	result.Possible(d.Comparison)
	return formats[i].write(w, d, o)
}

func writeLines(w io.Writer, d report.Document) error {
	if d.Recording == nil {
		return errors.New("write go: benchmark files are already in this format")
	}
	var b strings.Builder
	if err := result.WriteBenchmarks(&b, d.Recording); err != nil {
		return err
	}
	_, err := io.WriteString(w, words.PrintableLines(b.String())+"\n")
	return err
}

// writable checks early that a file can be created, so that a long run does not
// fail at its end. An empty name is standard output.
func writable(file string) error {
	folder := filepath.Dir(file)
	switch info, err := os.Stat(folder); {
	case file == "":
		return nil
	case err != nil:
		return fmt.Errorf("write %s: %w: make the directory first", file, err)
	case !info.IsDir():
		return fmt.Errorf("write %s: %s is not a directory", file, folder)
	}
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return fmt.Errorf("write %s: it is a directory: name a file in it", file)
	}
	return nil
}

// writeFile creates a file and writes it. An empty name is out.
func writeFile(out io.Writer, name string, write func(io.Writer) error) error {
	if name == "" {
		return write(out)
	}
	return result.WriteFile(name, write)
}
