package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/tarebench/tare/internal/study"
	"github.com/tarebench/tare/result"
	"github.com/tarebench/tare/stats"
)

// The benchmark that the doctor compares with itself: arithmetic over a buffer
// that fits a core's own cache, without allocation. It is as steady as code
// gets, so what it shows is the machine.
const (
	probeModule = "module tareprobe\n\ngo 1.24\n"
	probeTest   = `package tareprobe

import (
	"hash/fnv"
	"testing"
)

var sum uint64

func BenchmarkProbe(b *testing.B) {
	buf := make([]byte, 16<<10)
	for i := range buf {
		buf[i] = byte(i * i)
	}
	h := fnv.New64a()
	for b.Loop() {
		h.Write(buf)
	}
	sum = h.Sum64()
}
`
)

// smallestChange measures the probe against itself in lockstep, with blocks
// like those of compare by default, for about the time that is left before
// deadline (or as long as the least number of blocks takes), and predicts the
// half width of compare's interval at the end of its default budget: a change
// beyond it is told from none.
//
// It is the half width of the 95 % interval of the blocks' log ratios,
// scaled by 1/√n to the blocks of the default budget, and by the ratio of the
// normal quantiles to the level 2 % that the sequential rule leaves for its
// last look.
func smallestChange(ctx context.Context, deadline time.Time) (change float64, err error) {
	dir, err := os.MkdirTemp("", "tare-doctor-")
	if err != nil {
		return 0, fmt.Errorf("make folder for the built-in benchmark: %w", err)
	}
	defer os.RemoveAll(dir)
	for name, text := range map[string]string{"go.mod": probeModule, "probe_test.go": probeTest} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return 0, fmt.Errorf("write built-in benchmark: %w", err)
		}
	}
	built, err := openVariants(ctx, dir, []string{".", "."}, []string{"."}, nil, func(string) {})
	if err != nil {
		return 0, fmt.Errorf("build the built-in benchmark: %w", err)
	}
	defer func() { err = errors.Join(err, built.close()) }()

	var ratios []float64
	var mean time.Duration
	var spoilt disturbances
	said := ""
	err = study.Run(ctx, study.Options{
		Study: result.Study{
			Schema: result.Schema, Kind: "compare", Variants: built.variants, Seed: 1,
			MaxBlocks: defaultBlocks, BudgetSeconds: defaultBudget.Seconds(),
		},
		Sources: built.sources, Packages: built.packages, Bench: ".",
		Procs: []int{runtime.GOMAXPROCS(0)}, Timeout: time.Minute,
		Write: func(l result.Line) error {
			switch {
			case l.Stop != nil && l.Stop.Message != "":
				said = l.Stop.Message
			case l.Finding != nil && said == "":
				said = l.Finding.Message
			}
			return nil
		},
		Judge: func(_ result.Benchmark, rounds []result.Round, blocks []result.Block) (done bool, reason string) {
			ratios = blockRatios(rounds, blocks)
			var spent float64
			for _, b := range blocks {
				spent += b.Seconds
			}
			block := time.Duration(spent / float64(len(blocks)) * float64(time.Second))
			// A spoiled block costs time and does not count, in compare too.
			mean = block * time.Duration(len(blocks)) / time.Duration(max(1, len(ratios)))
			late := time.Since(deadline) + block
			return late > 0 && (len(ratios) >= stats.MinBlocks || late > patience), "budget"
		},
		Disturbed: spoilt.bracket,
	})
	if err != nil {
		return 0, fmt.Errorf("compare the built-in benchmark with itself: %w: %s", err, said)
	}
	if len(ratios) < stats.MinBlocks {
		return 0, fmt.Errorf("compare the built-in benchmark with itself: %d of %d blocks were good, and it takes %d", len(ratios), spoilt.blocks, stats.MinBlocks)
	}
	return predictHalfWidth(ratios, min(defaultBlocks, int(defaultBudget/max(mean, 1))))
}

// patience is how long a slow machine may take beyond the deadline.
const patience = 5 * time.Second

// blockRatios gives the median log ratio of the two sides in each undisturbed
// block.
func blockRatios(rounds []result.Round, blocks []result.Block) []float64 {
	var order []int
	in := map[int][]float64{}
	good := map[int]bool{}
	for _, b := range blocks {
		good[b.Block] = b.Disturbed == ""
	}
	for _, r := range rounds {
		if r.Warmup || len(r.Slices) != 2 || !good[r.Block] {
			continue
		}
		a, b := r.Slices[0].Seconds(), r.Slices[1].Seconds()
		if a <= 0 || b <= 0 {
			continue
		}
		if in[r.Block] == nil {
			order = append(order, r.Block)
		}
		in[r.Block] = append(in[r.Block], math.Log(b/a))
	}
	var ratios []float64
	for _, k := range order {
		ratios = append(ratios, stats.Median(in[k]))
	}
	return ratios
}

// predictHalfWidth goes from the log ratios of a few blocks to the half width
// of compare's interval after the given number of them, as a relative change.
func predictHalfWidth(ratios []float64, blocks int) (float64, error) {
	lo, hi, err := stats.CenterBounds(ratios, 0.05)
	if err != nil {
		return 0, fmt.Errorf("bound the built-in benchmark's change: %w", err)
	}
	const lastLook = 2.326 / 1.960 // two-sided 2 % against 5 %
	half := (hi - lo) / 2 * lastLook * math.Sqrt(float64(len(ratios))/float64(max(blocks, 1)))
	return math.Expm1(half), nil
}
