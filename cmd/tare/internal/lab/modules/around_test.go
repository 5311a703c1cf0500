//go:build lab

package modules

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestAround prints the time that a comparison of two versions of gin spends on
// everything except measuring: from the start of the process to its end, minus
// the blocks. The first run fills the caches. The others count.
func TestAround(t *testing.T) {
	dir := t.TempDir()
	tare := filepath.Join(dir, "tare")
	command(t, root, nil, "go", "build", "-o", tare, "./cmd/tare")
	gin := module{path: "github.com/gin-gonic/gin", old: "v1.10.0", new: "v1.11.0"}
	checkout := filepath.Join(dir, "checkout")
	if err := os.Mkdir(checkout, 0o777); err != nil {
		t.Fatal(err)
	}
	commitVersions(t, checkout, author, gin)
	var rest []float64
	for i := range 4 {
		r := timed(t, checkout, tare, "-budget", "2s", "-bench", "^Benchmark(OneRoute|RecoveryMiddleware|5Params|404)$", "HEAD~1", "HEAD", ".")
		t.Logf("wall %.1f s, %d blocks %.1f s, of which slices %.1f s, %d layouts; around measuring %.1f s; load %s", r.wall, r.blocks, r.measuring, r.slices, r.layouts, r.wall-r.measuring, load())
		if i > 0 {
			rest = append(rest, r.wall-r.measuring)
		}
	}
	slices.Sort(rest)
	t.Logf("around measuring: median %.1f s of three runs, %.1f to %.1f", rest[1], rest[0], rest[2])
}

// TestFirstVerdict prints the time to the first verdict of a small comparison,
// from the start of the process to the line with the verdict.
func TestFirstVerdict(t *testing.T) {
	dir := t.TempDir()
	tare := filepath.Join(dir, "tare")
	command(t, root, nil, "go", "build", "-o", tare, "./cmd/tare")
	checkout := filepath.Join(dir, "checkout")
	if err := os.Mkdir(checkout, 0o777); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(checkout, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	command(t, checkout, author, "git", "init", "-q")
	write("go.mod", "module example.com/small\n\ngo 1.24\n")
	write("small_test.go", "package small\n\nimport \"testing\"\n\nvar sink string\n\nfunc BenchmarkUpper(b *testing.B) {\n\tfor b.Loop() {\n\t\tsink = Upper(\"hello, world\")\n\t}\n}\n")
	for _, body := range []string{"strings.ToUpper(s)", "strings.Map(unicode.ToUpper, s)"} {
		write("small.go", "package small\n\nimport (\n\t\"strings\"\n\t\"unicode\"\n)\n\nvar _ = unicode.ToUpper\n\nfunc Upper(s string) string { return "+body+" }\n")
		command(t, checkout, author, "git", "add", "-A")
		command(t, checkout, author, "git", "commit", "-q", "-m", "x")
	}
	var first []float64
	for i := range 8 {
		r := timed(t, checkout, tare, "-bench", "Upper", "HEAD~1", "HEAD", ".")
		t.Logf("first verdict %.2f s, all %.2f s, %d blocks %.2f s; load %s", r.first, r.wall, r.blocks, r.measuring, load())
		if i > 0 {
			first = append(first, r.first)
		}
	}
	slices.Sort(first)
	t.Logf("first verdict: median %.2f s of seven runs, %.2f to %.2f", first[3], first[0], first[6])
}

// timing divides the time of a comparison, in seconds.
type timing struct {
	wall, first, measuring, slices float64
	blocks, layouts                int
}

// timed runs tare compare.
func timed(t *testing.T, checkout, tare string, args ...string) (r timing) {
	t.Helper()
	folder := filepath.Join(checkout, ".tare")
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(tare, append([]string{"compare"}, args...)...)
	cmd.Dir, cmd.Env = checkout, append(os.Environ(), "NO_COLOR=1", "TARE_LOCK="+filepath.Join(t.TempDir(), "lock"))
	out, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var words bytes.Buffer
	for in := bufio.NewScanner(out); in.Scan(); {
		if r.first == 0 && strings.HasPrefix(in.Text(), "[") {
			r.first = time.Since(began).Seconds()
		}
		words.WriteString(in.Text() + "\n")
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, words.String())
	}
	r.wall = time.Since(began).Seconds()
	files, _ := filepath.Glob(filepath.Join(folder, "*", "result.jsonl"))
	if len(files) != 1 {
		t.Fatalf("recordings: %v\n%s", files, words.String())
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	layouts := make(map[uint64]bool)
	for line := range bytes.Lines(data) {
		var l struct {
			Block *struct {
				Seconds      float64
				SliceSeconds float64 `json:"slice_seconds"`
				Layouts      []uint64
			}
		}
		if err := json.Unmarshal(line, &l); err != nil {
			t.Fatal(err)
		}
		if b := l.Block; b != nil {
			r.blocks, r.measuring, r.slices = r.blocks+1, r.measuring+b.Seconds, r.slices+b.SliceSeconds
			layouts[b.Layouts[0]] = true
		}
	}
	r.layouts = len(layouts)
	return r
}
