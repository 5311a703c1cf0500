package study

import (
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// A level below alpha is the error rate of all differences of the study together,
// while its intervals keep alpha.
func TestLevelIsTheErrorRateOfDifferences(t *testing.T) {
	o := Options{Study: result.Study{Plan: result.Plan{Alpha: 0.05, Level: 0.0011, MaxBlocks: 40}}}
	family := o.wholeFamily(3)
	d := judge.NewDesign(o.Study.MaxBlocks, o.Study.Alpha, family)
	last := len(d.Looks) - 1
	if got := 3 * d.Adjusted[last]; got > 0.0011 || got < 0.001 {
		t.Errorf("three benchmarks spend %v, the level is 0.0011", got)
	}
	if d.Spend[last] != 0.05 {
		t.Errorf("an interval misses at %v", d.Spend[last])
	}
	if o.Study.Level = 0; o.wholeFamily(3) != 3 {
		t.Errorf("without a level the family is %d", o.wholeFamily(3))
	}
}
