// Package studies makes recordings of plausible benchmarks for the tests of the
// report, with a fixed seed.
package studies

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/report"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
)

// Evil is a name that attacks markup, a terminal, a table and a command.
const Evil = "Evil/</script><script>alert(1)</script><img src=x onerror=alert(2)>|`x`\x1b[2J\u202e::error::\"'"

// Study is a comparison of plausible benchmarks with a fixed seed. It is a
// recording as a study writes it.
func Study(benchmarks, blocks, rounds int, seed uint64) *result.Recording {
	r := rand.New(rand.NewPCG(seed, 7))
	rec := &result.Recording{
		Study: result.Study{
			Schema: result.RecordingSchema, Created: time.Date(2026, 11, 1, 9, 30, 0, 0, time.UTC),
			Plan: result.Plan{
				Kind: "compare", Command: []string{"tare", "compare", "-bench", ".", "main", ".", "./..."},
				Seed: 1, Alpha: 0.05, Delta: 0.02, MaxBlocks: 40,
			},
			Variants: []result.Variant{{Label: "main", Revision: "3f1c2ab", Go: "go1.26.8"}, {Label: ".", Dirty: true, Go: "go1.26.8"}},
			Machine:  &result.Machine{OS: "linux", Arch: "amd64", Kernel: "6.1.0", CPU: result.CPU{Model: "AMD EPYC", Cores: 1, Threads: 2}, Virtual: "kvm", MemoryBytes: 4 << 30, ClockSource: "kvm-clock"},
		},
		Findings: []finding.Finding{{ID: "shared-machine", Severity: finding.Warning, Subject: "machine", Message: "a virtual machine: neighbors take time that shows as noise", Action: "use bare metal for changes under 1%"}},
		End:      &result.End{Seconds: 12},
	}
	effects := []float64{0.96, 1, 1.05, 1.001, 1, 0.8, 1, 1.004}
	at := 0.0
	for b := range benchmarks {
		name := fmt.Sprintf("Encode/size=%dk", 1<<(b%11))
		switch {
		case b == 3:
			name = Evil
		case b > 10:
			name = fmt.Sprintf("Op%d/case=%d", b/8, b)
		}
		rec.Benchmarks = append(rec.Benchmarks, result.Benchmark{Key: result.Key{Pkg: fmt.Sprintf("example.com/pkg%d", b/400), Name: name, Procs: 2}, Loop: "b.Loop"})
		base := math.Exp(r.NormFloat64()*2) * 1e-6
		noise := 0.006
		if b%8 == 7 {
			noise = 0.05
		}
		for k := range blocks {
			drift := 1 + 0.05*math.Sin(at/7)
			block := result.Block{Benchmark: b, Block: k, Processes: make([]result.Process, 2)}
			layout := [2]float64{1 + 0.004*r.NormFloat64(), 1 + 0.004*r.NormFloat64()}
			for j := range rounds {
				round := result.Round{At: at, Order: []int{0, 1}, Warmup: j == 0, Slices: make([]result.Slice, 2)}
				for v := range 2 {
					perOp := base * drift * layout[v] * math.Exp(noise*r.NormFloat64())
					if v == 1 {
						perOp *= effects[b%8]
					}
					n := int64(2e-3/base) + 1
					round.Slices[v] = result.Slice{N: n, Raw: perOp * float64(n) * 1e9, OverheadLo: 40, OverheadHi: 50}
					if j > 0 {
						used := &block.Processes[v]
						used.N, used.User = used.N+n, used.User+perOp*float64(n)*1e9
						if b == 2 { // a benchmark that collects
							round.Slices[v].GCs = 1
							used.GCs, used.GCTime = used.GCs+1, used.GCTime+1e5*float64(v+1)
						}
					}
				}
				block.Rounds = append(block.Rounds, round)
				at += 0.004
			}
			block.First, block.Seconds, block.SliceSeconds = r.IntN(2), 0.3, 0.1
			rec.Benchmarks[b].Blocks = append(rec.Benchmarks[b].Blocks, block)
		}
		rec.Stops = append(rec.Stops, result.Stop{Benchmark: b, Reason: "blocks"})
	}
	return rec
}

// RunOf keeps the old variant of a study.
func RunOf(rec *result.Recording) *result.Recording {
	run := *rec
	run.Study.Kind = "run"
	run.Study.Command = []string{"tare", "run", "-bench", "."}
	run.Study.Variants = rec.Study.Variants[:1]
	run.Benchmarks = slices.Clone(rec.Benchmarks)
	for i := range run.Benchmarks {
		b := &run.Benchmarks[i]
		b.Blocks = slices.Clone(b.Blocks)
		for k := range b.Blocks {
			rounds := slices.Clone(b.Blocks[k].Rounds)
			for r := range rounds {
				rounds[r].Slices, rounds[r].Order = rounds[r].Slices[:1], []int{0}
			}
			b.Blocks[k].Rounds = rounds
		}
	}
	return &run
}

// Compared judges a study.
func Compared(rec *result.Recording) report.Document {
	c := judge.Compare(rec)
	c.Folder = ".tare/2026-11-01"
	return report.Document{Comparison: &c, Recording: rec}
}

// Measured summarizes a run.
func Measured(rec *result.Recording) report.Document {
	c := judge.Compare(rec)
	return report.Document{Comparison: &c, Recording: rec}
}

// Large is the largest report for which the documentation promises figures. The
// judgment of the first eight benchmarks is copied to all, because the report
// does not check it. It is made once: no test changes it.
var Large = sync.OnceValue(func() report.Document {
	rec := Study(1000, 10, 21, 2)
	few := *rec
	few.Benchmarks = rec.Benchmarks[:8]
	few.Stops = rec.Stops[:8]
	d := Compared(&few)
	d.Recording = rec
	rows := d.Comparison.Benchmarks
	d.Comparison.Benchmarks = nil
	for i, b := range rec.Benchmarks {
		row := rows[i%len(rows)]
		row.Key = b.Key
		d.Comparison.Benchmarks = append(d.Comparison.Benchmarks, row)
	}
	return d
})
