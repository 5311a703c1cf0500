package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/tarebench/tare/internal/lockstep"
	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/internal/sequential"
	"github.com/tarebench/tare/internal/study"
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

// smallestChange compares the probe with itself as compare does by default,
// until the next block would end after deadline (or as long as the least number
// of blocks takes), and predicts the smallest change that compare tells at the
// end of its default budget: see [lockstep.SmallestChange].
func smallestChange(ctx context.Context, machine fs.FS, deadline time.Time) (smallest result.Estimate, err error) {
	dir, err := os.MkdirTemp("", "tare-doctor-")
	if err != nil {
		return smallest, fmt.Errorf("make folder for the built-in benchmark: %w", err)
	}
	defer os.RemoveAll(dir)
	for name, text := range map[string]string{"go.mod": probeModule, "probe_test.go": probeTest} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return smallest, fmt.Errorf("write built-in benchmark: %w", err)
		}
	}
	built, err := openVariants(ctx, dir, []string{"."}, []string{"."}, nil, func(string) {})
	if err != nil {
		return smallest, fmt.Errorf("build the built-in benchmark: %w", err)
	}
	defer func() { err = errors.Join(err, built.close()) }()

	sides := []study.Source{built.sources[0], twin{built.sources[0], dir}}
	head := result.Study{
		Schema: result.Schema, Kind: "compare", Variants: slices.Repeat(built.variants, 2), Seed: 1,
		Alpha: 0.05, MaxBlocks: defaultBlocks, BudgetSeconds: defaultBudget.Seconds(),
	}
	var bench result.Benchmark
	var rounds []result.Round
	var blocks []result.Block
	spoilt := disturbances{machine: machine}
	said := ""
	err = study.Run(ctx, study.Options{
		Study: head, Sources: sides, Packages: built.packages, Bench: ".",
		Procs: []int{runtime.GOMAXPROCS(0)}, Timeout: time.Minute, Layouts: true,
		Write: func(l result.Line) error {
			switch {
			case l.Stop != nil && l.Stop.Message != "":
				said = l.Stop.Message
			case l.Finding != nil && said == "":
				said = l.Finding.Message
			}
			return nil
		},
		Judge: func(b result.Benchmark, r []result.Round, k []result.Block) (done bool, reason string) {
			bench, rounds, blocks = b, r, k
			end := time.Now().Add(time.Duration(k[len(k)-1].Seconds * float64(time.Second)))
			// Where the build or other work took the time, some more of it
			// gives the blocks that it takes; spoiled ones it would not mend.
			if len(k) < sequential.MinBlocks && len(spoilt.spoilt) == 0 {
				end = end.Add(-patience)
			}
			return end.After(deadline), "budget"
		},
		Disturbed: spoilt.bracket,
	})
	if err != nil {
		return smallest, fmt.Errorf("compare the built-in benchmark with itself: %w: %s", err, said)
	}
	smallest, err = lockstep.SmallestChange(head, bench, rounds, blocks)
	// What spoils the doctor's blocks will spoil those of compare.
	if all := spoilt.findings(); err != nil && len(all) > 0 {
		err = fmt.Errorf("%w; %s; %s", err, all[0].Message, all[0].Action)
	}
	return smallest, err
}

// patience is how long a slow machine may take beyond the deadline.
const patience = 5 * time.Second

// twin is the other side of a comparison of a variant with itself: a copy of
// each of its binaries, in memory of its own, for the time of a link less.
type twin struct {
	study.Source
	folder string
}

func (t twin) Binary(ctx context.Context, pkg string, layout uint64) (study.Binary, error) {
	bin, err := t.Source.Binary(ctx, pkg, layout)
	if err != nil {
		return bin, err
	}
	program, err := os.ReadFile(bin.Path)
	if err == nil {
		bin.Path = t.path(layout)
		err = os.WriteFile(bin.Path, program, 0o700)
	}
	if err != nil {
		return bin, fmt.Errorf("copy binary of the built-in benchmark: %w", err)
	}
	return bin, nil
}

// Release removes the copy; the original is for the first side to remove.
func (t twin) Release(_ string, layout uint64) { os.Remove(t.path(layout)) }

func (t twin) path(layout uint64) string {
	return filepath.Join(t.folder, fmt.Sprintf("twin-%x.test", layout))
}
