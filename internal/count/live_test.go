package count

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/result"
)

// long skips what builds the standard library anew and runs valgrind.
func long(t *testing.T) {
	t.Helper()
	if os.Getenv("TARE_LONG") == "" {
		t.Skip("counts under valgrind: set TARE_LONG=1")
	}
	if f := CheckValgrind(context.Background(), Run); f != nil {
		t.Skip(f.String())
	}
}

// build makes a counting binary of the package in dir.
func build(t *testing.T, dir string, flags ...string) string {
	t.Helper()
	folder := t.TempDir()
	made, err := Overlay(runtimeRoot(t), folder)
	if err != nil {
		t.Fatal(err)
	}
	j, err := json.Marshal(map[string]any{"Replace": made.Replace})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, "overlay.json")
	if err := os.WriteFile(file, j, 0o666); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(folder, "count.test")
	argv := append([]string{"test", "-c", "-tags", Tag, "-overlay", file, "-o", binary}, flags...)
	cmd := exec.Command("go", append(argv, ".")...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", argv, err, out)
	}
	return binary
}

func runtimeRoot(t *testing.T) string {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func TestLiveCounts(t *testing.T) {
	long(t)
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("the expected counts are those of linux/amd64")
	}
	binary := build(t, filepath.Join("testdata", "counted"))
	counter := Counter{Exec: Run}
	count := func(name string) Instructions {
		t.Helper()
		begin := time.Now()
		got, err := counter.Instructions(t.Context(), Target{Binary: binary, Dir: t.TempDir(), Benchmark: name})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %.4f [%.4f, %.4f] instructions/op, n = %d and %d, %d runs, %.1f s, %v", name,
			got.PerOp.Center, got.PerOp.Lo, got.PerOp.Hi, got.Few, got.Many, got.Runs, time.Since(begin).Seconds(), got.Findings)
		return got
	}
	// The loop body of the counted function is the same in all of these.
	plain := count("Plain")
	for _, name := range []string{"Loop", "SetUp", "Sub/one"} {
		if got := count(name); math.Abs(got.PerOp.Center-plain.PerOp.Center) > 10 {
			t.Errorf("%s: %.2f instructions/op, Plain has %.2f: the loop around may cost a few", name, got.PerOp.Center, plain.PerOp.Center)
		}
	}
	// Paused work is 100 times the counted work, and must not be seen.
	if got := count("Paused"); math.Abs(got.PerOp.Center-plain.PerOp.Center) > 30 {
		t.Errorf("Paused: %.2f instructions/op, Plain has %.2f", got.PerOp.Center, plain.PerOp.Center)
	}
	longer := count("Longer")
	if d := longer.PerOp.Center / plain.PerOp.Center; math.Abs(d-1.01) > 0.001 {
		t.Errorf("Longer/Plain = %.4f, want about 1.01", d)
	}
	change := TopChanges(plain.Functions, longer.Functions, 3)
	named := slices.ContainsFunc(change, func(c result.FunctionChange) bool {
		return c.Name == "counted.work" && c.Line > 0 && filepath.Base(c.File) == "counted_test.go" && c.New > c.Old
	})
	if !named {
		t.Errorf("TopChanges = %+v, want counted.work of counted_test.go among them", change)
	}
	for _, name := range []string{"Alloc", "Fields", "Chan", "Parallel"} {
		if got := count(name); (got.PerOp.Hi-got.PerOp.Lo)/got.PerOp.Center > 1e-3 {
			t.Errorf("%s: spread %v", name, got.PerOp)
		}
	}
}
