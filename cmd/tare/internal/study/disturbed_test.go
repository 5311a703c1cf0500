package study

import (
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/internal/finding"
)

// TestDisturbances: a disturbance of half of the blocks is on record.
func TestDisturbances(t *testing.T) {
	t.Parallel()
	swapped := finding.Finding{ID: "swapped", Severity: finding.Severe, Message: "90 pages were swapped"}
	for _, c := range []struct {
		every int
		want  string
	}{{1, "the machine disturbed 4 of 4 blocks"}, {2, "the machine disturbed 2 of 4 blocks"}, {4, ""}} {
		f := &fake{names: []string{"X"}, perOp: []time.Duration{50, 50}}
		f.disturbed = func(block int) (string, []finding.Finding) {
			if block%c.every == 0 {
				return "", []finding.Finding{swapped}
			}
			return "", nil
		}
		rec, err := f.study(t, func(o *Options) { o.MaxBlocks = 4 })
		if err != nil {
			t.Fatal(err)
		}
		found := ""
		for _, f := range rec.Findings {
			if catalog.DisturbedBlocks.Is(f) {
				found = f.Message
			}
		}
		if !strings.HasPrefix(found, c.want) || (found == "") != (c.want == "") {
			t.Errorf("every %d: %q, want %q", c.every, found, c.want)
		}
	}
}
