//go:build lab

package main

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/machine"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/selftest"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
	"github.com/tarebench/tare/cmd/tare/internal/test/executable"
)

// TestPredictionHolds compares what the doctor predicts with what compare
// reaches, on the machine as it is and with a busy loop running: one after the other,
// because the state of the machine lasts for minutes.
func TestPredictionHolds(t *testing.T) {
	dir := t.TempDir()
	tare := executable.Build(t, executable.Tare)
	for name, text := range selftest.Probe() {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ask := func(into any, args ...string) (seconds float64) {
		cmd := exec.Command(tare, args...)
		cmd.Dir = dir
		began := time.Now()
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("tare %v: %v", args, err)
		}
		seconds = time.Since(began).Seconds()
		if err := json.Unmarshal(out, into); err != nil {
			t.Fatal(err)
		}
		return seconds
	}
	ask(new(machine.Diagnosis), "doctor", "-json") // builds what the next ones find built
	hold := func(t *testing.T) {
		const trials = 12 // single intervals differ by far: see the log
		var predicted, reached, took []float64
		near, inside := 0, 0
		for tries := 0; len(reached) < trials; tries++ {
			if tries == 2*trials {
				t.Fatalf("%d of %d comparisons ran to the end", len(reached), tries)
			}
			var d machine.Diagnosis
			seconds := ask(&d, "doctor", "-json")
			if d.SmallestChange == nil { // the host took the time just then
				t.Logf("not counted: nothing was predicted: %s%s", d.Skipped, d.Unpredicted)
				continue
			}
			// Without a δ compare uses its whole budget, unless it stops at a
			// false alarm, one time in twenty: that is not the end of it.
			var c result.Comparison
			ask(&c, "compare", "-json", "-delta=0", "-bench", "Arithmetic", ".", ".")
			i := slices.IndexFunc(c.Benchmarks, func(b result.BenchmarkComparison) bool { return b.Unit == "sec/op" })
			if i < 0 || c.Benchmarks[i].Verdict != result.Undecided {
				t.Logf("not counted: %+v", c.Benchmarks)
				continue
			}
			row := c.Benchmarks[i]
			p, r := *d.SmallestChange, math.Expm1(math.Log(row.Change.Hi/row.Change.Lo)/2)
			t.Logf("predicted %.3f%% (%.3f to %.3f, %d blocks), reached %.3f%% (%d blocks)",
				100*p.Center, 100*p.Lo, 100*p.Hi, p.N, 100*r, row.Blocks)
			predicted, reached, took = append(predicted, p.Center), append(reached, r), append(took, seconds)
			if f := p.Center / r; f < 1.5 && f > 1/1.5 {
				near++
			}
			if p.Lo <= r && r <= p.Hi {
				inside++
			}
		}
		f := stats.Median(predicted) / stats.Median(reached)
		t.Logf("medians: predicted %.3f%% (%.3f to %.3f), reached %.3f%% (%.3f to %.3f): a factor of %.2f; of %d pairs %d within a factor of 1.5, %d inside the predicted interval; the doctor took %.1f s",
			100*stats.Median(predicted), 100*slices.Min(predicted), 100*slices.Max(predicted),
			100*stats.Median(reached), 100*slices.Min(reached), 100*slices.Max(reached), f, trials, near, inside, stats.Median(took))
		if f > 1.5 || f < 1/1.5 {
			t.Errorf("the predictions are off by a factor of %.2f", f)
		}
	}
	t.Run("as it is", hold)
	t.Run("beside a busy loop", func(t *testing.T) {
		hog := exec.Command("sh", "-c", "while :; do :; done")
		if err := hog.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() { hog.Process.Kill(); hog.Wait() }()
		hold(t)
	})
}
