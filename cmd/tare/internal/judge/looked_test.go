package judge

import (
	"slices"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// TestLooked: the end of a study that was resumed is a look of its design.
func TestLooked(t *testing.T) {
	j := judged{study: result.Study{MaxBlocks: 40, Alpha: 0.05, Family: 1}, blocks: make([]block, 12)}
	if got := j.design().Looks; slices.Contains(got, 9) || !slices.Contains(got, 8) {
		t.Fatalf("planned looks at %v", got)
	}
	j.benchmark.Looked = []int{9}
	if got := j.design().Looks; !slices.Contains(got, 9) {
		t.Errorf("looks of a resumed study at %v, want one at 9", got)
	}
}
