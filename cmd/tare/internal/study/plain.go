package study

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/process"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/unit"
)

// Plain processes are the fallback for binaries without the overlay. A block is
// a few short alternating runs of each variant, with the figures that testing
// prints.

const plainRounds = 3

func plainArgs(sel selection, bench, skip, benchtime string) []string {
	args := []string{"-test.run=^$", "-test.bench=" + bench, "-test.benchtime=" + benchtime, "-test.count=1", "-test.benchmem", "-test.timeout=" + sel.timeout().String()}
	if skip != "" {
		args = append(args, "-test.skip="+skip)
	}
	if sel.procs > 0 {
		args = append(args, "-test.cpu="+strconv.Itoa(sel.procs))
	}
	return append(args, sel.plan.Args...)
}

func runPlain(ctx context.Context, bin Binary, sel selection, bench, skip, benchtime string) (string, error) {
	ctx, cancel := process.Within(ctx, 2*sel.timeout()) // -test.timeout does not end an init
	defer cancel()
	cmd := process.Command(ctx, bin.Path, plainArgs(sel, bench, skip, benchtime)...)
	cmd.Dir, cmd.Env = bin.Dir, bin.Env
	if sel.procs > 0 {
		cmd.Env = append(slices.Clone(cmd.Env), "GOMAXPROCS="+strconv.Itoa(sel.procs))
	}
	return process.Text(cmd)
}

func discoverPlain(ctx context.Context, bin Binary, sel selection) ([]leafBenchmark, error) {
	out, err := runPlain(ctx, bin, sel, sel.plan.Bench, sel.plan.Skip, "1x")
	var all []leafBenchmark
	for line := range strings.Lines(out) {
		if name, _, ok := parsePlain(line, sel.procs); ok {
			all = append(all, leafBenchmark{name: name, loop: "process"})
		}
	}
	if err != nil && len(all) == 0 {
		return nil, fmt.Errorf("run test binary: %w\n%s", err, failureText(out))
	}
	return all, nil
}

func parsePlain(line string, procs int) (name string, s result.Slice, ok bool) {
	f := strings.Fields(line)
	if len(f) < 4 || !strings.HasPrefix(f[0], "Benchmark") {
		return "", s, false
	}
	n, err := strconv.ParseInt(f[1], 10, 64)
	if err != nil || n <= 0 {
		return "", s, false
	}
	name = f[0]
	if procs != 1 {
		name = strings.TrimSuffix(name, "-"+strconv.Itoa(procs))
	}
	s = result.Slice{N: n, Pauses: 1}
	for i := 2; i+1 < len(f); i += 2 {
		v, err := strconv.ParseFloat(f[i], 64)
		if err != nil {
			return "", s, false
		}
		switch f[i+1] {
		case "ns/op":
			s.Raw = v * float64(n)
		case "B/op":
			s.Bytes, s.Counted = uint64(v*float64(n)), true
		case "allocs/op":
			s.Mallocs, s.Counted = uint64(v*float64(n)), true
		case "MB/s": // of ns/op, which is printed before it
			s.SetBytes = int64(math.Round(1e6 * v * s.Seconds()))
		default:
			base, factor := unit.Base(f[i+1])
			if s.Metrics == nil {
				s.Metrics = make(map[string]float64)
			}
			s.Metrics[base] = v * factor
		}
	}
	return name, s, true
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
	for _, order := range a.drawn.VariantOrders(plainRounds) {
		round := result.Round{At: r.elapsed(), Order: order, Slices: make([]result.Slice, r.variants())}
		for _, v := range order {
			if !slices.Contains(a.which, v) {
				continue
			}
			sel.procs = r.procsOf(a.bins[v], b.Procs)
			out, err := runPlain(ctx, a.bins[v], sel, result.ExactPattern("Benchmark"+b.Name), "", benchtime)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			for line := range strings.Lines(out) {
				if name, s, ok := parsePlain(line, sel.procs); ok && name == "Benchmark"+b.Name {
					round.Slices[v] = s
					r.inSlices += time.Duration(s.Raw)
				}
			}
			if round.Slices[v].N == 0 {
				text := failureText(out)
				if err != nil {
					text = err.Error() + "\n" + text
				}
				return &Failed{Variant: v, Reason: failedReason, Message: text}
			}
		}
		a.blk.Rounds = append(a.blk.Rounds, round)
	}
	return nil
}
