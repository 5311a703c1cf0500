package instrument

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/overlay"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
	"github.com/tarebench/tare/internal/finding"
)

// Target is one benchmark of one binary.
type Target struct {
	// Binary is the absolute path of the test binary. Instructions need one that
	// is built with [overlay.Counting] and -tags valgrind.
	Binary string
	// Dir is the working directory of the run: the directory of the package.
	Dir string
	// Env is added to the environment, Args to the binary's arguments.
	Env, Args []string
	// Benchmark is the full name without the Benchmark prefix ("Sort/1K").
	Benchmark string
	// Timeout limits each run of the binary. 0 means no limit. Valgrind runs one
	// CPU without preemption, so a benchmark that spins until another goroutine
	// acts never ends.
	Timeout time.Duration
}

// Counter counts instructions under valgrind's callgrind.
type Counter struct {
	// Exec runs valgrind. Outside of tests it is [Run].
	Exec Exec
	// Temp is the directory for the files of callgrind. Empty means os.TempDir.
	Temp string
	// Alpha is the error rate at which two counts must be able to differ. It sets
	// the number of processes.
	Alpha float64
	// Budget limits the time of a benchmark of a variant, if it is not 0. The first
	// two processes show how long the others take.
	Budget time.Duration
}

// Instructions is the count of one benchmark.
type Instructions struct {
	// PerOp is in instructions per operation: the median of the processes and
	// their range. Values contains one value per process.
	PerOp  result.Estimate `json:"per_op"`
	Values []float64       `json:"values"`
	// Few and Many are the two iteration counts of the slope.
	Few  int64 `json:"few"`
	Many int64 `json:"many"`
	// Runs counts the runs of the binary.
	Runs int `json:"runs"`
	// Functions are sorted by cost, highest first.
	Functions []result.FunctionCount `json:"functions,omitempty"`
	Findings  []finding.Finding      `json:"findings,omitempty"`
}

const (
	// agreement is the relative difference at which two slopes agree, and
	// allocatingAgreement the same for code that allocates. The source of its
	// spans differs a little from process to process.
	agreement           = 1e-4
	allocatingAgreement = 1e-3
	// enoughInstructions, in the longer run, make a stray wake-up of the
	// runtime (about 1,000 instructions) smaller than the agreement.
	enoughInstructions = 40e6
	mostIterations     = 5_000_000
	// mostIntervals limits the dumps of a benchmark that pauses.
	mostIntervals = 400
)

// Instructions counts in several processes, each with a slope over the same
// pair of iteration counts. The spread of the slopes is the noise of the count.
// An error is the error of a failed run. Doubts about the number are findings
// of the result.
func (c Counter) Instructions(ctx context.Context, t Target) (Instructions, error) {
	r, began := Instructions{Runs: 1}, time.Now()
	probe, err := c.run(ctx, t, 2)
	if err != nil {
		return Instructions{}, err
	}
	r.Few, r.Many = iterations(probe)
	first, wanted := time.Now(), stats.LeastRuns(c.Alpha)
	pairs, err := c.pairs(ctx, t, r, 1)
	if err != nil {
		return r, err
	}
	if needed := time.Since(began) + time.Duration(wanted-1)*time.Since(first); c.Budget > 0 && needed > c.Budget {
		return r, fmt.Errorf("%d processes take about %s, and -budget is %s", 2*wanted+1, needed.Round(time.Second/10), c.Budget)
	}
	others, err := c.pairs(ctx, t, r, wanted-1)
	if err != nil {
		return r, err
	}
	pairs = append(pairs, others...)
	var few, many sample
	for _, p := range pairs {
		few, many = p[0], p[1]
		r.Runs += 2
		r.Values = append(r.Values, (many.instructions-few.instructions)/float64(r.Many-r.Few))
	}
	// So few slopes support no other quantile than the middle and the range.
	r.PerOp = result.Estimate{Center: stats.Median(r.Values), Lo: slices.Min(r.Values), Hi: slices.Max(r.Values), N: len(r.Values)}
	r.Functions = functionSlopes(few, many)
	r.Findings = c.doubts(t, r, many)
	return r, nil
}

