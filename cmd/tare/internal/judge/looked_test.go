package judge

import (
	"math"
	"slices"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// TestLooked: the end of a study that was resumed is a look of its design.
func TestLooked(t *testing.T) {
	j := judged{study: result.Study{Plan: result.Plan{MaxBlocks: 40, Alpha: 0.05}, Family: 1}, blocks: make([]block, 12)}
	if got := j.design().Looks; slices.Contains(got, 9) || !slices.Contains(got, 8) {
		t.Fatalf("planned looks at %v", got)
	}
	j.benchmark.Looked = []int{9}
	if got := j.design().Looks; !slices.Contains(got, 9) {
		t.Errorf("looks of a resumed study at %v, want one at 9", got)
	}
}

// A study that ends by its budget after six or seven blocks was never looked at:
// all of α is there, and blocks of one sign decide.
func TestEndBeforeTheFirstLook(t *testing.T) {
	for blocks, want := range map[int]result.Verdict{5: result.Undecided, 6: result.Slower, 7: result.Slower} {
		rec := simulated(blocks, 9, 0.1, 0.005, 0.002, 1)
		if got := judgeUpTo(rec.Study, rec.Benchmarks[0], 0, 1, running).Rows[0].Verdict; got != result.Undecided {
			t.Errorf("%d blocks, while the study runs: %s", blocks, got)
		}
		if got := judgeUpTo(rec.Study, rec.Benchmarks[0], 0, 1, ended).Rows[0].Verdict; got != want {
			t.Errorf("%d blocks at the end: %s, want %s", blocks, got, want)
		}
		rec.Study.Family = 3
		if got := judgeUpTo(rec.Study, rec.Benchmarks[0], 0, 1, ended).Rows[0].Verdict; got == result.Slower && blocks < 7 {
			t.Errorf("%d blocks of one of three rows: %s", blocks, got)
		}
	}
	// No more than α of all sign patterns cross, if the study goes on after it.
	d := NewDesign(11, 0.05, 1).WithEnd(6)
	x, crossed := normalSigns(11, 5), 0
	tr := newTrial(5, looksOf(d, x))
	critical, _ := tr.boundary(d.Spend)
	for pattern := range uint(1) << len(x) {
		for k, l := range tr.looks {
			z := make([]float64, len(l.look.Center))
			for i, v := range l.look.Center {
				if z[i] = v; pattern>>i&1 == 1 {
					z[i] = -v
				}
			}
			if minSum(l.ranks, z) <= critical[k] {
				crossed++
				break
			}
		}
	}
	if share := math.Ldexp(float64(crossed), -len(x)); share > 0.05 {
		t.Errorf("%v of all sign patterns cross", share)
	}
}
