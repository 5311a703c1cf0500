package report

import (
	"cmp"
	"io"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// ComparisonBrief writes a comparison as one line of JSON.
func ComparisonBrief(w io.Writer, d Document) error {
	c, s := d.Comparison, d.Comparison.Summary
	b := result.Brief{Exit: d.Exit, Undecided: s.Undecided + s.NotReached}
	type benchmark struct {
		result.Key
		row     string
		variant int
	}
	listed := make(map[benchmark]bool)
	said := make(map[result.Verdict]string) // the words of each verdict
	for _, r := range Greatest(d.Rows(), result.Failed, result.Slower, result.Faster, result.Different) {
		if word, ok := said[r.Verdict]; ok && word != words.Word(r) {
			said[r.Verdict] = map[result.Verdict]string{result.Slower: "worse", result.Faster: "better"}[r.Verdict]
		} else {
			said[r.Verdict] = words.Word(r)
		}
		// List each benchmark once, with its greatest change.
		if k := (benchmark{r.Key, r.Row, r.NewVariant}); !listed[k] {
			listed[k] = true
			b.Changed = append(b.Changed, result.NewBriefRow(words.Printable(cmp.Or(r.Row, r.Name)), r.Unit, r.Change))
		}
	}
	b.Others = s.Faster + s.Slower + s.Changed + s.Same + s.Undecided + s.Failed + s.Skipped + s.Missing + s.NotReached - len(b.Changed)
	switch {
	case s.Failed > 0:
		b.Verdict, b.Reason = "failed", words.Plural(s.Failed, "benchmark")+" failed"
	case c.Incomplete:
		b.Verdict, b.Reason = "undecided", "interrupted"
	case len(said) > 1:
		b.Verdict = "mixed"
	case len(said) == 1:
		for _, b.Verdict = range said {
		}
	case b.Undecided > 0 || !c.Measured():
		b.Verdict = "undecided"
	default:
		b.Verdict = "same"
	}
	counted := d.Recording != nil && !d.Recording.Study.Timed()
	contradict, longer := d.longerSlices()
	switch resume := d.resumeCommand(); {
	case c.Folder == "" || s.Failed > 0:
	case contradict > 0 && contradict == b.Undecided && !c.Incomplete:
		b.Next = longer
	case c.Incomplete || b.Undecided > 0 && !counted:
		b.Next = resume
	case said[result.Slower] != "" && d.Recording != nil && !counted:
		b.Next = "tare explain " + words.Shell([]string{c.Folder})
	}
	return result.WriteBrief(w, b)
}
