package session

import (
	"io"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
)

// TestDisturbances: a disturbance of half of the blocks is reported before the last
// line.
func TestDisturbances(t *testing.T) {
	unfit := []finding.Finding{{ID: "governor", Severity: finding.Warning}}
	swapped := []finding.Finding{{ID: "swapped", Severity: finding.Severe, Message: "90 pages were swapped"}}
	for _, tt := range []struct {
		name   string
		blocks [][]finding.Finding
		want   string
	}{
		{"nothing measured", nil, ""},
		{"undisturbed", [][]finding.Finding{nil, nil}, "governor"},
		{"one of three", [][]finding.Finding{swapped, nil, nil}, "governor"},
		{"two of three", [][]finding.Finding{swapped, nil, swapped}, "governor disturbed-blocks"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &Session{rec: new(result.Recording), folder: &folder{Writer: result.NewWriter(io.Discard)}, unfit: unfit}
			for _, findings := range tt.blocks {
				s.disturbed.add(findings)
			}
			if err := s.write(result.Line{End: &result.End{}}); err != nil {
				t.Fatal(err)
			}
			var wrote []string
			for _, f := range s.rec.Findings {
				wrote = append(wrote, f.ID)
				if f.ID == "disturbed-blocks" && (f.Severity != finding.Warning || !strings.HasPrefix(f.Message, "the machine disturbed 2 of 3 blocks")) {
					t.Errorf("finding %+v", f)
				}
			}
			if s.rec.End == nil {
				t.Error("no end line")
			}
			if got := strings.Join(wrote, " "); got != tt.want {
				t.Errorf("wrote %q, want %q", got, tt.want)
			}
		})
	}
}
