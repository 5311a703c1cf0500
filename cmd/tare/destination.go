package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/export"
	"github.com/tarebench/tare/internal/report/formats"
)

// destination is the form of a report and where it goes.
type destination struct {
	format, file  string
	ascii, github bool
}

// outputFlags are the flags of every verb that writes a report. Own are the
// formats that only this verb has.
func outputFlags(own ...string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "format", Usage: strings.Join(append(formats.Names(), own...), ", ") + " (default: what the ending of -o says, else text)"},
		&cli.BoolFlag{Name: "json", Usage: "short for -format json"},
		&cli.StringFlag{Name: "o", Usage: "write to `FILE`, not to standard output"},
		&cli.BoolFlag{Name: "ascii", Usage: "text without characters beyond ASCII"},
		&cli.BoolFlag{Name: "github", Usage: "in GitHub Actions: add a job summary to $GITHUB_STEP_SUMMARY, and an annotation per regression on standard error"},
	}
}

var formatOfEnding = map[string]string{
	".html": "html", ".htm": "html", ".svg": "svg", ".png": "png", ".json": "json", ".csv": "csv", ".md": "markdown", ".xml": "junit",
}

// readDestination checks the flags, so that a study of minutes does not end in a
// format that there is none of.
func readDestination(c *cli.Command, own ...string) (o destination, err error) {
	o = destination{format: c.String("format"), file: c.String("o"), ascii: c.Bool("ascii"), github: c.Bool("github")}
	switch {
	case c.Bool("json"):
		o.format = "json"
	case o.format == "":
		if o.format = formatOfEnding[filepath.Ext(o.file)]; o.format == "" {
			o.format = "text"
			if err := unknownEnding(o.file); err != nil {
				return o, err
			}
		}
	}
	if formats := append(formats.Names(), own...); !slices.Contains(formats, o.format) {
		return o, usagef("flag -format: %q is none of %s%s", o.format, strings.Join(formats, ", "), didYouMean(o.format, formats, ""))
	}
	if o.github && os.Getenv("GITHUB_STEP_SUMMARY") == "" {
		return o, usagef("flag -github: $GITHUB_STEP_SUMMARY is not set, as GitHub Actions does: elsewhere use -format pull-request")
	}
	return o, writable(o.file)
}

// writable refuses a file that cannot be made where it shall be, before a
// study of minutes ends with that.
func writable(file string) error {
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

// writeTo writes to a file, or to out when no name is given.
func writeTo(out io.Writer, name string, write func(io.Writer) error) error {
	if name == "" {
		return write(out)
	}
	return writeFile(name, write)
}

func writeFile(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	err = write(f)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	return nil
}

// pictured tells whether the report shows the values behind the numbers.
func (o destination) pictured() bool {
	return slices.Contains([]string{"html", "svg", "png"}, o.format)
}

// write writes the report, and what -github asks for beside it.
func (o destination) write(s streams, d report.Document) error {
	return o.writeAs(s, d, func(w io.Writer, options report.Options) error { return formats.Write(w, o.format, d, options) })
}

// writeAs is write with a form that is the verb's own.
func (o destination) writeAs(s streams, d report.Document, write func(io.Writer, report.Options) error) error {
	err := writeTo(s.out, o.file, func(w io.Writer) error {
		options := terminalOptions(w)
		options.ASCII = o.ascii
		return write(w, options)
	})
	if err != nil {
		return err
	}
	if o.file != "" {
		if err := report.Written(s.err, d, o.file, terminalOptions(s.err)); err != nil {
			return err
		}
	}
	if !o.github {
		return nil
	}
	return appendSummary(os.Getenv("GITHUB_STEP_SUMMARY"), s.err, d)
}

// appendSummary adds the job summary to a file, within what is left of the
// room that a step has, and writes the annotations: GitHub reads them from
// standard error too, where they leave the data alone.
func appendSummary(path string, annotations io.Writer, d report.Document) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return fmt.Errorf("append job summary: %w", err)
	}
	info, err := f.Stat()
	if err == nil {
		err = export.GitHub(f, export.SummaryLimit-int(info.Size()), annotations, d)
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("append job summary: %w", err)
	}
	return nil
}
