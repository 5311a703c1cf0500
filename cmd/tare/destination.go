package main

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/export"
	"github.com/tarebench/tare/internal/report/formats"
	"github.com/tarebench/tare/internal/usage"
)

// destination is the form of a report and where it goes.
type destination struct {
	format, file  string
	ascii, github bool
}

// outputFlags are the flags of every verb that writes a report. Own are the
// formats that only this verb has.
func outputFlags(own ...string) []cli.Flag {
	return append([]cli.Flag{
		&cli.StringFlag{Name: "format", Usage: strings.Join(append(formats.Names(), own...), ", ") + " (default: by the ending of -o, else text)"},
		&cli.BoolFlag{Name: "json", Usage: "short for -format json"},
		&cli.StringFlag{Name: "o", Usage: "write to `FILE`, not to standard output"},
	}, usage.Group("More about output",
		&cli.BoolFlag{Name: "ascii", Usage: "text without characters beyond ASCII"},
		&cli.BoolFlag{Name: "github", Usage: "in GitHub Actions: add a job summary to $GITHUB_STEP_SUMMARY, and an annotation per regression on standard error"},
	)...)
}

// formatFlags are the output flags of a verb that has a few formats of its
// own; the first is the default.
func formatFlags(formats ...string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "format", Value: formats[0], Usage: strings.Join(formats, ", ")},
		&cli.BoolFlag{Name: "json", Usage: "short for -format json"},
		&cli.StringFlag{Name: "o", Usage: "write to `FILE`, not to standard output"},
	}
}

// readFormat reads the flags of [formatFlags]. An ending of -o that is the name
// of a format chooses it.
func readFormat(c *cli.Command, own ...string) (string, error) {
	format, file := c.String("format"), c.String("o")
	ending := strings.TrimPrefix(filepath.Ext(file), ".")
	switch {
	case c.Bool("json"):
		format = "json"
	case c.IsSet("format"):
	case slices.Contains(own, ending):
		format = ending
	case formats.OfFile(file) != "text":
		var endings []string
		for _, f := range own {
			endings = append(endings, "."+f)
		}
		return "", unknownEnding(file, endings)
	}
	if !slices.Contains(own, format) {
		return "", usagef("flag -format: %q is none of %s%s", format, strings.Join(own, ", "), didYouMean(format, own, ""))
	}
	return format, formats.Writable(file)
}

// readDestination checks the flags, so that a study of minutes does not end in a
// an unknown format.
func readDestination(c *cli.Command, own ...string) (o destination, err error) {
	o = destination{format: c.String("format"), file: c.String("o"), ascii: c.Bool("ascii"), github: c.Bool("github")}
	switch {
	case c.Bool("json"):
		o.format = "json"
	case o.format == "":
		if o.format = formats.OfFile(o.file); o.format == "" {
			return o, unknownEnding(o.file, formats.Endings())
		}
	}
	if formats := append(formats.Names(), own...); !slices.Contains(formats, o.format) {
		return o, usagef("flag -format: %q is none of %s%s", o.format, strings.Join(formats, ", "), didYouMean(o.format, formats, ""))
	}
	if o.github && os.Getenv("GITHUB_STEP_SUMMARY") == "" {
		return o, usagef("flag -github: $GITHUB_STEP_SUMMARY is not set, as GitHub Actions does: elsewhere use -format pull-request")
	}
	return o, formats.Writable(o.file)
}

// pictured reports whether the report shows the values that the numbers summarize.
func (o destination) pictured() bool {
	return slices.Contains([]string{"html", "svg", "png"}, o.format)
}

// write writes the report, and what -github adds.
func (o destination) write(s streams, d report.Document) error {
	return o.writeAs(s, d, func(w io.Writer, options report.Options) error { return formats.Write(w, o.format, d, options) })
}

// writeAs is write with a form that is the verb's own.
func (o destination) writeAs(s streams, d report.Document, write func(io.Writer, report.Options) error) error {
	err := formats.WriteFile(s.out, o.file, func(w io.Writer) error {
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
	return export.AppendSummary(os.Getenv("GITHUB_STEP_SUMMARY"), s.err, d)
}
