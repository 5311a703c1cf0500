package report

import (
	"fmt"
	"io"

	"github.com/tarebench/tare/internal/explain"
	"github.com/tarebench/tare/internal/report/words"
)

// mostCauses is how many causes of one benchmark the text lists.
const mostCauses = 5

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
			line := "  suspected: " + words.Printable(c.String())
			if c.Share > 0 {
				line += ", " + words.Share(c.Share) + " of the time"
			}
			t.line(line)
		}
	}
	return t.flush(w)
}
