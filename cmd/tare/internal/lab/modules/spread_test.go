//go:build lab

package modules

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/machine"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
)

// spread describes why a benchmark stays undecided.
type spread struct {
	// blocks is the standard deviation of the logarithm of the ratio from block
	// to block, slices the part of it that slices explain.
	blocks, slices float64
	// processors is the number of CPUs of the measurement.
	processors int
}

// most returns the larger part.
func (s spread) most() string {
	switch {
	case s.slices > s.blocks/math.Sqrt2:
		return "slices"
	case s.processors > 1:
		return "processes and function order, on several processors"
	}
	return "processes and function order"
}

// spreadsOf reads the recording that a comparison left in a checkout.
func spreadsOf(t *testing.T, checkout string) map[string]spread {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(checkout, ".tare", "*", "result.jsonl"))
	if err != nil || len(paths) != 1 {
		t.Fatalf("%d recordings, %v", len(paths), err)
	}
	f, err := os.Open(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rec, err := result.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]spread)
	for _, b := range rec.Benchmarks {
		if s, ok := spreadOf(b); ok {
			all[b.Key.Pkg+"."+b.Key.Name] = s
		}
	}
	return all
}

// spreadOf needs two blocks.
func spreadOf(b result.Benchmark) (s spread, ok bool) {
	var medians, errors []float64
	for _, k := range b.Blocks {
		var logs []float64
		for _, r := range k.Timed() {
			if old, new := r.Slices[0].Seconds(), r.Slices[1].Seconds(); !r.Warmup && old > 0 && new > 0 {
				logs = append(logs, math.Log(new/old))
			}
		}
		if k.Good() && len(logs) > 0 {
			medians = append(medians, stats.Median(logs))
			errors = append(errors, 1.2533*1.4826*stats.MAD(logs)/math.Sqrt(float64(len(logs)))) // of a median
		}
	}
	if len(medians) < 2 {
		return s, false
	}
	s.blocks, s.slices = 1.4826*stats.MAD(medians), stats.Median(errors)
	if b.Pilot != nil {
		if s.processors = len(machine.ParseCPUList(b.Pilot.CPUs)); s.processors == 0 {
			s.processors = cmp.Or(b.Pilot.Procs, b.Key.Procs) // all of them
		}
	}
	return s, true
}

// undecidedRows are the module's rows of the table of undecided benchmarks.
func (r report) undecidedRows() []string {
	var rows []string
	for _, b := range r.benchmarks {
		if b.Blocks == 0 || b.Verdict != "undecided" {
			continue
		}
		row := fmt.Sprintf("| %s | %s | %d | | | | too few blocks fit into the budget |", r.name(), cell(b.Name), b.Blocks)
		if s, ok := r.spreads[b.Pkg+"."+b.Name]; ok && b.Blocks >= 8 {
			row = fmt.Sprintf("| %s | %s | %d | %.1f%% | %.1f%% | %d | %s |", r.name(), cell(b.Name), b.Blocks, 100*s.blocks, 100*s.slices, s.processors, s.most())
		}
		rows = append(rows, row)
	}
	return rows
}

// TestSpread: slices that differ within blocks, and blocks that differ.
func TestSpread(t *testing.T) {
	of := func(between, within float64) spread {
		var b result.Benchmark
		for k := range 20 {
			blk := result.Block{Block: k}
			for i := range 101 {
				change := between*float64(k%5-2) + within*float64(i*37%101-50)/50
				blk.Rounds = append(blk.Rounds, result.Round{Slices: []result.Slice{{N: 1, Raw: 1000}, {N: 1, Raw: 1000 * math.Exp(change)}}})
			}
			b.Blocks = append(b.Blocks, blk)
		}
		s, ok := spreadOf(b)
		if !ok {
			t.Fatal("no spread")
		}
		return s
	}
	if s := of(0.05, 0.01); s.most() != "processes and function order" || s.blocks < 0.05 || s.slices > 0.005 {
		t.Errorf("%+v", s)
	}
	if s := of(0.0001, 0.5); s.most() != "slices" {
		t.Errorf("%+v", s)
	}
}
