package study

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/tarebench/tare/cmd/tare/internal/process"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// Plain processes are the fallback for binaries without the overlay. A block is
// a few short alternating runs of each variant, with the figures that testing
// prints.

const plainRounds = 3

func runPlain(ctx context.Context, bin Binary, sel selection, bench, skip, benchtime string) (string, error) {
	env, args := bin.Env, []string{"-test.run=^$", "-test.bench=" + bench, "-test.benchtime=" + benchtime, "-test.count=1", "-test.benchmem", "-test.timeout=" + sel.timeout().String()}
	if skip != "" {
		args = append(args, "-test.skip="+skip)
	}
	if sel.procs > 0 {
		args = append(args, "-test.cpu="+strconv.Itoa(sel.procs))
		env = append(slices.Clone(env), "GOMAXPROCS="+strconv.Itoa(sel.procs))
	}
	ctx, cancel := process.Within(ctx, 2*sel.timeout()) // -test.timeout does not end an init
	defer cancel()
	cmd := process.Command(ctx, bin.Path, append(args, sel.plan.Args...)...)
	cmd.Dir, cmd.Env = bin.Dir, env
	return process.Text(cmd)
}

func discoverPlain(ctx context.Context, bin Binary, sel selection) ([]leafBenchmark, error) {
	out, err := runPlain(ctx, bin, sel, sel.plan.Bench, sel.plan.Skip, "1x")
	var all []leafBenchmark
	for name := range plainResults(out, sel.procs) {
		all = append(all, leafBenchmark{name: name, loop: "process"})
	}
	if err != nil && len(all) == 0 {
		return nil, fmt.Errorf("run test binary: %w\n%s", err, failureText(out))
	}
	return all, nil
}

// plainResults are the results in the output of a test process, by the full name
// of the benchmark.
func plainResults(out string, procs int) iter.Seq2[string, result.Slice] {
	return func(yield func(string, result.Slice) bool) {
		for lines := benchfmt.NewReader(strings.NewReader(out), ""); lines.Scan(); {
			line, ok := lines.Result().(*benchfmt.Result)
			if !ok {
				continue
			}
			s := result.Slice{N: int64(line.Iters), Pauses: 1}
			for _, v := range line.Values {
				total := v.Value * float64(s.N)
				switch v.Unit {
				case "sec/op":
					s.Raw = 1e9 * total
				case "B/op":
					s.Bytes, s.Counted = uint64(total), true
				case "allocs/op":
					s.Mallocs, s.Counted = uint64(total), true
				case "B/s": // of the time, which is printed before it
					s.SetBytes = int64(math.Round(v.Value * s.Seconds()))
				default:
					if s.Metrics == nil {
						s.Metrics = make(map[string]float64)
					}
					s.Metrics[v.Unit] = v.Value
				}
			}
			name := "Benchmark" + line.Name.String()
			if procs != 1 {
				name = strings.TrimSuffix(name, "-"+strconv.Itoa(procs))
			}
			if s.N > 0 && !yield(name, s) {
				return
			}
		}
	}
}

func (r *runner) plainBlock(ctx context.Context, a *attempt) error {
	b := a.b
	if r.home != nil {
		// Plain processes use all CPUs of this process.
		r.restorePlacement()
		defer r.leaveWorkerCPUs()
	}
	sel := selection{plan: r.o.Plan}
	benchtime := (r.size.block / plainRounds).String()
	if r.o.Iterations > 0 {
		benchtime = strconv.FormatInt(r.o.Iterations, 10) + "x"
	}
	never := func() bool { return false }
	return r.processRounds(a, plainRounds, never, func(v int) (s result.Slice, err error) {
		sel.procs = r.procsOf(a.bins[v], b.Procs)
		out, err := runPlain(ctx, a.bins[v], sel, result.ExactPattern("Benchmark"+b.Name), "", benchtime)
		if ctx.Err() != nil {
			return s, ctx.Err()
		}
		for name, of := range plainResults(out, sel.procs) {
			if name == "Benchmark"+b.Name {
				s = of
				r.inSlices += time.Duration(s.Raw)
			}
		}
		if s.N == 0 {
			text := failureText(out)
			if err != nil {
				text = err.Error() + "\n" + text
			}
			return s, &Failed{Variant: v, Reason: failedReason, Message: text}
		}
		return s, nil
	})
}

// processRounds takes rounds whose slices are processes, until enough, called between
// two of them, returns true.
func (r *runner) processRounds(a *attempt, n int, enough func() bool, run func(variant int) (result.Slice, error)) (err error) {
	for i, order := range a.drawn.variantOrders(n) {
		if i > 0 && enough() {
			break
		}
		round := result.Round{At: r.elapsed(), Order: order, Slices: make([]result.Slice, r.variants())}
		for _, v := range order {
			if !slices.Contains(a.which, v) {
				continue
			}
			if round.Slices[v], err = run(v); err != nil {
				return err
			}
		}
		a.blk.Rounds = append(a.blk.Rounds, round)
	}
	return nil
}
