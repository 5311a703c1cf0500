package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// mostNamed is the most changes that the closing lines name in each direction.
const mostNamed = 4

// Written writes a summary if the report itself went to a file. It has the
// path, the directory of the study, and the last lines of a comparison: slower
// rows, faster rows and the next step.
func Written(w io.Writer, d Document, path string, o Options) error {
	t := &textWriter{o: o}
	t.line("Wrote " + words.Printable(path))
	if folder := d.Folder(); folder != "" {
		t.line("Kept in " + words.Printable(folder))
	}
	t.closing(d)
	return t.flush(w)
}

// closing writes the last lines of a comparison. It writes nothing for a run.
func (t *textWriter) closing(d Document) {
	c := d.Comparison
	if c == nil || len(c.Benchmarks) == 0 {
		return
	}
	t.line("")
	rows := d.Rows()
	if tally := words.Tally(c.Summary); tally != "" {
		t.line(tally)
	}
	for _, v := range []struct {
		label    string
		verdicts []result.Verdict
	}{{"slower", []result.Verdict{result.Failed, result.Slower}}, {"faster", []result.Verdict{result.Faster}}} {
		text, color := changesOf(rows, v.verdicts, c.Delta), verdictStyle(v.verdicts[0])
		if text == "" {
			text, color = "none", plainStyle
		}
		t.closingLine(v.label, text, color)
	}
	t.next(d)
}

// next writes the next step, if there is one.
func (t *textWriter) next(d Document) {
	if d.Comparison == nil || len(d.Comparison.Benchmarks) == 0 {
		return
	}
	if step := d.next(); step != "" {
		t.closingLine("next", step, plainStyle)
	}
}

func (t *textWriter) closingLine(label, text string, color style) {
	head := label + ": "
	t.line(t.paint(color, head) + strings.TrimPrefix(wrap(head+words.Printable(text), t.o.Width, "  "), head))
}

// changesOf names the rows with some verdicts, in the order of [Greatest].
func changesOf(rows []*result.BenchmarkComparison, verdicts []result.Verdict, delta float64) string {
	var names []string
	for _, b := range Greatest(rows, verdicts...) {
		name := words.RowName(b.Key, b.Row)
		if b.Unit != "sec/op" {
			name += " [" + b.Unit + "]"
		}
		change := strings.Join(strings.Fields(strings.Join(words.ChangeParts(b), "")), " ")
		if b.Verdict == result.Failed {
			change = "failed"
		}
		if words.Inside(b.Change, words.Delta(b, delta)) {
			change += ", less than " + words.Percent(words.Delta(b, delta))
		}
		names = append(names, name+" "+change)
	}
	if more := len(names) - mostNamed; more > 0 {
		names = append(names[:mostNamed], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, "; ")
}

// next proposes the next step. It is empty if the table is enough.
func (d Document) next() string {
	c := d.Comparison
	var steps []string
	// More time can finish the work that the study skipped.
	resume, open := d.resumeCommand(), c.Summary.NotReached+c.Summary.Undecided
	total := d.Recording != nil && d.Recording.Study.TotalSeconds > 0
	contradict, longer := d.longerSlices()
	open -= contradict
	switch {
	case c.Incomplete && resume != "":
		steps = append(steps, "interrupted, with the measurements kept: "+resume+" continues")
		open = 0
	case c.Incomplete:
		steps = append(steps, "interrupted. A study of a working tree with changes cannot be resumed: commit it, and start again")
		open = 0
	case total && open > 0:
		steps = append(steps, openAfterTotal(c, resume))
		open = 0
	}
	if contradict > 0 {
		steps = append(steps, words.Plural(contradict, "benchmark")+" undecided, whose sums of time contradict the slices: longer slices decide, "+longer)
	}
	if n := c.Summary.Failed; n > 0 {
		steps = append(steps, "fix the failures")
	}
	measured := false
	for i := range c.Benchmarks {
		measured = measured || c.Benchmarks[i].Blocks > 0
	}
	if open > 0 {
		step := words.Plural(open, "benchmark") + " undecided: "
		switch {
		case d.Recording != nil && !d.Recording.Study.Timed():
			step += "their counts vary between processes: read their intervals"
		case !measured:
			step += "measure more runs, or use tare compare, which alternates the variants"
		case resume != "":
			step += resume + " -budget 60s continues, tare doctor checks the machine"
		default:
			step += "raise -budget, and see tare doctor"
		}
		steps = append(steps, step)
	}
	if c.Summary.Slower > 0 && c.Folder != "" {
		steps = append(steps, "tare show -o report.html "+words.Shell([]string{c.Folder})+" shows each change")
	}
	if len(steps) == 0 && c.Summary.Slower+c.Summary.Faster == 0 {
		return "nothing: no benchmark differs by more than " + words.Percent(c.Delta)
	}
	return strings.Join(steps, "; ")
}

// openAfterTotal proposes a step for benchmarks that a total left open. The
// finding total-too-short has the time that reaches all.
func openAfterTotal(c *result.Comparison, resume string) string {
	var open []string
	for _, v := range words.Counts(c.Summary) {
		if v.Verdict == result.NotReached || v.Verdict == result.Undecided {
			open = append(open, v.String())
		}
	}
	step := strings.Join(open, ", ") + ": "
	if resume != "" {
		return step + resume + " continues for as long again, with -total for another time"
	}
	return step + "raise -total, divide the run (-shard), or choose with -bench"
}

// resumeCommand returns the command that continues the study. It is empty
// without a directory, if a variant was a changed working tree, or if several
// machines measured.
func (d Document) resumeCommand() string {
	c := d.Comparison
	dirty := func(v result.Variant) bool { return v.Dirty }
	if c.Folder == "" || slices.ContainsFunc(c.Variants, dirty) || d.Recording != nil && len(d.Recording.Machines) > 0 {
		return ""
	}
	return "tare compare -resume " + words.Shell([]string{c.Folder})
}
