//go:build lab

package main

import (
	"bufio"
	"errors"
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

	"github.com/tarebench/tare/cmd/tare/internal/test/executable"
)

// TestStatFigures compares tare stat with benchstat on the same files in one
// run and prints the table of docs/results/stat.txt. It asserts nothing about
// time.
func TestStatFigures(t *testing.T) {
	dir := t.TempDir()
	tools := map[string]string{"tare": executable.Build(t, executable.Tare), "benchstat": executable.Build(t, executable.Benchstat)}
	// Coarse values have few digits, so that many are equal; the second side of fine
	// ones has three times the spread.
	shapes := []struct {
		name             string
		benchmarks, runs int
		fine             bool
	}{
		{"5,000 × 20, coarse", 5000, 20, false}, {"1,000 × 20, coarse", 1000, 20, false}, {"1,000 × 100, coarse", 1000, 100, false},
		{"5,000 × 20, fine", 5000, 20, true}, {"1,000 × 20, fine", 1000, 20, true}, {"1,000 × 100, fine", 1000, 100, true},
	}
	type command struct {
		what  string
		argv  []string
		times int
	}
	var commands []command
	for i, f := range shapes {
		old, new := fmt.Sprintf("old%d.txt", i), fmt.Sprintf("new%d.txt", i)
		least, sd, shift := 1.0, 0.02, 1.01
		if f.fine {
			least, sd, shift = 1e4, 0.06, 1.05
		}
		if err := errors.Join(writeFigures(filepath.Join(dir, old), f.benchmarks, f.runs, 1, 1, least, 0.02),
			writeFigures(filepath.Join(dir, new), f.benchmarks, f.runs, 2, shift, least, sd)); err != nil {
			t.Fatal(err)
		}
		commands = append(commands, command{f.name + ", tare stat", []string{"tare", "stat", old, new}, 3},
			command{f.name + ", benchstat", []string{"benchstat", old, new}, 3})
	}
	for _, c := range commands {
		var wall, cpu []float64
		memory := int64(0)
		for range c.times {
			cmd := exec.Command(tools[c.argv[0]], c.argv[1:]...)
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
func writeFigures(path string, benchmarks, runs int, seed uint64, shift, least, sd float64) error {
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
			v := c * shift * math.Exp(sd*rng.NormFloat64())
			shown := fmt.Sprintf("%.4g", v)
			if v >= 1000 {
				shown = fmt.Sprintf("%.0f", v)
			}
			fmt.Fprintf(w, "BenchmarkCase%04d/size=%d-8   \t%8d\t%10s ns/op\t%8d B/op\t%8d allocs/op\n", i, 1<<(i%12), int(1e9/v)+1, shown, int(c)/8*8, int(c)/100)
		}
	}
	return w.Flush()
}
