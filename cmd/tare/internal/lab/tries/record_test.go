//go:build lab

package tries

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/lab"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
)

// TestRecord measures each edit in 60 blocks, without early stopping, and keeps
// the recordings in the directory -keep, for TestReplay of internal/attempt. The
// code before each edit is another one. Of seven edits two leave the machine code
// as it is, three move or rewrite code, and two are faster.
func TestRecord(t *testing.T) {
	lab.Only(t, "measures each edit in 60 blocks")
	if *keep == "" {
		t.Skip("needs -keep")
	}
	m, dir := modules[*which], t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %s", args, out)
		}
	}
	git("init", "-q")
	t.Setenv("GOWORK", "off")
	host := session.Host{Tree: os.DirFS("/"), Root: "/"}
	r := rand.New(rand.NewPCG(*seed, uint64(*which)))
	for i := range *attempts {
		before := newCode(m)
		for range 4 {
			before, _ = change(r, before, kinds[r.IntN(3)])
		}
		render(t, dir, before.files(m))
		git("add", ".")
		git("commit", "-qm", "before", "--allow-empty")
		next, e := change(r, before, [...]string{"comment", "reorder", "move", "rewrite", "faster", "unused", "faster"}[i%7])
		render(t, dir, next.files(m))
		spec := session.DefaultSpec()
		spec.Variants = []build.Spec{{Label: build.WorkingTree, Revision: build.WorkingTree}, {Label: "HEAD", Revision: "HEAD"}}
		spec.Packages, spec.Bench, spec.Dir, spec.Host, spec.Lock = []string{"."}, ".", dir, host, "wait"
		spec.MaxBlocks, spec.BudgetSeconds, spec.MeasureAll, spec.BlockSeconds = 60, 600, true, 0.05
		spec.Enough = func([]result.Block) bool { return false }
		spec.Folder = filepath.Join(*keep, fmt.Sprintf("%s-%d-%03d-%s", m.name, *seed, i, e.kind))
		s, err := session.Open(t.Context(), spec, session.Quiet{})
		if err != nil {
			t.Fatal(err)
		}
		err = s.Run(t.Context())
		if cerr := s.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, pattern := range []string{"*.test", "*.test.json"} {
			files, _ := filepath.Glob(filepath.Join(spec.Folder, pattern)) // the pattern is well formed
			for _, f := range files {
				os.Remove(f)
			}
		}
		t.Logf("%3d %-8s gain %.1f%%", i, e.kind, 100*e.gain)
	}
}
