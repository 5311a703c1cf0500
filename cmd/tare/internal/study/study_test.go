package study

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/overlay"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
)

// testSource builds one directory with the overlay, through go test -c.
type testSource struct {
	t       *testing.T
	dir     string
	tags    string
	overlay string
	out     string
	plain   bool
	env     []string
}

func newSource(t *testing.T, dir, tags string) *testSource {
	t.Helper()
	path, err := overlayFile()
	if err != nil {
		t.Fatal(err)
	}
	return &testSource{t: t, dir: dir, tags: tags, overlay: path, out: t.TempDir()}
}

// overlayFile is for go's -overlay, made once for all tests.
var overlayFile = sync.OnceValues(func() (string, error) {
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", err
	}
	o, err := overlay.Generate(strings.TrimSpace(string(goroot)), shared)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(map[string]any{"Replace": o.Replace})
	if err != nil {
		return "", err
	}
	path := filepath.Join(shared, "overlay.json")
	return path, os.WriteFile(path, text, 0o666)
})

// shared is a directory for all tests.
var shared string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		var err error
		if shared, err = os.MkdirTemp("", "tare-study"); err != nil {
			panic(err)
		}
		defer os.RemoveAll(shared)
		return m.Run()
	}())
}

func (s *testSource) Binary(ctx context.Context, pkg string, layout uint64) (Binary, error) {
	path := filepath.Join(s.out, "l"+strconv.FormatUint(layout, 10)+".test")
	args := []string{"test", "-c", "-o", path, "-tags=" + s.tags}
	if !s.plain {
		args = append(args, "-overlay="+s.overlay)
	}
	if layout != 0 {
		args = append(args, "-ldflags=-w -randlayout="+strconv.FormatUint(layout, 10))
	}
	cmd := exec.CommandContext(ctx, "go", append(args, ".")...)
	cmd.Dir, cmd.Env = s.dir, append(os.Environ(), "GOWORK=off")
	began := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
	return Binary{Path: path, Dir: s.dir, Env: append(os.Environ(), s.env...), Overlaid: !s.plain, Layout: layout, LinkTime: time.Since(began)}, nil
}

func (s *testSource) Release(pkg string, layout uint64) {}

// record runs a study and returns its lines.
func record(t *testing.T, o Options) (*result.Recording, error) {
	t.Helper()
	var file bytes.Buffer
	o.Write = result.NewWriter(&file).Write
	o.Bench = cmp.Or(o.Bench, ".")
	if o.TimeoutSeconds == 0 {
		o.TimeoutSeconds = 60
	}
	if o.Procs == nil {
		o.Procs = []int{2}
	}
	runErr := Run(t.Context(), o)
	rec, err := result.Read(&file)
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range rec.Benchmarks {
		rec.Benchmarks[i] = b.Unpacked()
	}
	return rec, runErr
}

func TestLockstep(t *testing.T) {
	t.Parallel()
	dir, err := filepath.Abs("../../../../samples/greeting")
	if err != nil {
		t.Fatal(err)
	}
	rec, err := record(t, Options{
		Study:    result.Study{Plan: result.Plan{Bench: "Greeting", FuncOrders: true, Kind: "compare", Seed: 1, MaxBlocks: 3, BudgetSeconds: 10, BlockSeconds: 0.05}, Schema: result.RecordingSchema, Variants: []result.Variant{{Label: "old"}, {Label: "new"}}},
		Sources:  []Source{newSource(t, dir, "sprintf"), newSource(t, dir, "append")},
		Packages: []string{"greeting"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range rec.Benchmarks[0].Blocks {
		t.Logf("block %d: %.0f ms, %.0f%% in slices, layouts %v", b.Block, 1e3*b.Seconds, 100*b.SliceSeconds/b.Seconds, b.FuncOrders)
	}
	if len(rec.Benchmarks[0].Blocks) != 3 || rec.End == nil {
		t.Fatalf("%d blocks, end %v; want 3 and an end", len(rec.Benchmarks[0].Blocks), rec.End)
	}
}

func isFinding(id string) func(finding.Finding) bool {
	return func(f finding.Finding) bool { return f.ID == id }
}
