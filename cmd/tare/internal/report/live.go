package report

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
	"github.com/tarebench/tare/internal/unit"
)

// LiveOptions describe the place of the live line.
type LiveOptions struct {
	// Terminal is true if a line can be rewritten. Otherwise, for the log of a
	// CI job, Live writes one plain line per finished benchmark, and the
	// progress of the study at most every half minute.
	Terminal bool
	// Width is the terminal's width in cells. 0 means 80.
	Width int
	// Color allows color for verdicts.
	Color bool
	// Verbose also writes the commands that a session runs.
	Verbose bool
	// Total is the time that the user gave the session. 0 is none.
	Total time.Duration
}

// estimateTime describes the expected duration of a study, from a minute on, or
// the reach of a total that is too short. Total is the time that the user gave,
// 0 for none.
func estimateTime(p result.Progress, total time.Duration) string {
	r := p.Reach
	switch {
	case r.Expected < r.Of:
		return fmt.Sprintf("%s in %s, builds included: the remaining %s reach about %d on a quiet machine (-total %s: all)",
			words.Plural(r.Of, "benchmark"), words.Seconds(total.Seconds()), words.Seconds(p.Left.Seconds()), r.Expected, wholeDuration(r.Enough))
	case p.Left <= time.Minute:
		return ""
	case total > 0:
		return fmt.Sprintf("%s in %s, builds included", words.Plural(p.Total, "benchmark"), words.Seconds(total.Seconds()))
	}
	return fmt.Sprintf("%s: about %s, and longer if changes are not clear (-total 5m limits the whole run)", words.Plural(p.Total, "benchmark"), words.Seconds(p.Left.Seconds()))
}

// Live shows the progress of a running session. Its methods are safe for
// concurrent use.
type Live struct {
	mu    sync.Mutex
	w     io.Writer
	o     LiveOptions
	now   func() time.Time
	drawn time.Time
	shown bool
	// logged is the time of the last progress line in a log.
	logged time.Time
	// building is the time of the first build, of a first session. Its duration is
	// written once.
	building time.Time
	built    bool
}

// redraw is the least time between two rewrites of the line, because writing
// disturbs a measurement.
const redraw = 100 * time.Millisecond

const logEvery = 30 * time.Second

const shortBuild = time.Second

// NewLive returns a Live that writes to w, which is standard error in the
// command.
func NewLive(w io.Writer, o LiveOptions) *Live {
	if o.Width <= 0 {
		o.Width = 80
	}
	return &Live{w: w, o: o, now: time.Now, logged: time.Now()}
}

// Progress rewrites the line on a terminal, at most ten times a second. On a
// pipe it writes a line at most every half minute. On both it writes the
// expected duration of a planned study.
func (l *Live) Progress(p result.Progress) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p.Phase == "building" && l.building.IsZero() {
		l.building = l.now()
	}
	if p.Phase == "planned" {
		if took := l.now().Sub(l.building); took >= shortBuild && !l.built && !l.building.IsZero() {
			l.notice("built in " + words.Seconds(took.Seconds()))
		}
		l.built = true
		if text := estimateTime(p, l.o.Total); text != "" {
			l.notice(text)
			l.logged = l.now()
		}
		return
	}
	if !l.o.Terminal {
		l.log(standing(p))
		return
	}
	if now := l.now(); !l.shown || now.Sub(l.drawn) >= redraw {
		// The last cell stays empty: a full line wraps on some terminals.
		l.draw(liveLine(p, l.o.Width-1))
	}
}

func (l *Live) draw(line string) {
	if l.o.Terminal {
		l.drawn, l.shown = l.now(), true
		fmt.Fprintf(l.w, "\r\x1b[2K%s", line)
	}
}

// log writes a progress line to a pipe, unless it did so lately.
func (l *Live) log(text string) {
	if now := l.now(); !l.o.Terminal && now.Sub(l.logged) >= logEvery {
		l.logged = now
		l.notice(text)
	}
}

