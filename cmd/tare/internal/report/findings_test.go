package report

import (
	"fmt"
	"io"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
)

// TestManyFindings: the time of a report does not grow with the square of the
// findings, or this test does not end.
func TestManyFindings(t *testing.T) {
	const n = 200_000
	c := sampleComparison()
	for i := range n {
		c.Findings = append(c.Findings,
			finding.Finding{ID: "one", Severity: finding.Warning, Subject: fmt.Sprint(i), Message: "the same words"},
			finding.Finding{ID: "other", Severity: finding.Warning, Subject: fmt.Sprint(i), Message: fmt.Sprintf("%d times", i)})
	}
	d := Document{Comparison: c}
	if got := d.Notes(); len(got) > n || len(got[0].Subjects) == 0 {
		t.Errorf("%d notes", len(got))
	}
	if err := result.WriteJSON(io.Discard, c.Document()); err != nil {
		t.Error(err)
	}
}
