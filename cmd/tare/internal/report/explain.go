package report

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/tarebench/tare/cmd/tare/internal/explain"
	"github.com/tarebench/tare/cmd/tare/internal/words"
	"github.com/tarebench/tare/internal/unit"
)

// mostCauses is the most causes of one benchmark that the text lists.
const mostCauses = 5

// certainty describes the proof of a cause.
func certainty(p *explain.Proof) string {
	switch {
	case p == nil:
		return "suspected"
	case p.Verdict == explain.Proved:
		return "proved"
	case p.Verdict == explain.InPart:
		return "proved in part"
	case p.Verdict == explain.NotCause:
		return "not the cause"
	}
	return "suspected"
}

// ExplainText writes, for each benchmark, first its measurement, then its causes.
func ExplainText(w io.Writer, e explain.Explained) error {
	t := &textWriter{}
	if len(e.Benchmarks) == 0 {
		t.line("nothing to explain: no benchmark with other machine code became faster or slower")
	}
	for i, b := range e.Benchmarks {
		if i > 0 {
			t.line("")
		}
		t.line(explainedHead(e, b))
		explainedRow(t, b)
	}
	return t.flush(w)
}

// explainedHead returns the benchmark with its change.
func explainedHead(e explain.Explained, b explain.Explanation) string {
	head := words.Printable(words.RowName(b.Key, ""))
	if change := words.Change(b.Change); change != "" {
		head += "  " + change
	}
	if b.Verdict != "" {
		head += "  " + string(b.Verdict)
	}
	if len(e.Variants) > 2 {
		head += "  " + words.Printable(words.Label(e.Variants, b.NewVariant))
	}
	return head
}

// explainedRow writes the causes of one benchmark and the experiments on them.
func explainedRow(t *textWriter, b explain.Explanation) {
	for _, line := range running(b) {
		t.line("  while running: " + line)
	}
	if len(b.Causes) == 0 {
		t.line("  unknown: the machine code that takes time shows no cause; compare with -units time,counters and -memprofile")
	}
	for k, c := range b.Causes {
		if k == mostCauses {
			t.line(fmt.Sprintf("  and %d more (-json lists all)", len(b.Causes)-k))
			break
		}
		line := "  " + certainty(c.Proof) + ": " + words.Printable(c.String())
		if c.Share > 0 {
			line += ", " + words.Share(c.Share) + " of the time"
		}
		if c.Bytes != 0 {
			line += fmt.Sprintf(", %s/op in %s objects", words.SignedAmount("B/op", c.Bytes), words.SignedAmount("allocs/op", c.Objects))
		}
		t.line(line)
		if c.Proof != nil {
			t.line("    " + takenAway[c.Proof.Flip] + ": " + explainedShare(*c.Proof))
		}
	}
	for _, p := range b.Files {
		t.line("  " + certainty(&p) + ": the change of " + words.Printable(p.File) + " " + explainedShare(p))
	}
	for _, note := range b.Notes {
		t.line("  note: " + words.Printable(note))
	}
}

// takenAway describes how each mechanism was removed.
var takenAway = map[explain.Flip]string{
	explain.NoCollector: "with GOGC=off in both variants",
	explain.NoProfile:   "with -pgo=off in both variants",
	explain.OrderHeld:   "the effect of function orders",
}

// explainedShare shows how much of the change the removed mechanism accounts for,
// and how certain that is.
func explainedShare(p explain.Proof) string {
	text := fmt.Sprintf("accounts for %s of %s (%s)", unit.SignedPercent(p.Explained, 1), unit.SignedPercent(p.Of, 1), words.Range(p.Lo, p.Hi))
	switch {
	case p.Verdict == explain.Excess:
		text += ", more than the whole: it also removes something else, and proves nothing"
	case p.Verdict == explain.Unclear:
		text += ", undecided"
	}
	return text
}

// differ reports whether two amounts differ by more than 5% and more than a
// little.
func differ(a, b, least float64) bool { return max(a, b)-min(a, b) > max(least, 0.05*max(a, b)) }

// mostSites is the most sites of allocations that the text lists.
const mostSites = 3

// running lists the resources that the variants use differently while they run.
func running(b explain.Explanation) (lines []string) {
	if b.OldRunning == nil || b.NewRunning == nil {
		return nil
	}
	old, new := *b.OldRunning, *b.NewRunning
	bytes := func(v float64) string { return words.Amount("B/op", v) }
	objects := func(v float64) string { return words.Amount("allocs/op", v) }
	if differ(old.Objects, new.Objects, 0.01) || differ(old.Bytes, new.Bytes, 1) {
		lines = append(lines, fmt.Sprintf("%s/op in %s allocs/op, before %s in %s", bytes(new.Bytes), objects(new.Objects), bytes(old.Bytes), objects(old.Objects)))
	}
	for i, s := range b.Sites {
		if i == mostSites || !s.Changed() {
			break
		}
		lines = append(lines, fmt.Sprintf("%s allocates %s/op in %s, before %s in %s [%s:%d]",
			words.Printable(explain.Short(s.Function)), bytes(s.NewBytes), objects(s.NewObjects), bytes(s.OldBytes), objects(s.OldObjects), filepath.Base(s.File), s.Line))
	}
	if differ(old.Collector, new.Collector, 0.01) {
		lines = append(lines, fmt.Sprintf("collector %.3g%% of the CPU time, before %.3g%%", 100*new.Collector, 100*old.Collector))
	}
	return lines
}
