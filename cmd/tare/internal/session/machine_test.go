package session

import (
	"io"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
)

// TestUnfitMachine: what the machine has against being measured on is on record
// before the last line, if anything was measured.
func TestUnfitMachine(t *testing.T) {
	for _, blocks := range []int{0, 1} {
		s := &Session{rec: &result.Recording{Benchmarks: []result.Benchmark{{Blocks: make([]result.Block, blocks)}}},
			folder: &folder{Writer: result.NewWriter(io.Discard)}, unfit: []finding.Finding{{ID: "governor", Severity: finding.Warning}}}
		if err := s.write(result.Line{End: &result.End{}}); err != nil {
			t.Fatal(err)
		}
		if len(s.rec.Findings) != blocks || s.rec.End == nil {
			t.Errorf("%d blocks: findings %v, end %v", blocks, s.rec.Findings, s.rec.End)
		}
	}
}
