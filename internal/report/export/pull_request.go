package export

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/words"
	"github.com/tarebench/tare/internal/result"
)

// CommentLimit is how many bytes GitHub takes of a comment.
const CommentLimit = 65536

// PullRequest writes a document as Markdown for a pull request, a comparison with what
// changed, broke or is undecided first, the unchanged folded. It stays within
// limit bytes: the folded part goes first,
// then the smallest changes, and it says so.
func PullRequest(w io.Writer, d report.Document, limit int) error {
	if d.Comparison == nil {
		return report.Markdown(w, d)
	}
	c := d.Comparison
	changed, same := *c, *c
	changed.Benchmarks, same.Benchmarks = nil, nil
	for _, b := range c.Benchmarks {
		if b.Verdict == result.Same {
			b.Findings = nil // told once, above
			same.Benchmarks = append(same.Benchmarks, b)
		} else {
			changed.Benchmarks = append(changed.Benchmarks, b)
		}
	}
	same.Summary, same.Findings, same.GeoMeans, same.Config = result.Summary{}, nil, nil, nil
	changed.GeoMeans = slices.DeleteFunc(slices.Clone(c.GeoMeans), func(g result.GeoMean) bool { // of unchanged rows alone
		return !slices.ContainsFunc(changed.Benchmarks, func(b result.BenchmarkComparison) bool {
			return b.Unit == g.Unit && b.NewVariant == g.NewVariant
		})
	})
	var top, folded bytes.Buffer
	if len(changed.Benchmarks) == 0 {
		fmt.Fprintf(&top, "**%s**\n\nNothing changed by more than the band.\n", report.Escape(words.Tally(c.Summary)))
		top.WriteString(report.MarkdownNotes(report.Document{Comparison: &changed}.Notes()))
	} else if err := report.Markdown(&top, report.Document{Comparison: &changed}); err != nil {
		return err
	}
	if len(same.Benchmarks) > 0 {
		fmt.Fprintf(&folded, "\n<details><summary>%s unchanged</summary>\n\n", words.Plural(len(same.Benchmarks), "row"))
		if err := report.Markdown(&folded, report.Document{Comparison: &same}); err != nil {
			return err
		}
		folded.WriteString("\n</details>\n")
	}
	if top.Len()+folded.Len() > limit {
		folded.Reset()
		fmt.Fprintf(&folded, "\n%s unchanged, left out to stay within %d bytes.\n", words.Plural(len(same.Benchmarks), "row"), limit)
	}
	for keep := len(changed.Benchmarks); top.Len()+folded.Len()+100 > limit && keep > 0; {
		keep /= 2
		short := changed
		short.Benchmarks = short.Benchmarks[:keep]
		short.GeoMeans, short.Findings = nil, nil
		top.Reset()
		if err := report.Markdown(&top, report.Document{Comparison: &short}); err != nil {
			return err
		}
		fmt.Fprintf(&top, "\n%s left out to stay within %d bytes.\n", words.Plural(len(changed.Benchmarks)-keep, "more row"), limit)
	}
	_, err := w.Write(append(top.Bytes(), folded.Bytes()...))
	return err
}
