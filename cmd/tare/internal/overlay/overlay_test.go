package overlay

import (
	"bytes"
	"errors"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func goroot(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func read(t *testing.T, elem ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(elem...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestGenerate(t *testing.T) {
	root, dir := goroot(t), t.TempDir()
	o, err := Generate(root, dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(o.Replace) < 12 || !strings.HasPrefix(o.GoVersion, "go1.") || len(o.Key) != 16 {
		t.Errorf("got %+v", o)
	}
	stock := read(t, root, "src", "testing", "benchmark.go")
	ours := read(t, o.Replace[filepath.Join(root, "src", "testing", "benchmark.go")])
	if a, b := bytes.Count(stock, []byte("\n")), bytes.Count(ours, []byte("\n")); a != b {
		t.Errorf("%d lines became %d: stack traces would lie", a, b)
	}
	const gc = "runtime.GC()"
	if a, b := bytes.Count(stock, []byte(gc)), bytes.Count(ours, []byte(gc)); b != a-1 || !bytes.Contains(ours, []byte("b.tareCollect()")) {
		t.Errorf("%d calls of runtime.GC became %d: every slice would collect first", a, b)
	}
	for stands, file := range o.Replace {
		if !strings.HasSuffix(file, ".go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil || f.Name.Name != "testing" {
			t.Errorf("%s is of package %v, %v", stands, f.Name, err)
		}
	}
	again, err := Generate(root, t.TempDir())
	if err != nil || again.Key != o.Key {
		t.Errorf("the same GOROOT gives another key: %v, %v", again, err)
	}
}

// TestShape breaks package testing in every way that matters and wants the
// refusal to name the break.
func TestShape(t *testing.T) {
	root := goroot(t)
	benchmark := string(read(t, root, "src", "testing", "benchmark.go"))
	common := string(read(t, root, "src", "testing", "testing.go"))
	for _, c := range []struct{ old, new, want string }{
		{"func (b *B) launch() {", "func (b *B) lift() {", "no method B.launch"},
		{"func (b *B) StopTimer() {", "func (b *B) StopTimer(now bool) {", "method B.StopTimer is func(now bool), not func()"},
		{"func (b *B) Elapsed() time.Duration {", "func (b *B) Elapsed() int64 {", "method B.Elapsed is"},
		{"func (b *B) stopOrScaleBLoop() bool {", "func (b *B) scale() bool {", "no method B.stopOrScaleBLoop"},
		{"func predictN(", "func predict(", "no function predictN"},
		{"	runtime.GC()\n	b.resetRaces()", "	b.resetRaces()", "B.runN does not call runtime.GC exactly once"},
		{"pb := &PB{", "pb := &pb{", "B.RunParallel does not make exactly one PB"},
		{"	grain   uint64 ", "	grain   int64 ", "struct PB has field grain of type int64, not uint64"},
		{"func (pb *PB) Next() bool {", "func (pb *PB) More() bool {", "no method PB.Next"},
		{"type B struct {", "type Benchmark struct {", "no struct type B"},
		{"	timerOn          bool\n", "	timerOn          int32\n", "struct B has field timerOn of type int32, not bool"},
		{"	netAllocs uint64\n", "", "no field netAllocs"},
		{"		done bool // set", "		over bool // set", "field loop, which has no field done"},
		{"package testing", "package testing {", "does not parse"},
	} {
		broken := strings.Replace(benchmark, c.old, c.new, 1)
		if broken == benchmark {
			t.Errorf("%q is not in this benchmark.go: mend the test", c.old)
			continue
		}
		_, err := rewrite([]byte(broken), []byte(common), "go1.99")
		var shape *ShapeError
		if !errors.As(err, &shape) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "go1.99") {
			t.Errorf("with %q: %v; want a ShapeError that says %q", c.new, err, c.want)
		}
	}
	noSignal := regexp.MustCompile(`(?m)^(\tsignal +chan) bool`).ReplaceAllString(common, "$1 int")
	if _, err := rewrite([]byte(benchmark), []byte(noSignal), "go1.99"); err == nil || !strings.Contains(err.Error(), "signal") {
		t.Errorf("another type of common.signal: %v", err)
	}
}

func TestMissingGoroot(t *testing.T) {
	if _, err := Generate(t.TempDir(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "read package testing") {
		t.Errorf("got %v", err)
	}
}
