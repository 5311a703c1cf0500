package report

import (
	"cmp"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
	"github.com/tarebench/tare/internal/finding"
)

// CommentLimit is the most bytes of a comment on GitHub.
const CommentLimit = 65536

// PullRequest writes a document as Markdown for a pull request. Failed and
// slower rows of a comparison come first, the greatest change first, then
// faster rows. Undecided, same and skipped rows are folded. It ends with the
// commits, the machine and the command, in a block to paste from.
//
// It stays within limit bytes and names the omitted parts. It omits same rows
// first, then undecided rows, findings, faster rows, and the smallest
// regressions last.
func PullRequest(w io.Writer, d Document, limit int) error {
	if d.Comparison.IsRun() {
		return Markdown(w, d)
	}
	_, err := io.WriteString(w, d.comment(limit))
	return err
}

func (d Document) comment(limit int) string {
	head := "**" + cmp.Or(escape(words.Tally(d.Comparison)), "nothing was compared") + "**\n"
	foot := d.commentFoot(limit)
	// The parts are joined in the order of their importance.
	const reserve = 160 // for the lines about omitted parts
	room := limit - len(head) - len(foot) - reserve
	var parts []string
	take := func(text, left string) {
		switch {
		case text == "":
		case len(text)+1 <= room:
			parts = append(parts, text)
			room -= len(text) + 1
		case left != "" && len(left) <= room:
			parts = append(parts, fmt.Sprintf("%s left out to stay within %d bytes.\n", left, limit))
			room -= len(left) + 50
		}
	}
	rows := d.Rows()
	changed, cut := d.commentTable(greatest(rows, result.Failed, result.Slower, result.Faster, result.Different), room)
	take(changed, "")
	if cut > 0 {
		parts = append(parts, fmt.Sprintf("%s, all smaller changes or better, left out to stay within %d bytes.\n", words.Plural(cut, "more row"), limit))
		room -= 100
	}
	if changed == "" && cut == 0 && len(rows) > 0 {
		take(d.unchanged(), "")
	}
	take(d.commentMeans(rows), "")
	take(markdownNotes(d.commentNotes(true)), "")
	take(markdownBlind(d), "changed functions")
	open := greatest(rows, result.Undecided)
	undecided, _ := d.commentTable(open, -1)
	take(details(words.Plural(len(open), "row")+" undecided", undecided), words.Plural(len(open), "undecided row"))
	same := greatest(rows, result.Same)
	identical := len(same)
	same = slices.DeleteFunc(same, func(b *result.BenchmarkComparison) bool { return b.Exact })
	if identical -= len(same); identical > 0 {
		take(words.Plural(identical, "row")+" identical.\n", "")
	}
	unchanged, _ := d.commentTable(same, -1)
	take(details(words.Plural(len(same), "row")+" the same", unchanged), words.Plural(len(same), "unchanged row"))
	for _, line := range d.Absent() {
		mark := words.Mark(line.Verdict, "") + " "
		text := mark + escape(line.Text) + "\n"
		if line.Verdict == result.NotReached { // a long list of names
			what, names, _ := strings.Cut(line.Text, ": ")
			text = details(mark+what, escape(names)+"\n")
		}
		take(text, "")
	}
	notes := d.commentNotes(false)
	take(details(words.Plural(len(notes), "finding"), markdownNotes(notes)), "")
	return strings.Join(slices.Concat([]string{head}, parts, []string{foot}), "\n")
}

func (d Document) unchanged() string {
	s := d.Comparison.Summary
	if measured := s.Same - s.SameCode + s.Undecided; measured == 0 && s.SameCode > 0 && s.NotReached == 0 {
		return "Nothing was measured: the machine code of " + words.Plural(s.SameCode, "benchmark") + " is the same in both variants.\n"
	}
	text := "No benchmark is known to differ by more than " + words.Percent(d.Comparison.Delta)
	if open := words.Open(d.Comparison); open != "" {
		text += ", but not all exclude a change: " + open
	}
	return text + ".\n"
}

func details(summary, text string) string {
	if text == "" {
		return ""
	}
	return "<details><summary>" + html.EscapeString(words.Printable(summary)) + "</summary>\n\n" + text + "\n</details>\n"
}

// commentNotes returns the findings that put a number in doubt, or the others.
func (d Document) commentNotes(doubt bool) []Note {
	return slices.DeleteFunc(d.Notes(), func(n Note) bool { return (n.Severity == finding.Info) == doubt })
}

