//go:build lab

package study

import (
	"path/filepath"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// TestHostileSlow: a setup of 10 s, in every slice and once, and an operation
// of 20 s are measured, in a time that follows from theirs.
func TestHostileSlow(t *testing.T) {
	t.Setenv("HOSTILE_SLOW", "1")
	dir, err := filepath.Abs("testdata/hostile")
	if err != nil {
		t.Fatal(err)
	}
	rec, err := record(t, Options{
		Study:    result.Study{Plan: result.Plan{Bench: "^Benchmark(Slow|SlowSetUp|SlowSetUpLoop)$", BlockSeconds: 0.02, TimeoutSeconds: 60, Kind: "compare", Seed: 1, MaxBlocks: 2, BudgetSeconds: 20, Alpha: 0.05}, Schema: result.RecordingSchema, Variants: []result.Variant{{Label: "old"}, {Label: "new"}}},
		Sources:  []Source{newSource(t, dir, ""), newSource(t, dir, "")},
		Packages: []string{"example.com/hostile"},
		Watcher: hearing{nil, func(e Event) {
			t.Logf("%s %s: %d rounds, %d blocks", e.Phase, e.Benchmark.Name, e.Rounds, e.Blocks)
		}},
	})
	if err != nil {
		t.Fatalf("%v\n%v", err, rec.Findings)
	}
	for name, o := range outcomes(rec) {
		if o.kind != "measured" {
			t.Errorf("%s: %s %q", name, o.kind, shorten(o.says))
		}
	}
	if len(rec.Benchmarks) != 3 {
		t.Fatalf("%d benchmarks, want 3", len(rec.Benchmarks))
	}
	for _, b := range rec.Benchmarks {
		for _, k := range b.Blocks {
			for i, r := range k.Rounds {
				t.Logf("%s: block %d, round %d at %.0f s: n %d, %.4g and %.4g s/op", b.Name, k.Block, i, r.At, r.Slices[0].N, r.Slices[0].Seconds(), r.Slices[1].Seconds())
				for _, s := range r.Slices {
					if slow := s.Seconds() >= 20; slow != (b.Name == "Slow") || s.N <= 0 {
						t.Errorf("%s: %d iterations of %g s", b.Name, s.N, s.Seconds())
					}
				}
			}
		}
	}
}
