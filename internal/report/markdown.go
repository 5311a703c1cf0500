package report

import (
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/tarebench/tare/internal/result"
)

// Markdown writes a comparison for a pull request: the tally, a table per
// package and unit, the findings.
func Markdown(w io.Writer, c *result.Comparison) error {
	var b strings.Builder
	all, spanning := sections(c)
	if tally := tallyWords(c.Summary); tally != "" {
		fmt.Fprintf(&b, "**%s**\n\n", tally)
	}
	markdownConfig(&b, c.Config)
	var last *section
	for _, s := range all {
		markdownHeading(&b, last, s)
		last = s
		fmt.Fprintf(&b, "| %s | %s | %s | change | p | verdict |\n|:--|--:|--:|--:|--:|:--|\n",
			md(s.unit), md(label(c.Variants, s.oldVar)), md(label(c.Variants, s.newVar)))
		for _, row := range s.rows {
			sc := scaleOf(row.Unit, row.Old.Center, row.New.Center)
			words := Verdict(row, c.Delta)
			if row.Verdict == result.Undecided && row.Needed > 0 {
				words += "; " + needed(row) + " would settle it"
			}
			p := probability(row.P)
			if row.PBH != nil && p != "" {
				p += " (adj. " + probability(row.PBH) + ")"
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n",
				md(rowName(row.Key, row.Row)),
				md(strings.Join(valueParts(row.Old, sc.Format, sc.Symbol), "")),
				md(strings.Join(valueParts(row.New, sc.Format, sc.Symbol), "")),
				md(strings.Join(changeParts(row), "")), md(p), md(markVerdict(row.Verdict)+words))
		}
		if g := s.geomean; g != nil && g.N > 1 {
			sc := scaleOf(g.Unit, g.Old, g.New)
			fmt.Fprintf(&b, "| *%s* | %s | %s | %s | | |\n", meanWords(g, len(s.rows)),
				md(strings.Join(valueParts(bare(g.Old), sc.Format, sc.Symbol), "")),
				md(strings.Join(valueParts(bare(g.New), sc.Format, sc.Symbol), "")),
				md(strings.Join(changeParts(&result.BenchmarkComparison{Unit: g.Unit, Change: g.Change}), "")))
		}
		b.WriteByte('\n')
	}
	for _, g := range spanning {
		fmt.Fprintf(&b, "Geometric mean of %d, %s, %s: %s\n\n", g.N, md(g.Unit), md(label(c.Variants, g.NewVariant)),
			md(strings.Join(changeParts(&result.BenchmarkComparison{Unit: g.Unit, Change: g.Change}), "")))
	}
	if len(all) == 0 {
		b.WriteString("Nothing to compare.\n\n")
	}
	markdownNotes(&b, comparisonNotes(c))
	_, err := io.WriteString(w, strings.TrimRight(b.String(), "\n")+"\n")
	return err
}

// RunMarkdown writes a run: a table per package and unit, the findings.
func RunMarkdown(w io.Writer, r *result.Run) error {
	var b strings.Builder
	markdownConfig(&b, r.Config)
	var last *section
	for _, s := range runSections(r) {
		here := &section{config: s.config, pkg: s.pkg}
		markdownHeading(&b, last, here)
		last = here
		fmt.Fprintf(&b, "| %s | value | n | spread |\n|:--|--:|--:|:--|\n", md(s.unit))
		for _, m := range s.rows {
			if m.Failed != "" {
				fmt.Fprintf(&b, "| %s | failed: %s | | |\n", md(rowName(m.Key, m.Row)), md(m.Failed))
				continue
			}
			sc := scaleOf(m.Unit, m.Value.Center)
			band := m.Band
			if band != "" {
				band = spreadPercent(m.Spread) + " " + band
			}
			fmt.Fprintf(&b, "| %s | %s | %d | %s |\n", md(rowName(m.Key, m.Row)),
				md(strings.Join(valueParts(m.Value, sc.Format, sc.Symbol), "")), m.Value.N, md(band))
		}
		b.WriteByte('\n')
	}
	if last == nil {
		b.WriteString("Nothing was measured.\n\n")
	}
	markdownNotes(&b, runNotes(r))
	_, err := io.WriteString(w, strings.TrimRight(b.String(), "\n")+"\n")
	return err
}

func markVerdict(v result.Verdict) string {
	switch v {
	case result.Faster:
		return "🟢 "
	case result.Slower, result.Failed:
		return "🔴 "
	case result.Undecided:
		return "🟡 "
	}
	return "⚪ "
}

func tallyWords(s result.Summary) string {
	var parts []string
	for _, v := range []struct {
		n     int
		words string
	}{{s.Faster, "faster"}, {s.Slower, "slower"}, {s.Same, "same"}, {s.Undecided, "undecided"}, {s.Failed, "failed"}} {
		if v.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", v.n, v.words))
		}
	}
	return strings.Join(parts, ", ")
}

func markdownConfig(b *strings.Builder, c map[string]string) {
	var parts []string
	for _, k := range sortedKeys(c) {
		parts = append(parts, md(k+": "+c[k]))
	}
	if len(parts) > 0 {
		b.WriteString(strings.Join(parts, " · ") + "\n\n")
	}
}

func markdownHeading(b *strings.Builder, last, s *section) {
	changed := false
	for _, k := range sortedKeys(s.config) {
		if last == nil || last.config[k] != s.config[k] {
			fmt.Fprintf(b, "%s: %s  \n", md(k), md(s.config[k]))
			changed = true
		}
	}
	if s.pkg != "" && s.config["pkg"] == "" && (last == nil || last.pkg != s.pkg) {
		fmt.Fprintf(b, "pkg: %s\n", md(s.pkg))
		changed = true
	}
	if changed {
		b.WriteByte('\n')
	}
}

func markdownNotes(b *strings.Builder, all []note) {
	for _, n := range all {
		fmt.Fprintf(b, "- **%s**", n.Severity)
		if who := subjectWords(n.subjects); who != "" {
			fmt.Fprintf(b, " %s", md(who))
		}
		fmt.Fprintf(b, ": %s", md(n.Message))
		if n.Action != "" {
			fmt.Fprintf(b, "; %s", md(n.Action))
		}
		fmt.Fprintf(b, " (%s)\n", md(n.ID))
	}
}

var markdownSigns = strings.NewReplacer(
	`\`, "&#92;", "|", "&#124;", "`", "&#96;", "*", "&#42;", "_", "&#95;", "[", "&#91;", "]", "&#93;", "~", "&#126;", "@", "&#64;", "#", "&#35;",
)

// md makes s plain text in Markdown: no HTML, no markup, no line breaks, no
// mention of anyone.
func md(s string) string {
	// HTML first would have its # escaped again.
	return escapeHTMLAround(markdownSigns, printable(s))
}

func escapeHTMLAround(r *strings.Replacer, s string) string {
	var b strings.Builder
	for _, c := range s {
		one := string(c)
		if e := html.EscapeString(one); e != one {
			b.WriteString(e)
		} else {
			b.WriteString(r.Replace(one))
		}
	}
	return b.String()
}
