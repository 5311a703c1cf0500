package main

import (
	"bufio"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"
)

// TestStatFigures compares tare stat with benchstat on the same files in one
// run and prints the table of docs/results/stat.md. It asserts nothing about
// time. It runs with TARE_FIGURES=1 alone.
func TestStatFigures(t *testing.T) {
	if os.Getenv("TARE_FIGURES") == "" {
		t.Skip("TARE_FIGURES=1 times tare stat and benchstat, for a minute")
	}
	dir := t.TempDir()
	tools := map[string]string{"tare": "github.com/tarebench/tare/cmd/tare", "benchstat": "golang.org/x/perf/cmd/benchstat"}
	for name, pkg := range tools {
		if out, err := exec.Command("go", "build", "-o", filepath.Join(dir, name), pkg).CombinedOutput(); err != nil {
			t.Fatalf("build %s: %v\n%s", name, err, out)
		}
	}
	for _, f := range []struct {
		name       string
		benchmarks int
		runs       int
		seed       uint64
		shift      float64
		least      float64 // ns/op
	}{
		{"big-old.txt", 5000, 20, 1, 1, 1}, {"big-new.txt", 5000, 20, 2, 1.01, 1},
		// Above a millisecond, go test prints enough digits that few values are equal.
		{"runs-old.txt", 1000, 100, 5, 1, 1e4}, {"runs-new.txt", 1000, 100, 6, 1.01, 1e4},
		{"ten-old.txt", 1, 10, 3, 1, 1}, {"ten-new.txt", 1, 10, 4, 1.1, 1},
	} {
		if err := writeFigures(filepath.Join(dir, f.name), f.benchmarks, f.runs, f.seed, f.shift, f.least); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		what  string
		argv  []string
		times int
	}{
		{"2 files of 100,000 lines, tare stat", []string{"tare", "stat", "big-old.txt", "big-new.txt"}, 5},
		{"2 files of 100,000 lines, tare stat -format benchstat", []string{"tare", "stat", "-format", "benchstat", "big-old.txt", "big-new.txt"}, 5},
		{"2 files of 100,000 lines, benchstat", []string{"benchstat", "big-old.txt", "big-new.txt"}, 2},
		{"2 files of 1,000 benchmarks × 100 runs, tare stat", []string{"tare", "stat", "runs-old.txt", "runs-new.txt"}, 9},
		{"2 files of 1,000 benchmarks × 100 runs, benchstat", []string{"benchstat", "runs-old.txt", "runs-new.txt"}, 9},
		{"2 files of ten lines, tare stat", []string{"tare", "stat", "ten-old.txt", "ten-new.txt"}, 20},
		{"2 files of ten lines, benchstat", []string{"benchstat", "ten-old.txt", "ten-new.txt"}, 20},
	} {
		var wall, cpu []float64
		memory := int64(0)
		for range c.times {
			cmd := exec.Command(filepath.Join(dir, c.argv[0]), c.argv[1:]...)
			cmd.Dir = dir
			start := time.Now()
			if err := cmd.Run(); err != nil {
				t.Fatal(err)
			}
			wall = append(wall, time.Since(start).Seconds())
			cpu = append(cpu, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds())
			memory = max(memory, maxRSS(cmd.ProcessState))
		}
		slices.Sort(wall)
		slices.Sort(cpu)
		fmt.Printf("| %s | %.3f s (best %.3f) | %.3f s | %.0f MB |\n", c.what, wall[len(wall)/2], wall[0], cpu[len(cpu)/2], float64(memory)/1e6)
	}
	fmt.Printf("%d processors, %s\n", runtime.NumCPU(), runtime.Version())
}

// writeFigures writes a file of benchmarks × runs result lines with three
// units: noisy times, with the digits go test prints, and constant counts.
func writeFigures(path string, benchmarks, runs int, seed uint64, shift, least float64) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	fmt.Fprint(w, "goos: linux\ngoarch: amd64\npkg: example.com/figures\ncpu: Example\n")
	rng := rand.New(rand.NewPCG(seed, seed))
	centers := rand.New(rand.NewPCG(1, 1))
	base := make([]float64, benchmarks)
	for i := range base {
		base[i] = least * math.Exp(8+2*centers.NormFloat64())
	}
	for range runs {
		for i, c := range base {
			v := c * shift * math.Exp(0.02*rng.NormFloat64())
			shown := fmt.Sprintf("%.4g", v)
			if v >= 1000 {
				shown = fmt.Sprintf("%.0f", v)
			}
			fmt.Fprintf(w, "BenchmarkCase%04d/size=%d-8   \t%8d\t%10s ns/op\t%8d B/op\t%8d allocs/op\n", i, 1<<(i%12), int(1e9/v)+1, shown, int(c)/8*8, int(c)/100)
		}
	}
	return w.Flush()
}