// pairs runs both counts that many times, the longer runs first. It runs as
// many at the same time as there are CPUs, and at least two, since nothing is
// timed.
func (c Counter) pairs(ctx context.Context, t Target, r Instructions, times int) ([][2]sample, error) {
	pairs := make([][2]sample, times)
	var group errgroup.Group
	group.SetLimit(max(2, runtime.GOMAXPROCS(0)))
	for which, n := range slices.Backward([]int64{r.Few, r.Many}) {
		for i := range pairs {
			group.Go(func() (err error) {
				pairs[i][which], err = c.run(ctx, t, n)
				return err
			})
		}
	}
	return pairs, group.Wait() // the others failed in the same way
}

func agree(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*max(math.Abs(a), math.Abs(b))
}

func iterations(probe sample) (few, many int64) {
	perOp := max(1, probe.instructions/float64(probe.n))
	n := min(mostIterations, enoughInstructions/perOp)
	if probe.bytesPerOp > 0 {
		n = min(n, 0.8*overlay.CountingHeap/probe.bytesPerOp)
	}
	if probe.intervals > 1 {
		n = min(n, mostIntervals*float64(probe.n)/float64(probe.intervals))
	}
	many = max(4, int64(n))
	return max(2, many/10), many
}

func functionSlopes(few, many sample) []result.FunctionCount {
	span := float64(many.n - few.n)
	var all []result.FunctionCount
	for name, f := range many.self {
		f.PerOp = (f.PerOp - few.self[name].PerOp) / span
		if f.PerOp != 0 {
			all = append(all, f)
		}
	}
	slices.SortFunc(all, func(a, b result.FunctionCount) int {
		return cmp.Or(cmp.Compare(b.PerOp, a.PerOp), cmp.Compare(a.Name, b.Name))
	})
	return all
}

func (c Counter) doubts(t Target, r Instructions, many sample) []finding.Finding {
	var all []finding.Finding
	add := func(k finding.Kind, values ...finding.Value) { all = append(all, k.Of(t.Benchmark, values...)) }
	tolerance := agreement
	if many.bytesPerOp > 0 {
		tolerance = allocatingAgreement
	}
	if !agree(r.PerOp.Lo, r.PerOp.Hi, tolerance) {
		add(catalog.CountSpread, finding.Count("counts", r.PerOp.N, "count"), finding.Quantity("least", r.PerOp.Lo, "instructions"), finding.Quantity("most", r.PerOp.Hi, "instructions"))
	}
	if many.bytesPerOp > 0 {
		add(catalog.CountWithoutGC, finding.Quantity("bytes", many.bytesPerOp, "B"))
	}
	if many.bytesPerOp*float64(many.n) > overlay.CountingHeap {
		add(catalog.CountHeapGrew, finding.Count("operations", many.n, "operation"), finding.Quantity("heap", overlay.CountingHeap, "B"))
	}
	return all
}

// TopChanges returns the n functions whose cost per operation changed most,
// largest first. It omits changes of less than 0.01% of the operation.
// Functions are matched by name, because files are elsewhere in another
// revision's worktree.
func TopChanges(old, new []result.FunctionCount, n int) []result.FunctionChange {
	byName := map[string]*result.FunctionChange{}
	var before, after float64
	for _, f := range new {
		after += f.PerOp
	}
	for _, f := range old {
		before += f.PerOp
		byName[f.Name] = &result.FunctionChange{Name: f.Name, File: f.File, Line: f.Line, Old: f.PerOp}
	}
	for _, f := range new {
		c := byName[f.Name]
		if c == nil {
			c = &result.FunctionChange{Name: f.Name}
			byName[f.Name] = c
		}
		c.File, c.Line, c.New = f.File, f.Line, f.PerOp
	}
	var all []result.FunctionChange
	for _, c := range byName {
		if math.Abs(c.New-c.Old) > agreement*max(before, after) {
			all = append(all, *c)
		}
	}
	slices.SortFunc(all, func(a, b result.FunctionChange) int {
		return cmp.Or(cmp.Compare(math.Abs(b.New-b.Old), math.Abs(a.New-a.Old)), cmp.Compare(a.Name, b.Name))
	})
	return all[:min(n, len(all))]
}
