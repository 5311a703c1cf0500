//go:build lab

package study

import (
	"flag"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
)

var recordings = flag.String("recordings", "", "two recordings for TestVarianceTable")

// TestVarianceTable prints the variance components of the benchmarks of two
// recordings without a change, one with a fresh function order for every block
// and one without:
//
//	go test -tags lab ./cmd/tare/internal/study -run VarianceTable -v -recordings="A/result.jsonl B/result.jsonl"
//
// See docs/results/variance.txt.
func TestVarianceTable(t *testing.T) {
	paths := strings.Fields(*recordings)
	if len(paths) != 2 {
		t.Skip("-recordings names two, with function orders and without")
	}
	var recs [2]*result.Recording
	for i, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if recs[i], err = result.Read(f); err != nil {
			t.Fatal(err)
		}
	}
	t.Log("| benchmark | blocks | a pair of slices | processes | layouts | of a block of 200 rounds, most is |")
	t.Log("|---|---|---|---|---|---|")
	for _, row := range varianceRows(recs[0], recs[1]) {
		t.Logf("| %s | %d, %d | %.2f%% | %.3f%% | %.3f%% | %s |", row.name, row.blocks[0], row.blocks[1], 100*row.slices, 100*row.processes, 100*row.layouts, row.most())
	}
}

// varianceRow are standard deviations of the logarithm of the ratio of two
// sides: of one round, and between blocks.
type varianceRow struct {
	name                       string
	blocks                     [2]int
	slices, processes, layouts float64
}

// most names the largest part of the variance of a block.
func (r varianceRow) most() string {
	within := r.slices / math.Sqrt(lockstepMost)
	switch max(within, r.processes, r.layouts) {
	case 0:
		return "nothing"
	case within:
		return "slices"
	case r.processes:
		return "processes"
	}
	return "layouts"
}

// varianceRows has the benchmarks that both recordings have enough blocks of.
// Without layouts blocks differ by their processes, with them by layouts too.
func varianceRows(with, without *result.Recording) (rows []varianceRow) {
	for _, b := range with.Benchmarks {
		i := slices.IndexFunc(without.Benchmarks, func(o result.Benchmark) bool { return o.Key == b.Key })
		if i < 0 {
			continue
		}
		all, ok := recordedComponents(b)
		same, also := recordedComponents(without.Benchmarks[i])
		if ok && also {
			rows = append(rows, varianceRow{
				name: b.Name, blocks: [2]int{len(b.Blocks), len(without.Benchmarks[i].Blocks)},
				slices: math.Sqrt(same.within), processes: math.Sqrt(same.between),
				layouts: math.Sqrt(max(0, all.between-same.between)),
			})
		}
	}
	return rows
}

func recordedComponents(recorded result.Benchmark) (components, bool) {
	b := &bench{Benchmark: recorded}
	var rounds []float64
	for _, k := range b.Blocks {
		rounds = append(rounds, float64(len(k.Rounds)))
	}
	if len(rounds) < 4 {
		return components{}, false
	}
	b.pilot.Rounds = int(stats.Median(rounds))
	return componentsOf(b)
}

// TestVarianceRows: what was put in comes out.
func TestVarianceRows(t *testing.T) {
	record := func(between float64, seed uint64) *result.Recording {
		b := simulatedBlocks(200, 100, 0.0002, between, 0.01, seed)
		b.Key = result.Key{Pkg: "p", Name: "X"}
		return &result.Recording{Benchmarks: []result.Benchmark{b.Benchmark}}
	}
	rows := varianceRows(record(math.Hypot(0.003, 0.005), 1), record(0.003, 2))
	if len(rows) != 1 {
		t.Fatalf("%d rows", len(rows))
	}
	r := rows[0]
	if math.Abs(r.processes-0.003) > 0.0008 || math.Abs(r.layouts-0.005) > 0.0012 || math.Abs(r.slices-0.0125) > 0.0015 || r.most() != "layouts" {
		t.Errorf("%+v, most is %s; put in were 0.003 of processes, 0.005 of layouts, 0.0125 of medians", r, r.most())
	}
	if rows := varianceRows(record(0.001, 3), &result.Recording{}); len(rows) != 0 {
		t.Errorf("a benchmark of one recording has %d rows", len(rows))
	}
}

// components are the variances of a benchmark's blocks.
type components struct {
	// between is B, within W, of logarithms of ratios.
	between, within float64
}

// componentsOf estimates the components from the good blocks by medians, since
// a few rounds in a hundred are interrupted. With several new variants the
// noisiest counts.
func componentsOf(b *bench) (c components, ok bool) {
	typical, spread := make(map[int][]float64), make(map[int][]float64)
	for _, k := range b.Blocks {
		n := 0
		ratios := make(map[int][]float64)
		for _, r := range k.Timed() {
			if !r.Warmup {
				n++
				addRatios(ratios, r.Slices)
			}
		}
		if !k.Good() || n == 0 {
			continue
		}
		for v, list := range ratios {
			typical[v] = append(typical[v], stats.Median(list))
			e := medianError(list)
			spread[v] = append(spread[v], e*e*float64(len(list)))
		}
	}
	for v := range typical {
		within := stats.Median(spread[v])
		of := deviation(typical[v])
		between := max(0, of*of-within/float64(max(1, b.pilot.Rounds)))
		if within+between > c.within+c.between {
			c.within, c.between = within, between
		}
	}
	return c, len(typical) > 0
}

// addRatios adds the logarithms of new over old in one round.
func addRatios(ratios map[int][]float64, slices []result.Slice) {
	old := slices[0].Seconds()
	for v, s := range slices[1:] {
		if new := s.Seconds(); old > 0 && new > 0 {
			ratios[v+1] = append(ratios[v+1], math.Log(new/old))
		}
	}
}

const sigmaPerMAD = 1.4826 // of a normal distribution

// deviation is the standard deviation of values with a normal middle.
func deviation(x []float64) float64 { return sigmaPerMAD * stats.MAD(x) }

// medianError is the standard error of the median of independent values with a
// normal middle.
func medianError(x []float64) float64 {
	const medianPerMean = 1.2533
	return medianPerMean * deviation(x) / math.Sqrt(float64(len(x)))
}