func standing(p result.Progress) string {
	r := p.Reach
	var text string
	switch {
	case p.Phase != "measuring":
		text = strings.TrimSpace(p.Phase + " " + words.Printable(p.Name))
	case r.Of > 0:
		text = fmt.Sprintf("%d of %s reached", r.Reached, words.Plural(r.Of, "benchmark"))
		if r.Expected < r.Of {
			text += fmt.Sprintf(", about %d expected", r.Expected)
		}
	default:
		text = counter(p) + words.Printable(p.Name)
	}
	if p.Left > 0 {
		text += fmt.Sprintf(", about %s left", words.Seconds(p.Left.Seconds()))
	}
	return text
}

// Finished writes that a benchmark is finished: a plain line on a pipe, a
// rewritten line on a terminal.
func (l *Live) Finished(p result.Progress) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.o.Terminal {
		fmt.Fprintln(l.w, doneLine(p))
		return
	}
	line := words.Shorten(doneLine(p), l.o.Width-1)
	if color := verdictStyle(p.Verdict); l.o.Color && color != plainStyle {
		line = string(color) + line + "\x1b[0m"
	}
	l.draw(line)
}

// Notice writes a line that stays.
func (l *Live) Notice(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.notice(text)
}

func (l *Live) notice(text string) {
	l.clear()
	width := 0
	if l.o.Terminal {
		width = l.o.Width
	}
	fmt.Fprintln(l.w, Lines("tare: "+text, width))
}

// Step writes a command that the session runs, with [LiveOptions.Verbose].
func (l *Live) Step(text string) {
	if l.o.Verbose {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.clear()
		fmt.Fprintln(l.w, words.PrintableLines(text))
	}
}

// Close removes the live line, so that the result starts on an empty line.
func (l *Live) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.clear()
}

func (l *Live) clear() {
	if l.o.Terminal && l.shown {
		io.WriteString(l.w, "\r\x1b[2K")
		l.shown = false
	}
}

// liveLine fits p into width cells. It shortens the name first, and never the
// numbers.
func liveLine(p result.Progress, width int) string {
	head := counter(p)
	var tail strings.Builder
	if p.Phase != "" && p.Phase != "measuring" {
		tail.WriteString("  " + p.Phase)
	} else {
		if s := estimateWords(p); s != "" {
			tail.WriteString("  " + s)
		}
		fmt.Fprintf(&tail, "  %s, %s", words.Plural(p.Rounds, "round"), words.Plural(p.Blocks, "block"))
	}
	if p.Left > 0 {
		fmt.Fprintf(&tail, "  about %s left", words.Seconds(p.Left.Seconds()))
	}
	room := width - words.Columns(head) - words.Columns(tail.String())
	name := words.Shorten(words.Printable(p.Name), max(room, 12))
	return words.Shorten(head+name+tail.String(), width)
}

func counter(p result.Progress) string {
	if p.Total == 0 {
		return ""
	}
	return fmt.Sprintf("[%d/%d] ", p.Index, p.Total)
}

// doneLine omits the numbers of an undecided benchmark, because its last look
// does not have the final ones.
func doneLine(p result.Progress) string {
	line := counter(p) + words.Printable(p.Name)
	if p.Verdict != "" {
		line += "  " + words.VerdictIn(p.Verdict, p.Unit, unit.Better(p.Unit))
	}
	if s := estimateWords(p); s != "" && p.Verdict != result.Undecided && p.Verdict != result.Failed {
		line += "  " + s
	}
	return line
}

// estimateWords returns the change or else the value, as in the table. It is
// empty before the first estimate.
func estimateWords(p result.Progress) string {
	if words.Known(p.Ratio) && p.Ratio != 0 {
		return strings.Join(words.ChangeParts(&result.BenchmarkComparison{Change: result.Change{Ratio: p.Ratio, Lo: p.Lo, Hi: p.Hi}}), "")
	}
	if p.Value.N == 0 || !words.Known(p.Value.Center) {
		return ""
	}
	return words.Estimate(p.Value, words.Scale(p.Unit, p.Value.Center), p.Unit)
}

// flagDuration formats a duration for a flag: 5m, not 5m0s.
func flagDuration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// wholeDuration formats an estimate for a flag. It rounds up to minutes, or to
// ten seconds below two minutes.
func wholeDuration(d time.Duration) string {
	step := time.Minute
	if d < 2*time.Minute {
		step = 10 * time.Second
	}
	return flagDuration((d + step - 1) / step * step)
}
