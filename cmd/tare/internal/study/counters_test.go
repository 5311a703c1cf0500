package study

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
)

// faulty are benchmarks that fault 16 fresh pages: outside of the timed part,
// inside it, or both.
const faulty = `package m

import (
	"runtime"
	"syscall"
	"testing"
)

const pages = 16

func fault() {
	size := syscall.Getpagesize()
	b, err := syscall.Mmap(-1, 0, pages*size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		panic(err)
	}
	for i := 0; i < len(b); i += size {
		b[i] = 1
	}
	syscall.Munmap(b)
}

var sink int

func work() {
	for i := range 1000 {
		sink += i * i
	}
}

// elsewhere runs f on a thread of its own, which ends with it.
func elsewhere(f func()) {
	done := make(chan bool)
	go func() {
		runtime.LockOSThread()
		f()
		done <- true
	}()
	<-done
}

func paused(b *testing.B, setUp, op func()) {
	for range 4 * b.N {
		fault() // forgotten by ResetTimer
	}
	b.ResetTimer()
	for range b.N {
		b.StopTimer()
		setUp()
		b.StartTimer()
		op()
	}
}

func BenchmarkSetUp(b *testing.B)        { paused(b, fault, work) }
func BenchmarkTimed(b *testing.B)        { paused(b, fault, fault) }
func BenchmarkThread(b *testing.B)       { paused(b, func() { elsewhere(fault) }, func() { elsewhere(fault) }) }
func BenchmarkThreadSetUp(b *testing.B)  { paused(b, func() { elsewhere(fault) }, work) }
func BenchmarkNotPaused(b *testing.B)    { for range b.N { fault(); work() } }
func BenchmarkLoop(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		fault()
		b.StartTimer()
		work()
	}
}
func BenchmarkSub(b *testing.B) { b.Run("setup", BenchmarkLoop) }
`

