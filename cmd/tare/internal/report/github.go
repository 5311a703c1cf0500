package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// Annotations writes a workflow annotation of GitHub Actions for each regression
// and failure, and for benchmarks that a total did not reach.
func Annotations(w io.Writer, d Document) error {
	var b strings.Builder
	c := d.Comparison
	for _, f := range c.Findings {
		if catalog.TotalTooShort.Is(f) || catalog.TotalReachesNone.Is(f) {
			fmt.Fprintf(&b, "::warning title=tare::%s\n", annotation(f.Message+"; "+f.Action))
		}
	}
	for _, r := range d.Rows() {
		if isRegression(r, c.Delta) || r.Verdict == result.Failed {
			where, cause := culprit(c, r)
			fmt.Fprintf(&b, "::error %stitle=%s::%s\n", where, annotationTitle(caseName(words.RowName(r.Key, r.Row), r.Unit)), annotation(words.Sentence(r, c.Delta)+cause))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// culprit returns the line for the annotation of a regression, and the likely
// cause. Both come from the first cause that is in the repository.
func culprit(c *result.Comparison, r *result.BenchmarkComparison) (where, cause string) {
	for _, f := range c.Findings {
		v := f.Values
		file, inside := v["file"].(string)
		line, _ := v["line"].(float64)
		if !catalog.LikelyCause.Is(f) || !inside || f.Subject != r.Name || v["pkg"] != r.Pkg || v["variant"] != words.Label(c.Variants, r.NewVariant) {
			continue
		}
		return fmt.Sprintf("file=%s,line=%d,", annotationTitle(file), int(line)), fmt.Sprintf("; %s", v["cause"])
	}
	return "", ""
}

func annotation(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(words.Printable(s))
}

func annotationTitle(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(annotation(s))
}
