//go:build lab

package main

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/instrument"
	"github.com/tarebench/tare/cmd/tare/internal/lab/document"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// tareIn returns how to run the tare of [TestMain] in a fresh module of files,
// its JSON read into a value.
func tareIn(t *testing.T, files map[string]string) func(into any, args ...string) {
	t.Helper()
	dir := t.TempDir()
	files["go.mod"] = "module example.com/counted\n\ngo 1.25\n"
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return tareAt(t, dir)
}

// tareAt runs tare in a directory, and reads its JSON.
func tareAt(t *testing.T, dir string) func(into any, args ...string) {
	lock := filepath.Join(t.TempDir(), "lock")
	return func(into any, args ...string) {
		t.Helper()
		cmd := exec.Command("tare", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "TARE_LOCK="+lock)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("tare %v: %v\n%s", args, err, out)
		}
		if err := document.Read(out, into); err != nil {
			t.Fatal(err)
		}
	}
}

// TestBoundsCheckIsNamed: one bounds check more in a loop is more instructions,
// and the report names the function and the file.
func TestBoundsCheckIsNamed(t *testing.T) {
	if f := instrument.CheckValgrind(t.Context(), instrument.Run); f != nil {
		t.Skip(f)
	}
	files := make(map[string]string)
	for _, name := range []string{"bounds.go", "bounds_checked.go", "bounds_hinted.go", "bounds_test.go"} {
		text, err := os.ReadFile(filepath.Join("../../samples/bounds", name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(text)
	}
	var c result.Comparison
	tareIn(t, files)(&c, "compare", "-units=time,instructions", "-budget", "200ms", "-blocks", "1", "-json", ".,tags=hinted", ".,tags=checked")
	for _, row := range c.Benchmarks {
		if row.Unit != instrument.UnitInstructions {
			continue
		}
		t.Logf("%.1f to %.1f instructions/op, %s; %v", row.Old.Center, row.New.Center, row.Verdict, row.Findings)
		if row.Verdict != result.Slower || row.New.Center <= row.Old.Center {
			t.Errorf("a bounds check more: %s, from %.1f to %.1f", row.Verdict, row.Old.Center, row.New.Center)
		}
		if len(row.Functions) == 0 || !strings.HasSuffix(row.Functions[0].Name, ".Dot") || filepath.Base(row.Functions[0].File) != "bounds_checked.go" || row.Functions[0].Line == 0 {
			t.Errorf("functions %+v, want Dot of bounds_checked.go first", row.Functions)
		}
		return
	}
	t.Errorf("no instructions counted: %+v", c.Findings)
}

// TestThirdOfAnAllocation: exact fractions, where the timer runs through and
// where it stops in every iteration.
func TestThirdOfAnAllocation(t *testing.T) {
	var r result.Comparison
	tareIn(t, map[string]string{"third_test.go": `package counted

import "testing"

var block *[64]byte

func BenchmarkThird(b *testing.B) {
	for i := range b.N {
		if i%3 == 0 {
			block = new([64]byte)
		}
	}
}

func BenchmarkThirdPaused(b *testing.B) {
	for i := range b.N {
		b.StopTimer()
		block = new([64]byte)
		b.StartTimer()
		if i%3 == 0 {
			block = new([64]byte)
		}
	}
}
`})(&r, "run", "-budget", "2s", "-blocks", "2", "-json")
	seen := 0
	for _, row := range r.Benchmarks {
		if row.Unit != "allocs/op" {
			continue
		}
		seen++
		t.Logf("%s: %.5f allocs/op", row.Name, row.New.Center)
		if math.Abs(row.New.Center-1./3) > 0.001 {
			t.Errorf("%s: %v allocs/op, want 1/3 ± 0.001", row.Name, row.New.Center)
		}
	}
	if seen != 2 {
		t.Errorf("%d rows of allocs/op, want 2", seen)
	}
}
