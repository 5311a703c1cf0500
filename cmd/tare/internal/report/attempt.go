package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/attempt"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
	"github.com/tarebench/tare/internal/finding"
)

// AttemptText writes the answer to an attempt in one line. On a narrower terminal
// the command has its own line, so that it can be copied.
func AttemptText(w io.Writer, r attempt.Result, o Options) error {
	text := string(r.Verdict)
	if r.Reason != "" && r.Verdict != attempt.Keep {
		text += ": " + r.Reason
	}
	for i, row := range r.Rows {
		if i == 3 {
			text += fmt.Sprintf(", and %d more", len(r.Rows)-i)
			break
		}
		text += []string{": ", ", "}[min(i, 1)] + rowWords(row)
	}
	if r.Reason != "" && r.Verdict == attempt.Keep {
		text += " · " + r.Reason
	}
	if r.N > 0 {
		text += fmt.Sprintf(" · attempt %d, %d kept", cmp.Or(r.Same, r.N), len(r.Session.Kept()))
	}
	if r.Same > 0 && r.Same != r.N {
		text += ", with its machine code"
	} else if r.Same > 0 {
		text += ", answered before"
	}
	if r.Verdict == attempt.Again && r.SecondsNeeded > 0 {
		text += fmt.Sprintf(" · about %s more decide", words.Seconds(r.SecondsNeeded))
	}
	text = words.Printable(text)
	if command := words.Printable(next(r)); command != "" {
		one := text + " · " + command
		if o.Width > 0 && words.Columns(one) > o.Width {
			one = wrap(text, o.Width, "  ") + "\n  " + command
		}
		text = one
	}
	_, err := fmt.Fprintln(w, text)
	return err
}

func rowWords(r attempt.Row) string {
	b := result.BenchmarkComparison{Key: r.Key, Unit: r.Unit, Change: r.Change}
	name := r.Name
	if r.Unit != "sec/op" {
		name += " " + r.Unit
	}
	return name + " " + strings.Join(strings.Fields(strings.Join(words.ChangeParts(&b), "")), " ")
}

// AttemptBrief returns the answer as one line of JSON.
func AttemptBrief(r attempt.Result, exit int) result.Brief {
	b := result.Brief{
		Verdict: string(r.Verdict), Exit: exit, Reason: r.Reason, Attempt: cmp.Or(r.Same, r.N), Kept: len(r.Session.Kept()),
		Level: r.Level, Seconds: r.SecondsNeeded, Next: next(r),
	}
	for _, row := range r.Rows {
		b.Changed = append(b.Changed, result.NewBriefRow(row.Name, row.Unit, row.Change))
	}
	return b
}

func next(r attempt.Result) string {
	switch {
	case r.Verdict == attempt.Again:
		return words.Again(r.Command)
	case (r.Verdict == attempt.Revert || r.Verdict == attempt.Failed) && r.N > 0:
		return "git restore --source=" + r.Best[:min(12, len(r.Best))] + " -W -- :/"
	case r.Verdict == attempt.Keep && r.Rows[0].Change.Ratio < auditFrom:
		return words.Again(r.Command, "-audit")
	}
	return ""
}

// auditFrom is the change from which on tare proposes an audit.
const auditFrom = 0.7

// AuditText writes the findings of an audit.
func AuditText(w io.Writer, findings []finding.Finding, o Options) error {
	t := &textWriter{o: o}
	if len(findings) == 0 {
		t.line(wrap("nothing found: the same tests, no more work in init or in the first call, no more memory", o.Width, "  "))
	}
	for _, f := range findings {
		t.line(wrap(f.String(), o.Width, "  "))
	}
	return t.flush(w)
}

// AttemptLog writes the attempts of a session as a table with the ratchet: the
// best tree so far, relative to the first one.
func AttemptLog(w io.Writer, s attempt.Session, folder string, o Options) error {
	var t strings.Builder
	words.Fprintf(&t, "session %s: %s since %s", folder, words.Plural(len(s.Attempts), "attempt"), short(s.Baseline.Commit))
	if s.Ended {
		t.WriteString(", ended")
	}
	t.WriteString("\n")
	if s.Baseline.Why != "" {
		words.Fprintf(&t, "new baseline after attempt %d: %s\n", s.Current, s.Baseline.Why)
	}
	const width = 30
	best := 1.0
	lowest := 1.0
	for _, a := range s.Kept() {
		lowest *= a.Rows[0].Change.Ratio
	}
	scale := func(v float64) int { // the whole width is the first tree, and the scale begins at 0 if the gain is large
		from := math.Max(0, lowest-2*(1-lowest))
		return max(1, int(math.Round(width*(v-from)/(1-from))))
	}
	for i, a := range s.Attempts {
		row := ""
		if len(a.Rows) > 0 {
			row = rowWords(a.Rows[0])
		}
		mark := " "
		if a.Verdict == attempt.Keep {
			mark = "✓"
		}
		bar := ""
		if i >= s.Current { // of the baseline of today
			if a.Verdict == attempt.Keep {
				best *= a.Rows[0].Change.Ratio
			}
			bar = strings.Repeat("█", scale(best))
		}
		head := words.Printable(fmt.Sprintf("%4d %s %-6s %6.1f s  %-*s  ", a.N, mark, a.Verdict, a.Seconds, width, bar))
		t.WriteString(head + wrapAfter(head, strings.TrimSpace(row+"  "+reasonOf(a)), o.Width, "       ") + "\n")
	}
	if kept := s.Kept(); len(kept) > 0 {
		t.WriteString("kept, claims multiplied:")
		rowsText(&t, s.Claims())
	}
	if s.Total != nil {
		t.WriteString("the best tree against the first, in new blocks:")
		rowsText(&t, s.Total.Rows)
		if len(s.Total.HeldOut) > 0 {
			t.WriteString("on benchmarks that were held out:")
			rowsText(&t, s.Total.HeldOut)
		}
	}
	if best := s.Best(); best != s.Baseline.Commit {
		words.Fprintf(&t, "best tree: %s (git diff %s %s)\n", short(best), short(s.Baseline.Commit), short(best))
	}
	_, err := fmt.Fprintln(w, Lines(t.String(), o.Width))
	return err
}

func rowsText(t *strings.Builder, rows []attempt.Row) {
	for i, r := range rows {
		words.Fprintf(t, "%s%s", []string{" ", ", "}[min(i, 1)], rowWords(r))
	}
	t.WriteString("\n")
}

// reasonOf returns the reason for a verdict, if the change does not show it.
func reasonOf(a attempt.Attempt) string {
	if a.Verdict == attempt.Open {
		return "interrupted"
	}
	if a.Same > 0 {
		return fmt.Sprintf("%s (machine code of attempt %d)", a.Reason, a.Same)
	}
	return a.Reason
}

func short(commit string) string { return commit[:min(12, len(commit))] }
