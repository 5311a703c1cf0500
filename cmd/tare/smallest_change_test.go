package main

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tarebench/tare/internal/machine"
	"github.com/tarebench/tare/result"
	"github.com/tarebench/tare/stats"
)

// TestBlockRatios: warm-up rounds and disturbed blocks do not count.
func TestBlockRatios(t *testing.T) {
	round := func(block int, warm bool, old, new float64) result.Round {
		return result.Round{Block: block, Warmup: warm, Slices: []result.Slice{{N: 1, Raw: old}, {N: 1, Raw: new}}}
	}
	got := blockRatios([]result.Round{
		round(0, true, 1, 100), round(0, false, 100, 110), round(0, false, 100, 121), round(0, false, 100, 100),
		round(1, false, 100, 700),
		round(2, false, 100, 50),
		round(3, false, 100, 900), // not ended
	}, []result.Block{{Block: 0}, {Block: 1, Disturbed: "stolen"}, {Block: 2}})
	want := []float64{math.Log(1.1), math.Log(0.5)}
	if len(got) != 2 || math.Abs(got[0]-want[0]) > 1e-12 || math.Abs(got[1]-want[1]) > 1e-12 {
		t.Errorf("ratios %v, want %v", got, want)
	}
}

// TestPredictHalfWidth holds the prediction from twelve blocks against the
// half width at forty, over normal and over heavy-tailed ratios.
func TestPredictHalfWidth(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for name, draw := range map[string]func() float64{
		"normal":  func() float64 { return 0.01 * rng.NormFloat64() },
		"student": func() float64 { return 0.01 * rng.NormFloat64() / math.Sqrt(rng.ExpFloat64()) },
	} {
		var factors []float64
		for range 400 {
			sample := func(n int) []float64 {
				x := make([]float64, n)
				for i := range x {
					x[i] = draw()
				}
				return x
			}
			predicted, err := predictHalfWidth(sample(12), 40)
			if err != nil {
				t.Fatal(err)
			}
			// The last look of the default design is at about 2 %.
			lo, hi, err := stats.CenterBounds(sample(40), 0.02)
			if err != nil {
				t.Fatal(err)
			}
			factors = append(factors, predicted/math.Expm1((hi-lo)/2))
		}
		middle := stats.Median(factors)
		within := 0
		for _, f := range factors {
			if f < 1.5 && f > 1/1.5 {
				within++
			}
		}
		t.Logf("%s: predicted/reached has median %.2f, %.0f %% within a factor of 1.5", name, middle, float64(within)/4)
		if middle < 1/1.25 || middle > 1.25 {
			t.Errorf("%s: predictions are off by a factor of %.2f in the middle", name, middle)
		}
	}
	if _, err := predictHalfWidth(make([]float64, 3), 40); err == nil {
		t.Error("three blocks gave a prediction")
	}
}

// TestPredictionHolds compares what the doctor predicts with what compare
// reaches, on the machine as it is and beside a busy loop.
func TestPredictionHolds(t *testing.T) {
	if os.Getenv("TARE_LONG") == "" {
		t.Skip("TARE_LONG=1 runs doctor and compare three times each, as it is and beside a busy loop: three minutes")
	}
	dir := t.TempDir()
	tare := filepath.Join(dir, "tare")
	if out, err := exec.Command("go", "build", "-o", tare, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for name, text := range map[string]string{"go.mod": probeModule, "probe_test.go": probeTest} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ask := func(into any, args ...string) {
		cmd := exec.Command(tare, args...)
		cmd.Dir = dir
		cmd.Stderr = os.Stderr // says why nothing was predicted
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("tare %v: %v", args, err)
		}
		if err := json.Unmarshal(out, into); err != nil {
			t.Fatal(err)
		}
	}
	for _, busy := range []bool{false, true} {
		name := "as it is"
		if busy {
			name = "beside a busy loop"
			hog := exec.Command("sh", "-c", "while :; do :; done")
			if err := hog.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() { hog.Process.Kill(); hog.Wait() }()
		}
		var factors []float64
		for range 3 {
			var d machine.Diagnosis
			ask(&d, "doctor", "-json")
			var c result.Comparison
			// A δ that cannot be settled makes compare use its whole budget.
			ask(&c, "compare", "-json", "-delta=0.01%", ".", ".")
			if d.SmallestChange == nil {
				t.Fatalf("%s: nothing was predicted: %s", name, d.Skipped)
			}
			i := slices.IndexFunc(c.Benchmarks, func(b result.BenchmarkComparison) bool { return b.Unit == "sec/op" })
			if i < 0 {
				t.Fatalf("%s: nothing was compared", name)
			}
			reached := math.Expm1((math.Log(c.Benchmarks[i].Change.Hi) - math.Log(c.Benchmarks[i].Change.Lo)) / 2)
			factors = append(factors, *d.SmallestChange/reached)
			t.Logf("%s: predicted %.2f %%, reached %.2f %% in %d blocks", name, 100**d.SmallestChange, 100*reached, c.Benchmarks[i].Blocks)
		}
		if m := stats.Median(factors); m > 1.5 || m < 1/1.5 {
			t.Errorf("%s: the prediction is off by a factor of %.2f", name, m)
		}
	}
}
