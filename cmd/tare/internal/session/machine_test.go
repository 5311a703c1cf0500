package session

import (
	"io"
	"slices"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
)

// TestUnfitMachine: what the machine has against being measured on is on record
// before the last line, if anything was measured.
func TestUnfitMachine(t *testing.T) {
	for _, blocks := range []int{0, 1} {
		s := &Session{rec: &result.Recording{Benchmarks: []result.Benchmark{{Blocks: make([]result.Block, blocks)}}},
			folder: &folder{Writer: result.NewWriter(io.Discard)}, machineWarnings: []finding.Finding{{ID: "governor", Severity: finding.Warning}}}
		if err := s.write(result.Line{End: &result.End{}}); err != nil {
			t.Fatal(err)
		}
		if len(s.rec.Findings) != blocks || s.rec.End == nil {
			t.Errorf("%d blocks: findings %v, end %v", blocks, s.rec.Findings, s.rec.End)
		}
	}
}

func TestListsOfCPUsEndAtTheMachine(t *testing.T) {
	for _, test := range []struct{ procs, measured, left []int }{
		{[]int{1, 2, 4, 8}, []int{1, 2}, []int{4, 8}},
		{[]int{4}, []int{4}, nil},
		{[]int{4, 8}, []int{4, 8}, nil},
		{nil, nil, nil},
	} {
		measured, left := onThisMachine(test.procs, 2)
		if !slices.Equal(measured, test.measured) || !slices.Equal(left, test.left) {
			t.Errorf("%v on 2 CPUs: measured %v, left out %v", test.procs, measured, left)
		}
	}
}
