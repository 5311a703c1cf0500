package main

import (
	"strings"
	"testing"

	"github.com/tarebench/tare/finding"
	"github.com/tarebench/tare/internal/result"
)

// TestDisturbances: spoiled blocks are counted and told before the last line,
// and only where something was measured.
func TestDisturbances(t *testing.T) {
	unfit := []finding.Finding{{ID: "governor", Severity: finding.Warning}}
	swapped := []finding.Finding{{ID: "swapped", Severity: finding.Severe, Message: "90 pages were swapped"}}
	for _, tt := range []struct {
		name   string
		blocks [][]finding.Finding
		want   string
	}{
		{"nothing measured", nil, "end"},
		{"undisturbed", [][]finding.Finding{nil, nil}, "governor end"},
		{"two of three", [][]finding.Finding{swapped, nil, swapped}, "governor swapped end"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var wrote []string
			d := new(disturbances)
			write := d.before(unfit, func(l result.Line) error {
				switch {
				case l.Finding != nil:
					wrote = append(wrote, l.Finding.ID)
					if l.Finding.ID == "swapped" && (l.Finding.Severity != finding.Warning || !strings.HasPrefix(l.Finding.Message, "2 of 3 blocks")) {
						t.Errorf("finding %+v", l.Finding)
					}
				case l.End != nil:
					wrote = append(wrote, "end")
				}
				return nil
			})
			for _, findings := range tt.blocks {
				what := ""
				if len(findings) > 0 {
					what = "swapped"
				}
				d.add(what, findings)
			}
			if err := write(result.Line{End: &result.End{}}); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(wrote, " "); got != tt.want {
				t.Errorf("wrote %q, want %q", got, tt.want)
			}
		})
	}
}
