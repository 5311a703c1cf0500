package main

import (
	"io"

	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/result"
)

func writeComparison(w io.Writer, format string, c *result.Comparison) error {
	switch format {
	case "text":
		return report.Text(w, c, terminalOptions(w))
	case "json":
		return report.JSON(w, c)
	case "csv":
		return report.CSV(w, c)
	case "markdown":
		return report.Markdown(w, c)
	}
	return usagef("flag -format: %q is none of text, json, csv, markdown", format)
}

func writeRun(w io.Writer, format string, r *result.Run) error {
	switch format {
	case "text":
		return report.RunText(w, r, terminalOptions(w))
	case "json":
		return report.JSON(w, r)
	case "csv":
		return report.RunCSV(w, r)
	case "markdown":
		return report.RunMarkdown(w, r)
	}
	return usagef("flag -format: %q is none of text, json, csv, markdown", format)
}