// commentTable writes the rows that fit in room bytes (below 0: all rows) and returns
// the number of the others.
func (d Document) commentTable(rows []*result.BenchmarkComparison, room int) (text string, cut int) {
	if len(rows) == 0 {
		return "", 0
	}
	packages, columns := map[string]bool{}, map[int]bool{}
	for i := range d.Comparison.Benchmarks {
		packages[d.Comparison.Benchmarks[i].Pkg], columns[d.Comparison.Benchmarks[i].NewVariant] = true, true
	}
	verdicts, names := &column{parts: "l"}, &column{header: "benchmark", parts: "ll", code: true}
	before, after := &column{header: "old", parts: "rlr", headerRight: true}, &column{header: "new", parts: "rlr", headerRight: true}
	if len(columns) == 1 {
		before.header, before.codeHeader = d.label(rows[0].OldVariant), true
		after.header, after.codeHeader = d.label(rows[0].NewVariant), true
	}
	change, p := &column{header: "change", parts: "rlrlrl", headerRight: true}, &column{header: "p", parts: "r", headerRight: true}
	for _, r := range rows {
		name := words.RowName(r.Key, r.Row)
		if len(packages) > 1 && r.Pkg != "" {
			name = r.Pkg + "." + name
		}
		var more string
		if r.Unit != "sec/op" {
			more = " [" + r.Unit + "]"
		}
		if len(columns) > 1 {
			more += " (" + d.label(r.OldVariant) + " → " + d.label(r.NewVariant) + ")"
		}
		if extra := words.Config(r.Config); extra != "" {
			more += " (" + extra + ")"
		}
		verdict := words.Verdict(r, d.Comparison.Delta)
		if r.Verdict == result.Undecided && r.Needed > 0 {
			verdict += "; " + words.Needed(r) + " would settle it"
		}
		verdicts.marks = append(verdicts.marks, words.Mark(r.Verdict, r.Reason))
		verdicts.add(plainStyle, verdict)
		names.add(plainStyle, name, more)
		addSides(before, after, r)
		change.add(plainStyle, words.ChangeParts(r)...)
		p.add(plainStyle, words.P(r.P))
	}
	lines := markdownTable([]*column{verdicts, names, before, after, change, p})
	var b strings.Builder
	for i, line := range lines {
		if room >= 0 && i > 1 && b.Len()+len(line) > room {
			if i == 2 {
				return "", len(rows)
			}
			return b.String(), len(lines) - i
		}
		b.WriteString(line)
	}
	return b.String(), 0
}

func (d Document) commentMeans(rows []*result.BenchmarkComparison) string {
	changed := make(map[string]bool)
	for _, r := range greatest(rows, result.Slower, result.Faster, result.Different) {
		changed[fmt.Sprint(r.Unit, r.NewVariant)] = true
	}
	var b strings.Builder
	for _, g := range d.Comparison.GeoMeans {
		if g.N > 1 && changed[fmt.Sprint(g.Unit, g.NewVariant)] {
			where := g.Unit
			if extra := words.Config(g.Config); extra != "" {
				where += ", " + extra
			}
			fmt.Fprintf(&b, "%s: %s  \n", escape(where), escape(words.Mean(&g)))
		}
	}
	return b.String()
}

func (d Document) label(variant int) string { return words.Label(d.Comparison.Variants, variant) }

func (d Document) commentFoot(limit int) string {
	short := func(s string) string { return words.Shorten(words.Printable(s), 300) }
	var parts []string
	for i, v := range d.Comparison.Variants {
		if s := short(words.Variant(v)); s != "" {
			side := "new: "
			if i == 0 {
				side = "old: "
			}
			label := words.Printable(v.Label)
			if rest, ok := strings.CutPrefix(s, label); ok {
				parts = append(parts, side+code(label)+escape(rest))
			} else {
				parts = append(parts, side+escape(s))
			}
		}
	}
	if m := d.Comparison.Machine; m != nil {
		parts = append(parts, escape(short(words.Machine(*m))))
	} else if config := words.Config(d.Comparison.Config); config != "" {
		parts = append(parts, escape(short(config)))
	}
	var foot string
	if len(parts) > 0 {
		foot = "<sub>" + strings.Join(parts, " · ") + "</sub>\n"
	}
	if command := d.MadeBy(); command != nil {
		// A shell joins adjacent quotes, and no reader takes the parts for markup.
		line := markup.ReplaceAllStringFunc(words.Shell(command), func(s string) string { return "''" + s[:1] + "''" + s[1:] })
		fence := fenceOf(line, 3)
		block := "\n" + fence + "\n" + line + "\n" + fence + "\n"
		if len(block) > limit/2 {
			block = fmt.Sprintf("\ncommand left out to stay within %d bytes.\n", limit)
		}
		foot += block
	}
	return foot
}
