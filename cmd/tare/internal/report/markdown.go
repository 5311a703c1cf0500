package report

import (
	"fmt"
	"html"
	"io"
	"maps"
	"regexp"
	"slices"
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
		if len(s.Shown) > 0 {
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
		head := escape
		if c.codeHeader {
			head = code
		}
		header.WriteString("| " + cell(head(c.header)) + " ")
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
			if c.code {
				parts := c.cells[row*len(c.parts):][:len(c.parts)]
				text = code(parts[0]) + escape(strings.Join(parts[1:], ""))
			}
			if row < len(c.marks) {
				text = c.marks[row] + " " + text
			}
			lines[row] += "| " + cell(text) + " "
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
	for _, k := range slices.Sorted(maps.Keys(c)) {
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
		names := slices.Clone(n.Subjects)
		for i := range names {
			names[i] = code(names[i])
		}
		if who := words.List(names); who != "" {
			b.WriteString(" " + who)
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
// mention of anyone. It reads well unrendered, in mail: a word with signs that mean
// something in Markdown is code.
func escape(s string) string {
	parts := strings.Split(words.Printable(s), " ")
	for i, w := range parts {
		if !special(w) {
			continue
		}
		end := len(strings.TrimRight(w, ",;:."))
		before, w, after := "", w[:end], w[end:]
		if opens := strings.Count(w, "("); strings.HasPrefix(w, "(") && (opens > strings.Count(w, ")") || opens == 1 && strings.HasSuffix(w, ")")) {
			before, w = "(", w[1:]
		}
		if strings.HasSuffix(w, ")") && strings.Count(w, ")") > strings.Count(w, "(") {
			w, after = strings.TrimSuffix(w, ")"), ")"+after
		}
		parts[i] = before + code(w) + after
	}
	return strings.Join(parts, " ")
}

// special reports whether a word has a sign that Markdown or GitHub obeys. An
// underline inside a word is itself.
func special(w string) bool {
	if strings.HasPrefix(w, ">") || markup.MatchString(w) {
		return true
	}
	for i, c := range w {
		inWord := i > 0 && i+1 < len(w) && isAlnum(w[i-1]) && isAlnum(w[i+1])
		if strings.ContainsRune("\\`*~@#$", c) || c == '_' && !inWord || c == '&' && i+1 < len(w) && (w[i+1] == '#' || isAlnum(w[i+1])) {
			return true
		}
	}
	return false
}

// markup are the beginnings of HTML and the middles of links.
var markup = regexp.MustCompile(`<[A-Za-z/!?]|\]\(`)

// code makes s code in Markdown. HTML and links have escapes instead, for readers
// that render what stands in code.
func code(s string) string {
	if s = words.Printable(s); s == "" {
		return ""
	}
	if markup.MatchString(s) {
		return entities(s)
	}
	fence := fenceOf(s, 1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + s + fence
}

// fenceOf is the shortest fence of at least n backticks that s does not contain.
func fenceOf(s string, n int) string {
	for strings.Contains(s, strings.Repeat("`", n)) {
		n++
	}
	return strings.Repeat("`", n)
}

func entities(s string) string {
	var b strings.Builder
	for _, c := range s {
		switch {
		case strings.ContainsRune("\\|`*_[]~", c):
			b.WriteString("\\" + string(c))
		case strings.ContainsRune("<>&", c):
			b.WriteString(html.EscapeString(string(c)))
		case strings.ContainsRune("@#$", c):
			fmt.Fprintf(&b, "&#%d;", c)
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

// cell makes Markdown the text of a cell, of which a bar without a backslash is the
// end, also in code.
func cell(text string) string {
	var b strings.Builder
	odd := false // backslashes before the byte
	for i := range len(text) {
		if text[i] == '|' && !odd {
			b.WriteByte('\\')
		}
		odd = text[i] == '\\' && !odd
		b.WriteByte(text[i])
	}
	return b.String()
}

func isAlnum(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' }
