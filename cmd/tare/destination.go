package main

import (
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/report"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

type destination struct {
	format, file string
	// verbose adds the evidence to the text, and quiet leaves the notes out.
	verbose, quiet bool
	// byChange has the greatest changes first.
	byChange bool
}

func reportFormat(compares bool) []*option {
	return []*option{
		{name: "format", value: "", text: strings.Join(formatNames(compares), ", ") + " (default: by the ending of -o, else text)"},
		jsonFlag(),
	}
}

// formatFlags are the flags of a verb with a few special formats. The first one
// is the default.
func formatFlags(formats ...string) []*option {
	return []*option{&option{name: "format", value: formats[0], text: strings.Join(formats, ", ")}, jsonFlag()}
}

// jsonFlag is the flag -json of many tools. It is accepted, and the help omits
// it.
func jsonFlag() *option {
	return &option{name: "json", value: false, hidden: true, text: "short for -format json"}
}

func readFormat(c *command, known ...string) (string, error) {
	format, file := c.text("format"), c.text("o")
	switch {
	case c.is("json"):
		format = "json"
	case !c.isGiven("format"):
		ending, ofEnding := strings.ToLower(filepath.Ext(file)), ofEnding()
		if format = ofEnding[ending]; !slices.Contains(known, format) {
			// The name would not match the content.
			endings := slices.DeleteFunc(slices.Sorted(maps.Keys(ofEnding)), func(e string) bool { return e == "" || !slices.Contains(known, ofEnding[e]) })
			return "", usagef("flag -o: unknown ending %s%s: use one of %s, or choose a format with -format", ending, words.Hint(ending, endings, ""), strings.Join(endings, " "))
		}
	}
	if !slices.Contains(known, format) {
		return "", usagef("flag -format: %q is none of %s%s", format, strings.Join(known, ", "), words.Hint(format, known, ""))
	}
	return format, writable(file)
}

// readDestination checks the flags of [reportFormat] and -o, so that a long
// study does not end with an unknown format.
func readDestination(c *command, compares bool) (o destination, err error) {
	o.file, o.verbose, o.quiet = c.text("o"), c.is("v"), c.is("q")
	if o.format, err = readFormat(c, formatNames(compares)...); err != nil {
		return o, err
	}
	if c.is("watch") && !c.isGiven("format") && !c.is("json") {
		o.format = "summary"
	}
	if c.isGiven("sort") {
		switch order := c.text("sort"); order {
		case "source", "change":
			o.byChange = order == "change"
		default:
			return o, usagef("flag -sort: %q is none of source, change", order)
		}
	}
	return o, nil
}

// writeValue writes a document, which value points to.
func writeValue(s streams, c *command, format string, value any, text func(io.Writer) error) error {
	result.Possible(value)
	return writeFile(s.out, c.text("o"), func(w io.Writer) error {
		if format == "json" {
			return result.WriteJSON(w, value)
		}
		return text(w)
	})
}

func (o destination) write(s streams, d report.Document) error {
	d.ByChange = o.byChange
	err := writeFile(s.out, o.file, func(w io.Writer) error {
		options := terminalOptions(w)
		options.Verbose, options.Quiet = o.verbose, o.quiet
		return writeDocument(w, o.format, d, options)
	})
	if err != nil {
		return err
	}
	if o.format == "go" && !d.Comparison.IsRun() {
		s.say("note: a line is a block. Measuring stopped at the verdict, so p-values of these lines are too small: use -format text")
	}
	if o.file == "" {
		return nil
	}
	return report.Written(s.err, d, o.file, terminalOptions(s.err))
}
