package selftest

import (
	"os"
	"testing"
	"testing/fstest"
	"time"

	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/internal/session"
)

// TestComparison: a turn measures every benchmark of known truth, and judges
// them as one family, as tare compare does.
func TestComparison(t *testing.T) {
	t.Setenv("GOFLAGS", "-mod=mod")
	dir := t.TempDir()
	if err := writeModule(dir); err != nil {
		t.Fatal(err)
	}
	spec := comparison(dir, session.Host{Tree: fstest.MapFS{}}, 1)
	if spec.Alpha != session.DefaultAlpha || spec.Delta != session.DefaultDelta || spec.Budget != session.CompareBudget || spec.Blocks != session.CompareBlocks || !spec.Layouts {
		t.Errorf("not what tare compare does by default: %+v", spec)
	}
	spec.Blocks, spec.BlockTime, spec.Budget = 1, time.Millisecond, time.Hour
	for _, p := range pairs(2, 1) {
		t.Run(p.new, func(t *testing.T) {
			var err error
			if spec.Variants, err = parse(p.old, p.new); err != nil {
				t.Fatal(err)
			}
			run, err := session.Open(t.Context(), spec, session.Quiet{})
			if err != nil {
				t.Fatal(err)
			}
			defer run.Close()
			if err := run.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			rec := run.Recording()
			if len(rec.Benchmarks) != 11 || rec.Study.Family != 11 {
				t.Errorf("%d benchmarks in a family of %d, want 11", len(rec.Benchmarks), rec.Study.Family)
			}
			for _, b := range rec.Benchmarks {
				if len(b.Blocks) != 1 {
					t.Errorf("%s has %d blocks", b.Name, len(b.Blocks))
				}
			}
			var sequential result.SelfTestSequential
			if os.Getenv("TARE_LONG") != "" && p.change == 0 { // seconds of go test
				if err := sequentialTurn(t.Context(), dir, run.Folder(), &sequential); err != nil || sequential.Comparisons != 11 {
					t.Errorf("%d comparisons of the sequential method, %v", sequential.Comparisons, err)
				}
			}
		})
	}
}
