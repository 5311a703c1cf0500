package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/result"
)

// SummaryLimit is how many bytes GitHub takes of all job summaries of a step.
const SummaryLimit = 1 << 20

// GitHub writes a job summary (Markdown, at most room bytes) to summary, which
// is appended to the file that GITHUB_STEP_SUMMARY names, and one workflow
// annotation per regression and failure to log, which is the job's log.
func GitHub(summary io.Writer, room int, log io.Writer, d Document) error {
	var b bytes.Buffer
	if c := d.Comparison; c != nil {
		if err := PullRequest(&b, c, room-1); err != nil {
			return err
		}
		for i := range c.Benchmarks {
			if r := &c.Benchmarks[i]; isRegression(r, c.Delta) || r.Verdict == result.Failed {
				fmt.Fprintf(log, "::error title=%s::%s\n", annotationTitle(caseName(rowName(r.Key, r.Row), r.Unit)), annotation(Sentence(r, c.Delta)))
			}
		}
	} else {
		if err := RunMarkdown(&b, d.Run); err != nil {
			return err
		}
		if b.Len() >= room {
			b.Reset()
			fmt.Fprintf(&b, "%s: the table is longer than a job summary may be (1 MiB).\n", plural(len(d.Run.Benchmarks), "row"))
		}
		for i := range d.Run.Benchmarks {
			if m := &d.Run.Benchmarks[i]; m.Failed != "" {
				fmt.Fprintf(log, "::error title=%s::%s\n", annotationTitle(caseName(rowName(m.Key, m.Row), m.Unit)), annotation("failed: "+m.Failed))
			}
		}
	}
	b.WriteByte('\n')
	if b.Len() > room {
		b.Reset() // earlier summaries of the step have filled it
		fmt.Fprintln(log, "::warning title=tare::no room is left in the job summary of this step")
	}
	if _, err := summary.Write(b.Bytes()); err != nil {
		return fmt.Errorf("write job summary: %w", err)
	}
	return nil
}

// CommentLimit is how many bytes GitHub takes of a comment.
const CommentLimit = 65536

// PullRequest writes a comparison as Markdown for a pull request: what
// changed, broke or is undecided first, the unchanged folded. It stays within
// limit bytes: the folded part goes first,
// then the smallest changes, and it says so.
func PullRequest(w io.Writer, c *result.Comparison, limit int) error {
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
		fmt.Fprintf(&top, "**%s**\n\nNothing changed by more than the band.\n", md(tallyWords(c.Summary)))
		markdown := &strings.Builder{}
		markdownNotes(markdown, comparisonNotes(&changed))
		top.WriteString(markdown.String())
	} else if err := Markdown(&top, &changed); err != nil {
		return err
	}
	if len(same.Benchmarks) > 0 {
		fmt.Fprintf(&folded, "\n<details><summary>%s unchanged</summary>\n\n", plural(len(same.Benchmarks), "row"))
		if err := Markdown(&folded, &same); err != nil {
			return err
		}
		folded.WriteString("\n</details>\n")
	}
	if top.Len()+folded.Len() > limit {
		folded.Reset()
		fmt.Fprintf(&folded, "\n%s unchanged, left out to stay within %d bytes.\n", plural(len(same.Benchmarks), "row"), limit)
	}
	for keep := len(changed.Benchmarks); top.Len()+folded.Len()+100 > limit && keep > 0; {
		keep /= 2
		short := changed
		short.Benchmarks = short.Benchmarks[:keep]
		short.GeoMeans, short.Findings = nil, nil
		top.Reset()
		if err := Markdown(&top, &short); err != nil {
			return err
		}
		fmt.Fprintf(&top, "\n%s left out to stay within %d bytes.\n", plural(len(changed.Benchmarks)-keep, "more row"), limit)
	}
	_, err := w.Write(append(top.Bytes(), folded.Bytes()...))
	return err
}

// annotation escapes the message of a workflow command, annotationTitle one
// of its properties.
func annotation(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(printable(s))
}

func annotationTitle(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(annotation(s))
}
