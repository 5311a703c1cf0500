package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"golang.org/x/term"

	"github.com/tarebench/tare/cmd/tare/internal/report"
)

// terminal describes the terminal that text is written to. The zero value is a
// pipe or a file.
type terminal struct {
	// rewrites is true if a line can be rewritten. A dumb terminal cannot return to
	// the start of a line, and a CI log keeps every line.
	rewrites, color bool
	// width is in cells, 0 if it is not known.
	width int
}

func terminalOf(w io.Writer) terminal {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return terminal{}
	}
	dumb := os.Getenv("TERM") == "dumb"
	t := terminal{rewrites: !dumb && os.Getenv("CI") == "", color: !dumb && os.Getenv("NO_COLOR") == ""}
	if width, _, err := term.GetSize(int(f.Fd())); err == nil {
		t.width = width
	}
	return t
}

// terminalOptions are the options for the reader of a report. A pipe has the
// width of $COLUMNS, or of the terminal of standard error, as for a pager.
func terminalOptions(w io.Writer) report.Options {
	t := terminalOf(w)
	if f, ok := w.(*os.File); ok && isPipe(f) {
		if t.width, _ = strconv.Atoi(os.Getenv("COLUMNS")); t.width <= 0 {
			t.width = terminalOf(os.Stderr).width
		}
	}
	return report.Options{Color: t.color, Width: t.width}
}

func isPipe(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeNamedPipe != 0
}

// say writes a message to standard error: one line, wrapped on a terminal.
func (s streams) say(format string, args ...any) {
	fmt.Fprintln(s.err, report.Lines(fmt.Sprintf(format, args...), terminalOf(s.err).width))
}

func (s streams) live(verbose bool, total time.Duration) *report.Live {
	t := terminalOf(s.err)
	return report.NewLive(s.err, report.LiveOptions{Terminal: t.rewrites, Width: t.width, Color: t.color, Verbose: verbose, Total: total})
}
