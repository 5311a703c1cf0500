package study

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/test/golden"
)

// fakeMachines take jobs, one each at a time, and take a while over them.
type fakeMachines struct {
	n     int
	begin sync.Once
	free  chan int // made in the test's bubble
	// takes is how long a block takes on a machine.
	takes func(machine int) time.Duration
	// fails says which block fails.
	fails func(Job) *Failed
	// bytes count what the coordinator would write and read.
	mu                 sync.Mutex
	jobs, sent, got    int
	running, mostAtOne int
	asked              map[string]int // by benchmark and block
}

func newFakeMachines(n int, takes func(int) time.Duration) *fakeMachines {
	return &fakeMachines{n: n, takes: takes, asked: make(map[string]int)}
}

func (f *fakeMachines) Measure(ctx context.Context, j Job) (m Measured, err error) {
	f.begin.Do(func() {
		f.free = make(chan int, f.n)
		for i := range f.n {
			f.free <- i
		}
	})
	var machine int
	select {
	case machine = <-f.free:
	case <-ctx.Done():
		return m, ctx.Err()
	}
	defer func() { f.free <- machine }()
	if _, err := j.Binaries(ctx); err != nil {
		return m, err
	}
	f.mu.Lock()
	f.asked[fmt.Sprint(j.Benchmark.Name, j.Block)]++
	f.running++
	f.mostAtOne = max(f.mostAtOne, f.running)
	f.mu.Unlock()
	took := f.takes(machine)
	time.Sleep(took)
	m.Machine.Name = fmt.Sprint("machine ", machine)
	if f.fails != nil {
		m.Failed = f.fails(j)
	}
	blk := result.Block{Block: j.Block, Seconds: took.Seconds(), SliceSeconds: took.Seconds() / 2}
	for i := range 200 {
		round := result.Round{At: float64(i) / 1e3, Order: []int{i % 2, 1 - i%2}, Warmup: i == 0}
		for v := range 2 {
			round.Slices = append(round.Slices, result.Slice{N: 1000, Raw: float64(1e5 + 97*i + v), Pauses: 1, OverheadLo: 20, OverheadHi: 28})
		}
		blk.Rounds = append(blk.Rounds, round)
	}
	var lines bytes.Buffer
	w := result.NewWriter(&lines)
	if m.Failed == nil {
		err = w.Write(result.Line{Block: &blk})
	}
	got := lines.Len()
	if err == nil {
		m.Lines, err = result.ReadLines(&lines) // as from another machine
	}
	job, jerr := json.Marshal(j)
	f.mu.Lock()
	f.jobs++
	f.running--
	f.sent += len(job)
	f.got += got
	f.mu.Unlock()
	return m, errors.Join(err, jerr)
}

