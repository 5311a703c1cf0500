package main

import (
	"io"
	"os"

	"golang.org/x/term"

	"github.com/tarebench/tare/internal/report"
)

// terminalOptions looks at where text goes: colour and a width only on a
// terminal, no colour with NO_COLOR or a dumb one.
func terminalOptions(w io.Writer) report.Options {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return report.Options{}
	}
	o := report.Options{Color: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
	if width, _, err := term.GetSize(int(f.Fd())); err == nil {
		o.Width = width
	}
	return o
}
