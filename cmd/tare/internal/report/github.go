package report

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/kind"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// SummaryLimit is how many bytes GitHub takes of all job summaries of a step.
const SummaryLimit = 1 << 20

// GitHub writes a job summary (Markdown, at most room bytes) to summary, which
// is appended to the file that GITHUB_STEP_SUMMARY names, and one workflow
// annotation per regression and failure to log, which is the job's log.
func GitHub(summary io.Writer, room int, log io.Writer, d Document) error {
	var b bytes.Buffer
	if c := d.Comparison; c != nil {
		if err := PullRequest(&b, d, room-1); err != nil {
			return err
		}
		for _, f := range c.Findings {
			if kind.TotalTooShort.Is(f) || kind.TotalReachesNone.Is(f) {
				fmt.Fprintf(log, "::warning title=tare::%s\n", annotation(f.Message+"; "+f.Action))
			}
		}
		for _, r := range d.Rows() {
			if isRegression(r, c.Delta) || r.Verdict == result.Failed {
				where, cause := culprit(c, r)
				fmt.Fprintf(log, "::error %stitle=%s::%s\n", where, annotationTitle(caseName(words.RowName(r.Key, r.Row), r.Unit)), annotation(words.Sentence(r, c.Delta)+cause))
			}
		}
	} else {
		if err := Markdown(&b, d); err != nil {
			return err
		}
		if b.Len() >= room {
			b.Reset()
			fmt.Fprintf(&b, "%s: the table is longer than a job summary may be (1 MiB).\n", words.Plural(len(d.Run.Benchmarks), "row"))
		}
		for i := range d.Run.Benchmarks {
			if m := &d.Run.Benchmarks[i]; m.Failed != "" {
				fmt.Fprintf(log, "::error title=%s::%s\n", annotationTitle(caseName(words.RowName(m.Key, m.Row), m.Unit)), annotation("failed: "+m.Failed))
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

// culprit is the line that an annotation of a regression belongs to, and the
// likely cause in words: those of the first cause that is in the repository.
func culprit(c *result.Comparison, r *result.BenchmarkComparison) (where, cause string) {
	for _, f := range c.Findings {
		v := f.Values
		file, inside := v["file"].(string)
		line, _ := v["line"].(float64)
		if !kind.LikelyCause.Is(f) || !inside || f.Subject != r.Name || v["pkg"] != r.Pkg || v["variant"] != words.Label(c.Variants, r.NewVariant) {
			continue
		}
		return fmt.Sprintf("file=%s,line=%d,", annotationTitle(file), int(line)), fmt.Sprintf("; %s", v["cause"])
	}
	return "", ""
}

// annotation escapes the message of a workflow command, annotationTitle one
// of its properties.
func annotation(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(words.Printable(s))
}

func annotationTitle(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(annotation(s))
}

// AppendSummary appends the job summary to a file, within the bytes that a step
// has left, and writes the annotations: GitHub reads them from standard error
// too, where they leave the data alone.
func AppendSummary(path string, annotations io.Writer, d Document) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return fmt.Errorf("append job summary: %w", err)
	}
	info, err := f.Stat()
	if err == nil {
		err = GitHub(f, SummaryLimit-int(info.Size()), annotations, d)
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("append job summary: %w", err)
	}
	return nil
}
