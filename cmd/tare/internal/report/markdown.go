package report

import (
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// Markdown writes a document for a pull request: counts of verdicts, a table
// per package and unit, the findings.
func Markdown(w io.Writer, d Document) error {
	var b strings.Builder
	if tally := words.Tally(d.Comparison); tally != "" {
		fmt.Fprintf(&b, "**%s**\n\n", tally)
	}
	markdownConfig(&b, d.Comparison.Config)
	all, spanning := d.readable()
	var last *Section
	for _, s := range all {
		if lines := s.heading(last); len(lines) > 0 {
			for i := range lines {
				lines[i] = escape(lines[i])
			}
			b.WriteString(strings.Join(lines, "  \n") + "\n\n")
		}
		if s.Rows() > len(s.Folded) {
			b.WriteString(strings.Join(markdownTable(tableOf(d.Comparison, s).columns), "") + "\n")
		}
		if line := s.FoldedWords(d.Comparison.Delta); line != "" {
			b.WriteString(escape(line) + "\n\n")
		}
		last = s
	}
	for _, line := range d.Absent() {
		b.WriteString(words.Mark(line.Verdict, "") + " " + escape(line.Text) + "\n\n")
	}
	for _, g := range spanning {
		fmt.Fprintf(&b, "Geometric mean of %d, %s, %s: %s\n\n", g.N, escape(g.Unit), escape(words.Label(d.Comparison.Variants, g.NewVariant)),
			escape(strings.Join(words.ChangeParts(&result.BenchmarkComparison{Unit: g.Unit, Change: g.Change}), "")))
	}
	if len(all) == 0 {
		b.WriteString(escape(nothing(d.Comparison)) + "\n\n")
	}
	b.WriteString(markdownNotes(d.Notes()))
	if text := markdownBlind(d); text != "" {
		b.WriteString("\n" + text)
	}
	_, err := io.WriteString(w, strings.TrimRight(b.String(), "\n")+"\n")
	return err
}

func markdownTable(all []*column) []string {
	var header, rule strings.Builder
	var lines []string
	for _, c := range all {
		if !c.used || c.detail {
			continue
		}
		header.WriteString("| " + escape(c.header) + " ")
		if c.headerRight || c.number {
			rule.WriteString("|--:")
		} else {
			rule.WriteString("|:--")
		}
		for row := range c.styles {
			if row == len(lines) {
				lines = append(lines, "")
			}
			text := escape(c.text(row))
			if row < len(c.marks) {
				text = c.marks[row] + " " + text
			}
			lines[row] += "| " + text + " "
		}
	}
	lines = append([]string{header.String(), rule.String()}, lines...)
	for i := range lines {
		lines[i] += "|\n"
	}
	return lines
}

func markdownConfig(b *strings.Builder, c map[string]string) {
	var parts []string
	for _, k := range words.Keys(c) {
		parts = append(parts, escape(k+": "+c[k]))
	}
	if len(parts) > 0 {
		b.WriteString(strings.Join(parts, " · ") + "\n\n")
	}
}

const quotedLines = 3

func markdownNotes(all []Note) string {
	var b strings.Builder
	for _, n := range OneStep(all) {
		fmt.Fprintf(&b, "- **%s**", n.Severity)
		if who := words.List(n.Subjects); who != "" {
			fmt.Fprintf(&b, " %s", escape(who))
		}
		// A quoted compiler or panic names the error in its first lines.
		lines := strings.Split(strings.TrimSpace(n.Message), "\n")
		fmt.Fprintf(&b, ": %s", escape(strings.Join(lines[:min(len(lines), quotedLines)], " ")))
		if n.Action != "" {
			fmt.Fprintf(&b, "; %s", escape(n.Action))
		}
		fmt.Fprintf(&b, " (%s)\n", escape(n.ID))
	}
	return b.String()
}

// escape makes s plain text in Markdown: no HTML, no markup, no line breaks, no
// mention of anyone. It reads well unrendered, in mail: an underline inside a word
// is itself in Markdown, and other signs have a backslash.
func escape(s string) string {
	s = words.Printable(s)
	inWord := func(i int) bool {
		return i > 0 && i+1 < len(s) && isAlnum(s[i-1]) && isAlnum(s[i+1])
	}
	var b strings.Builder
	for i, c := range s {
		switch {
		case c == '_' && inWord(i):
			b.WriteRune(c)
		case strings.ContainsRune("\\|`*_[]~", c):
			b.WriteString("\\" + string(c))
		case strings.ContainsRune("<>&", c):
			b.WriteString(html.EscapeString(string(c)))
		case strings.ContainsRune("@#", c):
			fmt.Fprintf(&b, "&#%d;", c)
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

func isAlnum(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' }
