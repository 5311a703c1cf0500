package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
	"github.com/tarebench/tare/internal/finding"
	"github.com/tarebench/tare/internal/unit"
)

const mostNamed = 4

// Written writes a summary if the report itself went to a file. It has the
// path, the directory of the study, and the last lines of a comparison: the rows
// that changed and the next step.
func Written(w io.Writer, d Document, path string, o Options) error {
	t := &textWriter{o: o}
	t.linef("Wrote %s", path)
	if folder := d.Comparison.Folder; folder != "" {
		t.linef("Kept in %s", folder)
	}
	t.closing(d)
	return t.flush(w)
}

// Summary writes a comparison as one line for people: the number of verdicts, the
// greatest changes, and what failed.
func Summary(w io.Writer, d Document, o Options) error {
	t, c := &textWriter{o: o}, d.Comparison
	line := cmp.Or(words.Tally(c), "nothing was compared")
	if rows := greatest(d.Rows(), result.Failed, result.Slower, result.Faster, result.Different); len(rows) > 0 {
		line += ": " + t.changesOf(rows, c)
	}
	for _, n := range d.Notes() {
		if n.Severity == finding.Severe {
			line += "; " + strings.TrimPrefix(words.List(n.Subjects)+": ", ": ") + words.FirstLine(n.Message)
		}
	}
	t.linef("%s", line)
	return t.flush(w)
}

func (t *textWriter) closing(d Document) {
	c := d.Comparison
	if c.IsRun() || len(c.Benchmarks) == 0 {
		return
	}
	t.line("")
	if tally := words.Tally(c); tally != "" {
		t.line(tally)
	}
	t.changes(d)
	t.next(d)
	t.blind(d)
}

// changes writes the rows that failed, and those with another value, a line for
// each word, slower, more, faster, and pair of variants. Without any, two lines
// answer "none".
func (t *textWriter) changes(d Document) {
	c := d.Comparison
	of := make(map[string][]*result.BenchmarkComparison)
	var found []string
	for _, b := range greatest(d.Rows(), result.Failed, result.Slower, result.Faster, result.Different) {
		word := words.Word(b) + pairOf(b, c)
		if of[word] == nil {
			found = append(found, word)
		}
		of[word] = append(of[word], b)
	}
	first := &c.Benchmarks[0]
	for _, v := range []result.Verdict{result.Failed, result.Slower, result.Faster, result.Different} {
		some := false
		for _, word := range found {
			if rows := of[word]; rows[0].Verdict == v {
				t.closingLine(word, t.changesOf(rows, c), verdictStyle(v))
				some = true
			}
		}
		if word := words.VerdictIn(v, first.Unit, first.Direction()); !some && (v == result.Slower || v == result.Faster) && first.Direction() != unit.Unknown {
			t.closingLine(word, "none", plainStyle)
		}
	}
}

func (t *textWriter) next(d Document) {
	if len(d.Comparison.Benchmarks) == 0 {
		return
	}
	if step := d.next(); step != "" {
		t.closingLine("next", step, plainStyle)
	}
}

func (t *textWriter) closingLine(label, text string, color style) {
	head := label + ":"
	t.line(t.paint(color, head) + strings.TrimPrefix(wrap(head+" "+text, t.o.Width, "  "), head))
}

// pairOf names the variants of a row if there are more than two.
func pairOf(b *result.BenchmarkComparison, c *result.Comparison) string {
	if len(c.Variants) < 3 {
		return ""
	}
	return " (" + head(c.Variants, b.OldVariant) + " → " + head(c.Variants, b.NewVariant) + ")"
}

// changesOf names the greatest of some rows. What all names have in common comes
// first, and once, if a line does not suffice.
func (t *textWriter) changesOf(rows []*result.BenchmarkComparison, c *result.Comparison) string {
	var names, changes []string
	for _, b := range rows[:min(len(rows), mostNamed)] {
		names = append(names, words.RowName(b.Key, b.Row))
		change := strings.Join(strings.Fields(strings.Join(words.ChangeParts(b), "")), " ")
		if b.Unit != "sec/op" {
			change = "[" + b.Unit + "] " + change
		}
		if words.Inside(b.Change, words.Delta(b, c.Delta)) {
			change += ", less than " + words.Percent(words.Delta(b, c.Delta))
		}
		changes = append(changes, change)
	}
	join := func(path string) string {
		var all []string
		for i, name := range names {
			all = append(all, strings.TrimSpace(strings.TrimPrefix(name, path)+" "+changes[i]))
		}
		if more := len(rows) - len(names); more > 0 {
			all = append(all, fmt.Sprintf("and %d more", more))
		}
		return strings.TrimSpace(path + " " + strings.Join(all, "; "))
	}
	if s := join(""); t.o.Width == 0 || words.Columns(s)+10 < t.o.Width {
		return s
	}
	return join(CommonPath(names))
}

