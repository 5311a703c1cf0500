package main

import (
	"io"
	"os"
	"strconv"
	"time"

	"golang.org/x/term"

	"github.com/tarebench/tare/cmd/tare/internal/report"
)

// terminal is what is known about the place that text goes to; none is a pipe
// or a file.
type terminal struct {
	is bool
	// rewrites is true where a line can be rewritten for a person to see: a
	// dumb terminal knows no way back to the line's start, and a CI log has no
	// use for it.
	rewrites, color bool
	// width is in cells, 0 where it is not known.
	width int
}

func terminalOf(w io.Writer) terminal {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return terminal{}
	}
	dumb := os.Getenv("TERM") == "dumb"
	t := terminal{is: true, rewrites: !dumb && os.Getenv("CI") == "", color: !dumb && os.Getenv("NO_COLOR") == ""}
	if width, _, err := term.GetSize(int(f.Fd())); err == nil {
		t.width = width
	}
	return t
}

// terminalOptions are the reader's side of a report. A pipe is as wide as
// $COLUMNS says, or as the terminal of standard error: that of a pager.
func terminalOptions(w io.Writer) report.Options {
	t := terminalOf(w)
	if f, ok := w.(*os.File); ok && !t.is && isPipe(f) {
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

// live is the live line of a session on standard error.
func (s streams) live(verbose bool, total time.Duration) *report.Live {
	t := terminalOf(s.err)
	return report.NewLive(s.err, report.LiveOptions{Terminal: t.rewrites, Width: t.width, Color: t.color, Verbose: verbose, Total: total})
}
