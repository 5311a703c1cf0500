package report

import (
	"cmp"
	"io"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// ComparisonBrief writes a comparison as one line of JSON.
func ComparisonBrief(w io.Writer, d Document) error {
	c, s := d.Comparison, d.Comparison.Summary
	b := result.Brief{Exit: d.Exit, Undecided: s.Undecided + s.NotReached, Blind: d.blind()}
	type benchmark struct {
		result.Key
		row     string
		variant int
	}
	listed := make(map[benchmark]bool)
	said := make(map[result.Verdict]string) // the words of each verdict
	for _, r := range greatest(d.Rows(), result.Failed, result.Slower, result.Faster, result.Different) {
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
	contradict, _, longer := d.longerSlices()
	switch resume := d.resumeFlags(); {
	case c.Folder == "" || s.Failed > 0:
	case contradict > 0 && contradict == b.Undecided && !c.Incomplete:
		b.Next = longer
	case c.Incomplete || b.Undecided > 0 && !counted:
		if resume != nil {
			b.Next = d.again(resume...)
		}
	case said[result.Slower] != "" && d.Recording != nil && !counted && len(d.Recording.Study.Exec) == 0:
		b.Next = d.explainCommand()
	}
	return result.WriteBrief(w, b)
}

func (d Document) explainCommand() string {
	if len(d.Command) < 2 || d.Command[1] != "compare" {
		return words.Shell([]string{"tare", "explain", d.Comparison.Folder}) + " …"
	}
	p, v := d.Recording.Study.Plan, d.Recording.Study.Variants
	args := []string{"tare", "explain"}
	if len(p.Tags) > 0 {
		args = append(args, "-tags", strings.Join(p.Tags, ","))
	}
	args = append(append(args, d.Comparison.Folder, v[0].Label, v[1].Label), p.Packages...)
	return words.Shell(args)
}
