package report

import (
	"io"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/history"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// RecordedText writes the additions of a record.
func RecordedText(w io.Writer, r history.Outcome) error {
	var t strings.Builder
	words.Fprintf(&t, "%s: %s recorded\n", CommitWords(r.Commit), words.Plural(r.Edges, "row"))
	for _, c := range r.Same {
		words.Fprintf(&t, "not compared with %s again: the code equals the parent's, which was\n", CommitWords(c))
	}
	for _, why := range r.Left {
		words.Fprintf(&t, "not measured: %s\n", why)
	}
	if r.Empty() {
		words.Fprintf(&t, "nothing was measured: -total %s is enough\n", r.Needs)
	}
	found := false
	for _, d := range r.Decisions {
		verdict := "no change"
		switch {
		case d.Found:
			verdict, found = "change", true
		case d.Undecided:
			verdict = "undecided"
		}
		words.Fprintf(&t, "%s: %s at %.10s, %s, p=%.2g\n", SeriesName(d.Key()), verdict, d.Commit, StepWords(d.LogRatio, d.Lo, d.Hi), d.P)
	}
	if found {
		words.Fprintf(&t, "(%s)\n", lifetimeRate)
	}
	if r.Open > 0 {
		words.Fprintf(&t, "%s left to measure\n", words.Plural(r.Open, "candidate"))
	}
	for _, s := range r.Skipped {
		words.Fprintf(&t, "not read: %s: %s\n", s.Name, s.Err.Error())
	}
	_, err := io.WriteString(w, t.String())
	return err
}
