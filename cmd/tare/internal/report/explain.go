package report

import (
	"fmt"
	"io"
	"math"
	"path/filepath"

	"github.com/tarebench/tare/cmd/tare/internal/explain"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

const mostCauses = 5

// ExplainText writes, for each benchmark, first its measurement, then its causes.
// Of the options it uses the width.
func ExplainText(w io.Writer, e explain.Explained, o Options) error {
	t := &textWriter{o: o}
	if len(e.Benchmarks) == 0 {
		t.line("nothing to explain: no benchmark with other machine code is faster, slower or undecided")
	}
	for i, b := range e.Benchmarks {
		if i > 0 {
			t.line("")
		}
		t.linef("%s", explainedHead(e, b))
		explainedRow(t, b)
	}
	return t.flush(w)
}

func explainedHead(e explain.Explained, b explain.Explanation) string {
	head := words.RowName(b.Key, "")
	if change := words.Change(b.Change); change != "" {
		head += "  " + change
	}
	if b.Verdict != "" {
		head += "  " + string(b.Verdict)
	}
	if len(e.Variants) > 2 {
		head += "  " + words.Label(e.Variants, b.NewVariant)
	}
	return head
}

func explainedRow(t *textWriter, b explain.Explanation) {
	line := func(s string) { t.line("  " + wrap(s, t.o.Width-2, "    ")) }
	for _, s := range running(b) {
		line("while running: " + s)
	}
	if b.Note != "" {
		line("note: " + b.Note)
	}
	if len(b.Causes) == 0 {
		line("unknown: the machine code that takes time shows no cause; compare with -memprofile, or run its test under perf stat")
	}
	for k, c := range b.Causes {
		if k == mostCauses {
			line(fmt.Sprintf("and %d more (-json lists all)", len(b.Causes)-k))
			break
		}
		cause := "suspected: " + c.String()
		if c.Share > 0 {
			cause += ", " + words.Share(c.Share) + " of the time"
		}
		if c.Bytes != 0 {
			cause += fmt.Sprintf(", %s/op in %s objects", words.SignedAmount("B/op", hundredth(c.Bytes)), words.SignedAmount("allocs/op", hundredth(c.Objects)))
		}
		line(cause)
	}
}

// hundredth drops what the profiler itself allocates, spread over the operations.
func hundredth(v float64) float64 { return math.Round(100*v) / 100 }

// differ reports whether two amounts differ by more than 5% and more than a
// little.
func differ(a, b, least float64) bool { return max(a, b)-min(a, b) > max(least, 0.05*max(a, b)) }

const mostSites = 3

func running(b explain.Explanation) (lines []string) {
	if b.OldRunning == nil || b.NewRunning == nil {
		return nil
	}
	old, new := *b.OldRunning, *b.NewRunning
	bytes := func(v float64) string { return words.Amount("B/op", hundredth(v)) }
	objects := func(v float64) string { return words.Amount("allocs/op", hundredth(v)) }
	if differ(old.Objects, new.Objects, 0.01) || differ(old.Bytes, new.Bytes, 1) {
		lines = append(lines, fmt.Sprintf("%s/op in %s allocs/op, before %s in %s", bytes(new.Bytes), objects(new.Objects), bytes(old.Bytes), objects(old.Objects)))
	}
	for i, s := range b.Sites {
		if i == mostSites || !s.Changed() {
			break
		}
		lines = append(lines, fmt.Sprintf("%s allocates %s/op in %s, before %s in %s [%s:%d]",
			words.Symbol(s.Function), bytes(s.NewBytes), objects(s.NewObjects), bytes(s.OldBytes), objects(s.OldObjects), filepath.Base(s.File), s.Line))
	}
	if differ(old.Collector, new.Collector, 0.01) {
		lines = append(lines, fmt.Sprintf("collector %.3g%% of the CPU time, before %.3g%%", 100*new.Collector, 100*old.Collector))
	}
	return lines
}