// next proposes the next step. It is empty if the table is enough.
func (d Document) next() string {
	c := d.Comparison
	var steps []string
	// More time can finish the work that the study skipped.
	resume, open := d.resumeFlags(), c.Summary.NotReached+c.Summary.Undecided
	total := d.Recording != nil && d.Recording.Study.TotalSeconds > 0
	contradict, busy, longer := d.longerSlices()
	other := 0 // work
	for i := range c.Benchmarks {
		if b := &c.Benchmarks[i]; b.Primary && b.Tests == "other" && b.Verdict == result.Undecided {
			other++
		}
	}
	passed := d.passed()
	open -= contradict + busy + other + passed
	switch {
	case c.Incomplete && resume != nil:
		steps = append(steps, "interrupted, with the measurements kept: "+d.again(resume...)+" continues")
		open = 0
	case c.Incomplete:
		steps = append(steps, "interrupted, and cannot be resumed: start again")
		open = 0
	case total && open > 0:
		steps = append(steps, d.openAfterTotal(resume))
		open = 0
	}
	if contradict > 0 {
		steps = append(steps, words.Plural(contradict, "benchmark")+" undecided, whose long runs contradict the slices: longer slices decide, "+longer)
	}
	if busy > 0 {
		steps = append(steps, words.Plural(busy, "benchmark")+" undecided, whose CPUs other programs had: measure on a quieter machine, tare doctor checks it")
	}
	if other > 0 {
		step := d.again("-split") + " shows tests and code apart"
		if d.Recording != nil && !d.Recording.Study.NewTests {
			step = "without tests=, both are measured with the new tests if they build"
		}
		steps = append(steps, words.Plural(other, "benchmark")+" not the same work: "+step)
	}
	if i := slices.IndexFunc(c.Findings, catalog.NotBuilt.Is); i >= 0 {
		steps = append(steps, fmt.Sprintf("fix the build of %s", c.Findings[i].Values["variant"]))
	}
	if n := c.Summary.Failed; n > 0 {
		steps = append(steps, "fix the failures")
	}
	measured := slices.ContainsFunc(c.Benchmarks, func(b result.BenchmarkComparison) bool { return b.Blocks > 0 })
	if open > 0 {
		step := words.Plural(open, "benchmark") + " undecided: "
		switch {
		case d.Recording != nil && !d.Recording.Study.Timed():
			step += "their counts vary between processes: read their intervals"
		case !measured:
			step += "alternate more runs of the variants, as tare compare does"
		case resume != nil:
			step += d.again(append(resume, "-budget", "60s")...) + " continues, tare doctor checks the machine"
		default:
			step += "raise -budget, and see tare doctor"
		}
		steps = append(steps, step)
	}
	if n := otherProcs(c.Benchmarks); n > 0 && d.Recording == nil {
		steps = append(steps, words.Plural(n, "benchmark")+" with another GOMAXPROCS in each variant: -ignore /gomaxprocs compares them")
	}
	if c.Summary.Slower > 0 && c.Folder != "" {
		steps = append(steps, "tare show -o report.html "+words.Shell([]string{c.Folder})+" shows each change")
	}
	if passed > 0 && len(steps) == 0 {
		return "nothing: the gate is decided"
	}
	missing := func(b *result.BenchmarkComparison) bool { return b.Verdict == result.Missing }
	if rows := d.Rows(); len(steps) == 0 && len(slices.DeleteFunc(rows, missing)) > 0 && !slices.ContainsFunc(c.Benchmarks, func(b result.BenchmarkComparison) bool { return b.Verdict.Differs() }) {
		return "nothing: no benchmark differs by more than " + words.Percent(c.Delta)
	}
	return strings.Join(steps, "; ")
}

// passed counts the undecided rows that pass the gate of the study.
func (d Document) passed() (n int) {
	if d.Recording == nil || len(d.Recording.Study.Output.Gate) == 0 {
		return 0
	}
	for i := range d.Comparison.Benchmarks {
		b := &d.Comparison.Benchmarks[i]
		contradicts := b.LongRuns != nil && b.LongRuns.Contradict
		if b.Primary && b.Verdict == result.Undecided && b.Gate == result.GatePass && b.Tests != "other" && !contradicts {
			n++
		}
	}
	return n
}

// otherProcs counts the benchmarks that each variant has with another GOMAXPROCS
// only.
func otherProcs(all []result.BenchmarkComparison) (n int) {
	sides := make(map[string][2]bool)
	for _, b := range all {
		if b.Verdict == result.Missing && b.Procs > 0 {
			name := b.Pkg + " " + b.Name
			has := sides[name]
			has[0], has[1] = has[0] || words.Known(b.Old.Center), has[1] || words.Known(b.New.Center)
			sides[name] = has
		}
	}
	for _, has := range sides {
		if has[0] && has[1] {
			n++
		}
	}
	return n
}

// openAfterTotal proposes a step for benchmarks that a total left open. The
// finding total-too-short has the time that reaches all.
func (d Document) openAfterTotal(resume []string) string {
	step := words.Open(d.Comparison) + ": "
	if resume != nil {
		return step + d.again(resume...) + " continues for as long again, with -total for another time"
	}
	return step + "raise -total, divide the run (-shard), or choose with -bench"
}

// resumeFlags returns the flags that continue the study. There are none without a
// directory, if the changes of a working tree are not known, or if several machines
// measured.
func (d Document) resumeFlags() []string {
	c := d.Comparison
	dirty := func(v result.Variant) bool { return v.Dirty && v.Digest == "" }
	if c.Folder == "" || slices.ContainsFunc(c.Variants, dirty) || d.Recording != nil && len(d.Recording.Machines) > 0 {
		return nil
	}
	return []string{"-resume", c.Folder}
}
