package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/report"
	"github.com/tarebench/tare/cmd/tare/internal/report/html"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// formatNames are the formats of every verb that writes a report.
func formatNames() []string {
	return []string{"text", "json", "csv", "markdown", "pull-request", "html", "svg", "go", "junit", "hgrm"}
}

// writeDocument renders d in one of [formatNames]. An empty name is text.
// "distribution" is the text with the values of every benchmark. Comparisons
// also have "benchstat" and "line".
func writeDocument(w io.Writer, format string, d report.Document, o report.Options) error {
	switch format {
	case "line":
		if d.Comparison.IsRun() {
			return errors.New("write line: only comparisons have this format")
		}
		return report.ComparisonBrief(w, d)
	case "text", "":
		return report.Text(w, d, o)
	case "distribution":
		return report.Distribution(w, d, o)
	case "benchstat":
		if d.Comparison.IsRun() {
			return errors.New("write benchstat: only comparisons have this format")
		}
		return report.Benchstat(w, d)
	case "json":
		return result.WriteJSON(w, d.Comparison.Document())
	case "csv":
		return report.CSV(w, d)
	case "markdown":
		return report.Markdown(w, d)
	case "pull-request":
		return report.PullRequest(w, d, report.CommentLimit)
	case "html":
		return html.Write(w, d)
	case "svg":
		return report.SVG(w, d)
	case "go":
		if d.Recording == nil {
			return errors.New("write go: benchmark files are already in this format")
		}
		var b strings.Builder
		if err := result.WriteBenchmarks(&b, d.Recording); err != nil {
			return err
		}
		_, err := io.WriteString(w, words.PrintableLines(b.String())+"\n")
		return err
	case "junit":
		return report.JUnit(w, d)
	case "hgrm":
		return report.HGRM(w, d)
	}
	return fmt.Errorf("unknown format %q: one of %v", format, formatNames())
}

// ofEnding maps the ending of a file's name, or none, to a format.
var ofEnding = map[string]string{
	"": "text", ".txt": "text", ".text": "text", ".log": "text", ".out": "text",
	".html": "html", ".htm": "html", ".svg": "svg", ".json": "json", ".csv": "csv", ".md": "markdown", ".xml": "junit", ".hgrm": "hgrm",
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
