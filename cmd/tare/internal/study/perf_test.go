package study

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// faulty are benchmarks that fault 16 fresh pages, in a pause or in the timed
// part.
const faulty = `package m

import (
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
func BenchmarkNotPaused(b *testing.B)    { for range b.N { fault(); work() } }
func BenchmarkLoop(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		fault()
		b.StartTimer()
		work()
	}
}
`

// TestCountersLeaveOutPausedBenchmarks: counters that are read around a slice
// would include its pauses, so such a benchmark has none, and a finding.
func TestCountersLeaveOutPausedBenchmarks(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("counters need Linux")
	}
	s := newSource(t, module(t, map[string]string{"m_test.go": faulty}), "")
	rec, err := record(t, Options{
		Study:   result.Study{Plan: result.Plan{BlockSeconds: 0.002, Iterations: 20, Counters: true, Kind: "run", Seed: 1, MaxBlocks: 2, BudgetSeconds: 60, Alpha: 0.05}, Schema: result.RecordingSchema, Variants: []result.Variant{{Label: "."}}},
		Sources: []Source{s}, Packages: []string{"example.com/m"},
	})
	if err != nil {
		t.Fatal(err)
	}
	var paused []string
	for _, f := range rec.Findings {
		switch {
		case f.ID == "counters-paused":
			paused = append(paused, f.Subject)
		case strings.HasPrefix(f.ID, "counters-"):
			t.Skipf("no counters here: %v", f)
		}
	}
	slices.Sort(paused)
	if want := []string{"Loop", "SetUp"}; !slices.Equal(paused, want) {
		t.Errorf("left out: %v, want %v", paused, want)
	}
	for _, m := range judge.Run(rec).Benchmarks {
		if m.Unit != "page-faults/op" {
			continue
		}
		// 16 pages an operation; on a busy machine the runtime has some of its own.
		if v := m.Value.Center; m.Name != "NotPaused" || v < 15 || v > 24 {
			t.Errorf("%s: %g page faults per operation, want 15 to 24 of NotPaused alone", m.Name, v)
		}
	}
}
