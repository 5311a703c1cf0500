package report

import (
	"fmt"
	"io"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/unit"
)

// LiveOptions say where the live line goes.
type LiveOptions struct {
	// Terminal is true where a line can be rewritten; otherwise Live writes
	// one plain line per finished benchmark.
	Terminal bool
	// Width is the terminal's width in cells; 0 means 80.
	Width int
	// Color allows colour for verdicts.
	Color bool
}

// Progress is where a study stands.
type Progress struct {
	// Index counts benchmarks from 1; Total is 0 while unknown.
	Index, Total int
	Name         string
	// Phase says what happens when nothing is measured yet: "building",
	// "linking", "measuring".
	Phase          string
	Rounds, Blocks int
	// Ratio is new/old with its interval; NaN is unknown. A study of one
	// variant leaves Ratio NaN and sets Value.
	Ratio, Lo, Hi float64
	Value         result.Estimate
	Unit          string
	Verdict       result.Verdict
	// Left is the most time that the study may still take; 0 is unknown.
	Left time.Duration
}

// Live shows the progress of a study while it runs. Its methods may be called
// from several goroutines.
type Live struct {
	mu    sync.Mutex
	w     io.Writer
	o     LiveOptions
	now   func() time.Time
	drawn time.Time
	shown bool
}

// redraw is the least time between two rewrites of the line: a reader sees no
// more, and a study that is timed should not be writing.
const redraw = 100 * time.Millisecond

// NewLive writes to w, which is standard error in the command.
func NewLive(w io.Writer, o LiveOptions) *Live {
	if o.Width <= 0 {
		o.Width = 80
	}
	return &Live{w: w, o: o, now: time.Now}
}

// Update rewrites the line on a terminal, at most ten times a second, and
// does nothing on a pipe.
func (l *Live) Update(p Progress) {
	if !l.o.Terminal {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if l.shown && now.Sub(l.drawn) < redraw {
		return
	}
	l.drawn, l.shown = now, true
	// The last cell stays empty: a full line wraps on some terminals.
	fmt.Fprintf(l.w, "\r\x1b[2K%s", liveLine(p, l.o.Width-1))
}

// Done says that a benchmark is finished: a plain line on a pipe, a rewritten
// line on a terminal.
func (l *Live) Done(p Progress) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.o.Terminal {
		fmt.Fprintln(l.w, doneLine(p))
		return
	}
	line := shorten(doneLine(p), l.o.Width-1)
	if color := verdictColor(p.Verdict); l.o.Color && color != "" {
		line = color + line + "\x1b[0m"
	}
	l.drawn, l.shown = l.now(), true
	fmt.Fprintf(l.w, "\r\x1b[2K%s", line)
}

// Close takes the live line off the terminal, so that the result follows on a
// clean line.
func (l *Live) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.o.Terminal && l.shown {
		io.WriteString(l.w, "\r\x1b[2K")
		l.shown = false
	}
}

func verdictColor(v result.Verdict) string {
	switch v {
	case result.Faster:
		return "\x1b[32m"
	case result.Slower, result.Failed:
		return "\x1b[31m"
	case result.Undecided:
		return "\x1b[33m"
	}
	return ""
}

// liveLine fits p into width cells: the numbers whole, the name cut first.
func liveLine(p Progress, width int) string {
	head := counter(p)
	var tail strings.Builder
	if p.Phase != "" && p.Phase != "measuring" {
		tail.WriteString("  " + p.Phase)
	} else {
		if s := estimateWords(p); s != "" {
			tail.WriteString("  " + s)
		}
		fmt.Fprintf(&tail, "  %s, %s", plural(p.Rounds, "round"), plural(p.Blocks, "block"))
	}
	if p.Left > 0 {
		fmt.Fprintf(&tail, "  ≤ %s left", shortDuration(p.Left))
	}
	room := width - columns(head) - columns(tail.String())
	name := shorten(printable(p.Name), max(room, 12))
	return shorten(head+name+tail.String(), width)
}

func counter(p Progress) string {
	if p.Total == 0 {
		return ""
	}
	return fmt.Sprintf("[%d/%d] ", p.Index, p.Total)
}

func doneLine(p Progress) string {
	var b strings.Builder
	b.WriteString(counter(p))
	b.WriteString(printable(p.Name))
	if p.Verdict != "" {
		b.WriteString("  " + string(p.Verdict))
	}
	if s := estimateWords(p); s != "" {
		b.WriteString("  " + s)
	}
	fmt.Fprintf(&b, "  (%s, %s)", plural(p.Rounds, "round"), plural(p.Blocks, "block"))
	return b.String()
}

// estimateWords is the change where there is one, else the value; empty while
// nothing is known.
func estimateWords(p Progress) string {
	if !math.IsNaN(p.Ratio) && p.Ratio != 0 {
		s := signedPercent(p.Ratio)
		if !math.IsNaN(p.Lo) && !math.IsNaN(p.Hi) {
			s += " [" + signedPercent(p.Lo) + ", " + signedPercent(p.Hi) + "]"
		}
		return s
	}
	v := p.Value
	if v.N == 0 || math.IsNaN(v.Center) {
		return ""
	}
	scale := unit.Scaling(p.Unit, v.Center)
	s := scale.Format(v.Center)
	if !math.IsNaN(v.Lo) && !math.IsNaN(v.Hi) {
		s += " [" + scale.Format(v.Lo) + ", " + scale.Format(v.Hi) + "]"
	}
	return s + " " + scale.Label(p.Unit)
}

// signedPercent renders a ratio as its change with a sign: 0.95 is "-5.00%".
func signedPercent(ratio float64) string {
	change := (ratio - 1) * 100
	digits := 2
	switch a := math.Abs(change); {
	case a >= 1000:
		return fmt.Sprintf("×%.3g", ratio)
	case a >= 100:
		digits = 0
	case a >= 10:
		digits = 1
	}
	return fmt.Sprintf("%+.*f%%", digits, change)
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// shortDuration is a duration with one or two units, for a reader who waits.
func shortDuration(d time.Duration) string {
	d = d.Round(time.Second)
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", max(1, int(d.Seconds())))
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}