// TestSpread: blocks are measured by all machines at once, each number once,
// and a benchmark is judged when all blocks up to a look are there, whatever the
// order in which they came.
func TestSpread(t *testing.T) {
	const benchmarks, machines = 5, 3
	f := &fake{perOp: []time.Duration{50, 51}}
	for i := range benchmarks {
		f.names = append(f.names, fmt.Sprint("B", i))
	}
	far := newFakeMachines(machines, func(m int) time.Duration { return time.Duration(1+3*m) * 100 * time.Millisecond })
	var seen []int
	rec, err := f.study(t, func(o *Options) {
		o.Study.BudgetSeconds = 100
		o.Machines = far
		o.Watcher = judgeFunc(func(_ result.Study, b result.Benchmark) Decision {
			seen = append(seen, len(b.Blocks))
			for i, k := range b.Blocks {
				if k.Block != i {
					t.Errorf("%s is judged with block %d in place %d", b.Name, k.Block, i)
				}
			}
			return Decision{Done: len(b.Blocks) >= 11, Reason: "decided"}
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	on := make(map[int]int)
	for _, b := range rec.Benchmarks {
		if len(b.Blocks) != 11 {
			t.Errorf("%s has %d blocks", b.Name, len(b.Blocks))
		}
		for _, k := range b.Blocks {
			on[k.Machine]++
		}
	}
	for block, times := range far.asked {
		if times != 1 {
			t.Errorf("%s was measured %d times", block, times)
		}
	}
	if len(rec.Machines) != machines || far.mostAtOne != machines || len(on) != machines || len(rec.Stops) != benchmarks || len(f.starts) != 0 {
		t.Errorf("machines %v, %d at once, blocks on %v, stops %v, %d started here", rec.Machines, far.mostAtOne, on, rec.Stops, len(f.starts))
	}
	slices.Sort(seen)
	if looks := slices.Compact(seen); !slices.Equal(looks, []int{8, 9, 11}) {
		t.Errorf("looked at %v blocks", looks)
	}
}

// TestSpreadEnds: a failure, the budget, and an interruption end a benchmark as
// they do on one machine.
func TestSpreadEnds(t *testing.T) {
	quick := func(int) time.Duration { return 100 * time.Millisecond }
	f := &fake{names: []string{"X"}, perOp: []time.Duration{50, 51}}
	far := newFakeMachines(4, quick)
	far.fails = func(j Job) *Failed {
		if j.Block == 2 {
			return &Failed{Variant: 1, Reason: failedReason, Message: "port in use"}
		}
		return nil
	}
	rec, err := f.study(t, func(o *Options) { o.Machines = far })
	if err != nil || len(rec.Stops) != 1 || rec.Stops[0].Reason != failedReason || rec.Stops[0].Variant != 1 || rec.Stops[0].Message != "port in use" {
		t.Errorf("a failure: %v, %+v", err, rec.Stops)
	}
	far = newFakeMachines(4, quick)
	rec, err = f.study(t, func(o *Options) { o.Machines, o.Study.BudgetSeconds = far, 2 })
	if n := len(rec.Benchmarks[0].Blocks); err != nil || rec.Stops[0].Reason != "budget" || n < 18 || n > 20 {
		t.Errorf("a budget: %v, %d blocks, %+v", err, n, rec.Stops)
	}
	_, err = f.study(t, func(o *Options) { o.Machines = lostMachines{} })
	if err == nil || !strings.Contains(err.Error(), "no machine is left") {
		t.Errorf("without machines: %v", err)
	}
}

type lostMachines struct{}

func (lostMachines) Measure(context.Context, Job) (Measured, error) {
	return Measured{}, errors.New("no machine is left")
}

// TestSpreadSaysWhatIsLeft: from a third on the time that is left is within a
// quarter of the whole.
func TestSpreadSaysWhatIsLeft(t *testing.T) {
	f := &fake{perOp: []time.Duration{50, 51}}
	for i := range 12 {
		f.names = append(f.names, fmt.Sprint("B", i))
	}
	far := newFakeMachines(3, func(m int) time.Duration { return time.Duration(200+50*m) * time.Millisecond })
	type said struct {
		at   time.Time
		left time.Duration
	}
	var all []said
	_, err := f.study(t, func(o *Options) {
		o.Machines, o.Study.BudgetSeconds = far, 100
		o.Watcher = judgeFunc(func(_ result.Study, b result.Benchmark) Decision {
			return Decision{Done: len(b.Blocks) >= 8, Reason: "decided"}
		})
		o.Watcher = hearing{o.Watcher, func(e Event) {
			if e.Phase == "measuring" {
				all = append(all, said{time.Now(), e.Left})
			}
		}}
	})
	if err != nil || len(all) != 96 {
		t.Fatalf("%v, said %d times", err, len(all))
	}
	began, end := all[0].at, all[len(all)-1].at
	whole := end.Sub(began)
	for _, s := range all {
		at := s.at.Sub(began)
		if off := at + s.left - whole; at >= whole/3 && (off < -whole/4 || off > whole/4) {
			t.Errorf("after %v of %v, %v are left", at, whole, s.left)
		}
	}
}

// TestManyMachines runs a study of 762 benchmarks on up to 1,000 simulated
// machines. With -update it writes docs/results/many-machines.txt.
func TestManyMachines(t *testing.T) {
	sizes, benchmarks := []int{1, 100}, 30
	if *golden.Update {
		sizes, benchmarks = []int{1, 10, 100, 1000}, 762
	}
	var table strings.Builder
	var last time.Duration
	for _, n := range sizes {
		f := &fake{perOp: []time.Duration{50, 51}}
		for i := range benchmarks {
			f.names = append(f.names, fmt.Sprint("B", i))
		}
		far := newFakeMachines(n, func(m int) time.Duration { return time.Duration(250+m%100) * time.Millisecond })
		var simulated time.Duration
		written, blocks := 0, 0
		var before, end runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		began := time.Now()
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			var file bytes.Buffer
			w := result.NewWriter(&file)
			rec := new(result.Recording)
			o := Options{
				Study: compareStudy(40, func(p *result.Plan) { p.Procs = []int{1} }), Sources: f.sources(2), Packages: []string{"p"}, Machines: far, Watcher: after(11),
				Write: func(l result.Line) error {
					rec.Append(l)
					file.Reset()
					err := w.Write(l)
					written += file.Len()
					return err
				},
			}
			o.Study.BudgetSeconds = 100
			if err := run(t.Context(), o, f); err != nil {
				t.Fatal(err)
			}
			simulated = time.Since(start)
			for _, b := range rec.Benchmarks {
				blocks += len(b.Blocks)
			}
			runtime.GC()
			runtime.ReadMemStats(&end)
			runtime.KeepAlive(rec)
		})
		if blocks != 11*benchmarks || far.jobs != blocks {
			t.Fatalf("%d machines: %d blocks from %d jobs", n, blocks, far.jobs)
		}
		if last > 0 && simulated > last/2 {
			t.Errorf("%d machines take %v, fewer took %v", n, simulated, last)
		}
		last = simulated
		heap := int64(end.HeapAlloc) - int64(before.HeapAlloc)
		if most := int64(benchmarks) * 200e3; heap > most { // 50 kB of text; slices of them would be 880 kB
			t.Errorf("%d machines: %d benchmarks take %d bytes of memory, more than %d", n, benchmarks, heap, most)
		}
		t.Logf("%d machines: the coordinator took %.1f s", n, time.Since(began).Seconds())
		fmt.Fprintf(&table, "| %d | %s | %.1f kB | %.1f kB | %.0f MB |\n", n, simulated.Round(time.Second),
			float64(far.sent)/float64(far.jobs)/1e3, float64(far.got)/float64(far.jobs)/1e3, float64(heap)/1e6)
	}
	t.Logf("machines | the study | sent a block | received a block | heap\n%s", table.String())
	if *golden.Update {
		page := fmt.Sprintf(`# Many machines, simulated

A study of %d benchmarks with 11 blocks of 200 rounds each, on machines whose blocks take 0.25 to 0.35 s, with the coordinator of `+"`tare compare -on LAUNCHER`"+`. "The study" is what it would take (a simulated clock); traffic and memory are real: the heap holds the whole recording. Binaries are not in the traffic: a machine gets those of a block once, some megabytes each.

| machines | the study | sent a block | received a block | heap |
|---|---|---|---|---|
%s
Made by `+"`go test ./cmd/tare/internal/study -run TestManyMachines -update`"+`, %s/%s.
`, benchmarks, table.String(), runtime.GOOS, runtime.GOARCH)
		if err := os.WriteFile("../../../../docs/results/many-machines.txt", []byte(page), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAnswerOfAMachineIsChecked: a machine that sends no block, or another one,
// ends the study: it would be asked for ever.
func TestAnswerOfAMachineIsChecked(t *testing.T) {
	j := Job{Study: compareStudy(8), Block: 7}
	for name, m := range map[string]Measured{
		"nothing":          {},
		"another block":    {Lines: []result.Line{{Block: &result.Block{Block: 8}}}},
		"another variant":  {Lines: []result.Line{{Block: &result.Block{Block: 7, First: 9}}}},
		"too many slices":  {Lines: []result.Line{{Block: &result.Block{Block: 7, Rounds: []result.Round{{Slices: make([]result.Slice, 3)}}}}}},
		"no rounds":        {Lines: []result.Line{{Block: &result.Block{Block: 7}}}},
		"a failed variant": {Failed: &Failed{Variant: 9}},
	} {
		if m.check(j) == nil {
			t.Errorf("%s is taken", name)
		}
	}
	if err := (Measured{Lines: []result.Line{{Block: &result.Block{Block: 7, Rounds: []result.Round{{Slices: make([]result.Slice, 2)}}}}}}).check(j); err != nil {
		t.Error(err)
	}
}
