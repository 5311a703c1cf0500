//go:build lab

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// seededFunction is function i of the module that [TestSeededCounts] changes. A
// change allocates once more, or 16 bytes more.
func seededFunction(i int, changed bool) string {
	size, more := 16*(i%10+1), ""
	switch {
	case changed && i%2 == 0:
		more = "\tother = new([2]uint64)\n"
	case changed:
		size += 16
	}
	return fmt.Sprintf("package seeded\n\n//go:noinline\nfunc work%02d(n int) {\n\tfor range n {\n\t\tsink = make([]byte, %d)\n\t}\n%s}\n", i, size, more)
}

// TestSeededCounts compares a module of 30 benchmarks with itself ten times, and
// with each of 30 changes of one function: the gate must pass, and fail with
// the benchmark, the file and the line of the allocation.
func TestSeededCounts(t *testing.T) {
	const functions, unchanged = 30, 10
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.com/seeded\n\ngo 1.25\n")
	write(".gitignore", ".tare\n")
	var tests strings.Builder
	tests.WriteString("package seeded\n\nimport \"testing\"\n\nvar (\n\tsink []byte\n\tother *[2]uint64\n)\n")
	for i := range functions {
		write(fmt.Sprintf("work%02d.go", i), seededFunction(i, false))
		fmt.Fprintf(&tests, "\nfunc BenchmarkWork%02d(b *testing.B) {\n\tfor b.Loop() {\n\t\twork%02d(%d)\n\t}\n}\n", i, i, i%3+1)
	}
	write("seeded_test.go", tests.String())
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "seed"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	gate := func(args ...string) (code int, text string) {
		cmd := exec.Command("tare", append([]string{"compare", "-units", "counts", "-gate", "-lock=off"}, args...)...)
		cmd.Dir = dir
		var out bytes.Buffer
		cmd.Stdout = &out
		cmd.Stderr = &out
		if err := cmd.Run(); cmd.ProcessState == nil {
			t.Fatal(err)
		}
		return cmd.ProcessState.ExitCode(), out.String()
	}
	passed := 0
	for range unchanged {
		if code, text := gate("-measure-all", "HEAD", "."); code == 0 {
			passed++
		} else {
			t.Errorf("unchanged: exit code %d\n%s", code, text)
		}
	}
	found, named := 0, 0
	for i := range functions {
		file := fmt.Sprintf("work%02d.go", i)
		write(file, seededFunction(i, true))
		code, text := gate("HEAD", ".")
		write(file, seededFunction(i, false))
		if code == 3 && strings.Contains(text, fmt.Sprintf("op: Work%02d-", i)) {
			found++
		} else {
			t.Logf("%s: exit code %d\n%s", file, code, text)
		}
		_, last, _ := strings.Cut(text, "gate: more ")
		if strings.Contains(last, file+":") {
			named++
		} else {
			t.Logf("%s is not named:\n%s", file, text)
		}
	}
	t.Logf("passed %d of %d without a change; found %d of %d changes, named %d with file and line", passed, unchanged, found, functions, named)
	if passed < unchanged || found < functions || named < 25 {
		t.Error("want all passed, all found, and 25 named")
	}
}

// growing is a benchmark whose state grows by a slice of ints a call, with
// another period each.
const growing = `
func BenchmarkGrowing%[1]d(b *testing.B) {
	for range b.N {
		state%[1]d = append(state%[1]d, len(state%[1]d))
		sink = make([]byte, 8*len(state%[1]d)/%[1]d)
	}
}

var state%[1]d []int
`

// pooled is a benchmark of a pool that drops what it gets now and then.
const pooled = `
func BenchmarkPooled%[1]d(b *testing.B) {
	for range b.N {
		x := pool%[1]d.Get().(*[%[1]d << 10]byte)
		sink = x[:]
		if rand.IntN(%[1]d+1) > 0 {
			pool%[1]d.Put(x)
		}
	}
}

var pool%[1]d = sync.Pool{New: func() any { return new([%[1]d << 10]byte) }}
`

// TestUnsteadyCounts: no count of ten benchmarks with growing state and of five
// with a sync.Pool is exact.
func TestUnsteadyCounts(t *testing.T) {
	text := "package counted\n\nimport (\n\t\"math/rand/v2\"\n\t\"sync\"\n\t\"testing\"\n)\n\nvar sink []byte\n"
	for i := range 10 {
		text += fmt.Sprintf(growing, i+1)
	}
	for i := range 5 {
		text += fmt.Sprintf(pooled, i+1)
	}
	var c result.Comparison
	tareIn(t, map[string]string{"unsteady_test.go": text})(&c, "compare", "-units", "counts", "-measure-all", "-lock=off", "-json", ".", ".")
	bytes := 0
	for _, row := range c.Benchmarks {
		if row.Unit != "B/op" {
			continue
		}
		bytes++
		t.Logf("%s: exact %v, %.1f", row.Name, row.Exact, row.Old.Center)
		if row.Exact {
			t.Errorf("%s: B/op is called exact", row.Name)
		}
	}
	if bytes != 15 {
		t.Errorf("%d rows of B/op, want 15", bytes)
	}
}
