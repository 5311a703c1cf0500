package report

import (
	"fmt"
	"io"

	"github.com/tarebench/tare/internal/explain"
	"github.com/tarebench/tare/internal/report/words"
	"github.com/tarebench/tare/unit"
)

// mostCauses is how many causes of one benchmark the text lists.
const mostCauses = 5

// standing is how sure a cause is.
func standing(c explain.Cause) string {
	switch {
	case c.Proof == nil:
		return "suspected"
	case c.Proof.Cause:
		return "proved"
	}
	return "not the cause"
}

// ExplainText writes causes benchmark by benchmark, the most likely first.
func ExplainText(w io.Writer, e explain.Explained) error {
	t := &textWriter{}
	if len(e.Benchmarks) == 0 {
		t.line("nothing to explain: no benchmark became faster or slower, or its machine code is the same")
	}
	for i, b := range e.Benchmarks {
		if i > 0 {
			t.line("")
		}
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
		t.line(head)
		if len(b.Causes) == 0 {
			t.line("  unknown: the machine code that takes time shows no cause; compare with -counters and -memprofile")
		}
		for k, c := range b.Causes {
			if k == mostCauses {
				t.line(fmt.Sprintf("  and %d more (-json lists all)", len(b.Causes)-k))
				break
			}
			line := "  " + standing(c) + ": " + words.Printable(c.String())
			if c.Share > 0 {
				line += ", " + words.Share(c.Share) + " of the time"
			}
			t.line(line)
			if p := c.Proof; p != nil {
				proof := "    the change of " + words.Printable(p.File) + " accounts for " + unit.SignedPercent(p.Explained, 1)
				if p.Of != 0 {
					proof += " of " + unit.SignedPercent(p.Of, 1)
				}
				t.line(proof + " (" + words.Range(p.Lo, p.Hi) + ")")
			}
		}
	}
	return t.flush(w)
}