// TestCountersOfPausedBenchmarks: what a benchmark does while its timer is
// stopped is in no counter; what it does while it runs is, on every thread.
func TestCountersOfPausedBenchmarks(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("counters need Linux")
	}
	s := newSource(t, module(t, map[string]string{"m_test.go": faulty}), "")
	rec, err := record(t, Options{
		Study:   result.Study{Schema: result.RecordingSchema, Kind: "run", Variants: []result.Variant{{Label: "."}}, Seed: 1, MaxBlocks: 2, BudgetSeconds: 60, Alpha: 0.05},
		Sources: []Source{s}, Packages: []string{"example.com/m"}, Bench: ".",
		BlockTime: 2 * time.Millisecond, Iterations: 20, Counters: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range rec.Findings {
		if strings.HasPrefix(f.ID, "counters-") && f.ID != "counters-paused" {
			t.Skipf("no counters here: %v", f)
		}
	}
	// Page faults per operation, from and to: 16, less what is subtracted for
	// reading the counters. The runtime has some of its own, and
	// on a busy machine there are few operations to share them.
	want := map[string][2]float64{
		"SetUp": {0, 8}, "ThreadSetUp": {0, 8}, "Loop": {0, 8}, "Sub/setup": {0, 8},
		"Timed": {15, 24}, "Thread": {15, 40}, "NotPaused": {15, 24},
	}
	seen := make(map[string]bool)
	for _, m := range judge.Run(rec).Benchmarks {
		if m.Unit != "page-faults/op" && m.Unit != "cpu-sec/op" {
			continue
		}
		t.Logf("%s: %.4g %s, %d rounds in %d blocks", m.Name, m.Value.Center, m.Unit, m.Rounds, m.Blocks)
		if m.Unit == "cpu-sec/op" {
			if want[m.Name][0] > 0 && !(m.Value.Center > 0) {
				t.Errorf("%s takes %g s of CPU time", m.Name, m.Value.Center)
			}
			continue
		}
		w := want[m.Name]
		if v := m.Value.Center; v < w[0] || v > w[1] {
			t.Errorf("%s: %g page faults per operation, want %g to %g", m.Name, v, w[0], w[1])
		}
		seen[m.Name] = true
		said := slices.ContainsFunc(rec.Findings, func(f finding.Finding) bool {
			return f.ID == "counters-paused" && f.Severity == finding.Info && f.Subject == m.Name
		})
		if said != (m.Name != "NotPaused") {
			t.Errorf("%s: counted in rounds of its own: %t", m.Name, said)
		}
	}
	if len(seen) != len(want) {
		t.Errorf("page faults of %v alone", seen)
	}
	for _, f := range rec.Findings {
		t.Log(f)
	}
	for _, b := range rec.Benchmarks {
		for _, k := range b.Blocks {
			for _, r := range k.Rounds {
				if _, timed := r.Slices[0].Metrics["page-faults/op"]; timed && b.Name != "NotPaused" {
					t.Fatalf("timed round %+v has counters", r)
				}
			}
		}
	}
}

// TestCountersOfResumedStudy: a paused benchmark whose study was killed after
// its first block is counted in the second as if nothing had happened, and no
// finding is reported twice.
func TestCountersOfResumedStudy(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("counters need Linux")
	}
	s := newSource(t, module(t, map[string]string{"m_test.go": faulty}), "")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var half result.Recording
	var lines []result.Line
	o := Options{
		Study:   result.Study{Schema: result.RecordingSchema, Kind: "run", Variants: []result.Variant{{Label: "."}}, Seed: 1, MaxBlocks: 2, BudgetSeconds: 60, Alpha: 0.05},
		Sources: []Source{s}, Packages: []string{"example.com/m"}, Bench: "^BenchmarkTimed$",
		BlockTime: time.Millisecond, Iterations: 20, Counters: true, Procs: []int{2}, Timeout: time.Minute,
		Write: func(l result.Line) error {
			if ctx.Err() == nil { // nothing is written by a killed process
				lines = append(lines, l)
			}
			if l.Block != nil {
				cancel()
			}
			return nil
		},
	}
	if err := Run(ctx, o); err == nil {
		t.Fatal("the study was not stopped")
	}
	lines = Trim(lines)
	for _, l := range lines {
		half.Append(l)
	}
	o.Resume = &half
	o.Write = func(l result.Line) error { lines = append(lines, l); return nil }
	if err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	var rec result.Recording
	for _, l := range lines {
		rec.Append(l)
	}
	for i, f := range rec.Findings {
		if strings.HasPrefix(f.ID, "counters-") && f.ID != "counters-paused" {
			t.Skipf("no counters here: %v", f)
		}
		if slices.ContainsFunc(rec.Findings[:i], func(g finding.Finding) bool { return g.ID == f.ID && g.Subject == f.Subject }) {
			t.Errorf("told twice: %v", f)
		}
	}
	var n [2][]int64 // of the rounds of events, by block
	for _, k := range rec.Benchmarks[0].Blocks {
		for _, r := range k.Rounds {
			if _, ok := r.Slices[0].Metrics["page-faults/op"]; ok {
				t.Errorf("block %d: page faults in a timed round", k.Block)
			}
		}
		for _, r := range k.Counting {
			if faults, ok := r.Slices[0].Metrics["page-faults/op"]; ok {
				n[k.Block] = append(n[k.Block], r.Slices[0].N)
				if faults < 16 || faults > 24 {
					t.Errorf("block %d: %g page faults per operation, want 16 to 24", k.Block, faults)
				}
			}
		}
	}
	if len(n[0]) != eventRounds || len(n[1]) != eventRounds {
		t.Fatalf("rounds of events, before and after: %v, want %d each", n, eventRounds)
	}
	// What an iteration takes, which says how many of them are counted, is on
	// record: the resumed study need not guess it.
	if p := half.Benchmarks[0].Plan; p == nil || !(p.IterationSeconds > 0) {
		t.Errorf("the plan before: %+v", p)
	}
	if a, z := n[0][0], n[1][0]; a < o.Iterations || z < o.Iterations {
		t.Errorf("events are counted over %d iterations at first, and over %d in the resumed study, want at least %d", a, z, o.Iterations)
	}
}
