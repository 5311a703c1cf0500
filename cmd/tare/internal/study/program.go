package study

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"math"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/machine"
	"github.com/tarebench/tare/cmd/tare/internal/process"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
	"github.com/tarebench/tare/internal/finding"
	"github.com/tarebench/tare/internal/ticks"
)

// A slice of a program is one process: its wall time, CPU time and page faults.
// At the end of a block, one more process of each variant measures what a timed
// process cannot: the peak of its memory and its init times.

const binaryWord = "$BIN"

func namesBinary(word string) bool { return strings.Contains(word, binaryWord) }

func (a *attempt) isProgram() bool { return a.bins[a.which[0]].Command != nil }

// command prepares a process of a program. Its environment is shift bytes longer
// than necessary, which moves its stack.
func (b Binary) command(ctx context.Context, plan result.Plan, procs, shift int) *exec.Cmd {
	words := slices.Clone(b.Command)
	for i, w := range words {
		words[i] = strings.ReplaceAll(w, binaryWord, b.Path)
	}
	cmd := process.Command(ctx, words[0], words[1:]...)
	cmd.Dir, cmd.Env = b.Dir, append(slices.Clip(b.Env), "TARE_SHIFT="+strings.Repeat("x", shift))
	if len(plan.Procs) > 0 {
		cmd.Env = append(cmd.Env, "GOMAXPROCS="+strconv.Itoa(procs))
	}
	return cmd
}

type dryRun struct {
	variant, exit int
	output        string // the first part
	sum           []byte // of the whole output
}

func dryRunOf(ctx context.Context, bin Binary, sel selection) ([]leafBenchmark, error) {
	ctx, cancel := context.WithTimeout(ctx, sel.timeout())
	defer cancel()
	out, words := &output{hash: sha256.New()}, &output{hash: sha256.New()}
	cmd := bin.command(ctx, sel.plan, sel.procs, 0)
	cmd.Stdout, cmd.Stderr = out, words
	began := time.Now()
	err := process.Guard(cmd, func(start func() error) error {
		if err := start(); err != nil {
			return err
		}
		return cmd.Wait()
	})
	exit, err := exitOf(ctx, cmd, err)
	if err != nil {
		return nil, err
	}
	f := leafBenchmark{name: bin.Program, loop: "program", took: time.Since(began), message: failureText(words.first.String())}
	f.iteration = f.took
	f.dry = dryRun{exit: exit, output: out.first.String(), sum: out.hash.Sum(nil)}
	return []leafBenchmark{f}, nil
}

// mostKept is the size of the part of an output that can show the first
// different line.
const mostKept = 64 << 10

type output struct {
	first bytes.Buffer
	hash  hash.Hash
}

func (o *output) Write(p []byte) (int, error) {
	o.first.Write(p[:min(len(p), mostKept-o.first.Len())])
	return o.hash.Write(p)
}

// exitOf is the exit code of a command that has ended. If the command could not
// start, or a signal or the timeout ended it, exitOf returns an error.
func exitOf(ctx context.Context, cmd *exec.Cmd, err error) (int, error) {
	process.Kill(cmd) // and the processes that it started
	var exit *exec.ExitError
	switch err = process.Ended(err); {
	case ctx.Err() != nil:
		return 0, context.Cause(ctx)
	case err == nil:
		return 0, nil
	case errors.As(err, &exit) && exit.ExitCode() >= 0:
		return exit.ExitCode(), nil
	}
	return 0, fmt.Errorf("run %s: %w", cmd.Args[0], err)
}

// compareDryRuns compares the dry run of a variant with the first one. A
// different exit code is a failure, different output is a finding.
func (r *runner) compareDryRuns(g *packageBenchmarks, variant int, first, f *leafBenchmark) (leafBenchmark, *leafBenchmark) {
	f.dry.variant = variant
	if first == nil {
		if f.dry.exit != 0 {
			g.findings = append(g.findings, catalog.ExitsNonzero.Of(f.name, finding.Number("code", float64(f.dry.exit)), finding.Text("why", firstLine(f.message))))
		}
		f.message = ""
		return *f, f
	}
	switch a, b := first.dry, f.dry; {
	case a.exit != b.exit:
		g.findings = slices.DeleteFunc(g.findings, func(of finding.Finding) bool { return catalog.ExitsNonzero.Is(of) && of.Subject == f.name })
		f.outcome = failedReason
		f.message = strings.TrimSpace(fmt.Sprintf("exits with %d, and %s with %d\n%s", b.exit, r.label(a.variant), a.exit, f.message))
	case !bytes.Equal(a.sum, b.sum):
		g.findings = append(g.findings, catalog.OutputDiffers.Of(f.name, finding.Text("variant", r.label(variant)), finding.Text("difference", difference(a.output, b.output))))
	}
	return *f, first
}

func difference(a, b string) string {
	const most = 40
	old, new := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(old), len(new)) {
		if old[i] != new[i] {
			return fmt.Sprintf("line %d is %.*q, and was %.*q", i+1, most, new[i], most, old[i])
		}
	}
	if len(old) != len(new) {
		return fmt.Sprintf("%d lines, and %d before", len(new), len(old))
	}
	return fmt.Sprintf("a line after the first %d KB", mostKept>>10)
}

func (r *runner) programBlock(ctx context.Context, a *attempt) error {
	b, began := a.b, time.Now()
	if b.pilot.Iterations == 0 {
		if err := r.pilotProgram(ctx, a); err != nil {
			return err
		}
		b.once = time.Since(began)
		began = time.Now()
	}
	err := r.processRounds(a, b.pilot.Rounds, func() bool { return r.full(a, began) }, func(v int) (result.Slice, error) { return r.runProgram(ctx, a, v, r.programCPUs(b)) })
	if err != nil {
		return err
	}
	return r.asideAll(ctx, a)
}

// pilotProgram runs the variants twice on all CPUs, to see how long they take
// and whether they use several CPUs.
func (r *runner) pilotProgram(ctx context.Context, a *attempt) error {
	b := a.b
	parallel := r.cpu == nil || slices.ContainsFunc(r.o.Procs, func(n int) bool { return n > 1 })
	least := math.Inf(1)
	for range 2 {
		longest := 0.0
		for _, v := range a.which {
			s, err := r.runProgram(ctx, a, v, r.home)
			if err != nil {
				return err
			}
			parallel = parallel || judge.Parallel(result.Slice{CPUs: s.Metrics["cpu-sec/op"] / s.Span * 1e9})
			longest = max(longest, s.Span/1e9)
		}
		least = min(least, longest)
	}
	p := &b.pilot
	p.Iterations, p.IterationSeconds, p.SliceSeconds = 1, least, least
	if p.Rounds = r.size.roundsOf(p); !parallel {
		p.CPUs = machine.FormatCPUList(r.cpu)
	}
	r.inSlices = 0
	return nil
}

func (r *runner) programCPUs(b *bench) []int {
	if cpus := r.cpusOf(b); cpus != nil {
		return cpus
	}
	return r.home
}

func (r *runner) runProgram(ctx context.Context, a *attempt, v int, cpus []int) (s result.Slice, err error) {
	inTime, cancel := context.WithTimeout(ctx, r.timeout())
	defer cancel()
	cmd := a.bins[v].command(inTime, r.o.Plan, a.b.Procs, a.b.shift)
	var began, took int64 // of a clock with small steps on every system
	err = process.Guard(cmd, func(start func() error) error {
		err := process.OnProcessors(cpus, func() error {
			began = ticks.Now()
			return start()
		})
		if err == nil {
			err = cmd.Wait()
		}
		took = ticks.Now() - began
		return err
	})
	exit, err := exitOf(inTime, cmd, err)
	switch {
	case ctx.Err() != nil:
		return s, ctx.Err()
	case err != nil:
		return s, &Failed{Variant: v, Reason: failedReason, Message: err.Error()}
	case a.b.exit == nil:
		a.b.exit = &exit
	case exit != *a.b.exit:
		return s, &Failed{Variant: v, Reason: failedReason, Message: fmt.Sprintf("exits with %d, and with %d before", exit, *a.b.exit)}
	}
	of := cmd.ProcessState
	s = result.Slice{N: 1, Raw: float64(took), Span: float64(took), Pauses: 1}
	s.Metrics = map[string]float64{"cpu-sec/op": (of.UserTime() + of.SystemTime()).Seconds()}
	if n, ok := faultsOf(of); ok {
		s.Metrics["faults/op"] = n
	}
	r.inSlices += time.Duration(took)
	return s, nil
}

func (r *runner) asideAll(ctx context.Context, a *attempt) error {
	b := a.b
	round := result.Round{At: r.elapsed(), Order: a.which, Slices: make([]result.Slice, r.variants())}
	for _, v := range a.which {
		inTime, cancel := context.WithTimeout(ctx, r.timeout())
		bin := a.bins[v]
		debug := "GODEBUG=inittrace=1"
		for _, pair := range bin.Env {
			if before, ok := strings.CutPrefix(pair, "GODEBUG="); ok {
				debug = "GODEBUG=inittrace=1," + before
			}
		}
		bin.Env = append(slices.Clip(bin.Env), debug)
		peak, words, err := aside(inTime, bin.command(inTime, r.o.Plan, b.Procs, b.shift), r.programCPUs(b))
		cancel()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return &Failed{Variant: v, Reason: failedReason, Message: err.Error()}
		}
		m := make(map[string]float64)
		if peak > 0 {
			m["peak-RSS-B"] = peak
		} else if err := r.once(catalog.NoPeak.Of("")); err != nil {
			return err
		}
		if total, ok := b.noteInits(v, words); ok {
			m["init-sec/op"] = total
		}
		if base, err := os.Stat(b.links.base[v].Path); err == nil && slices.ContainsFunc(bin.Command, namesBinary) {
			m["binary-B"] = float64(base.Size())
		}
		round.Slices[v] = result.Slice{N: 1, Metrics: m}
	}
	a.blk.Counting = append(a.blk.Counting, round)
	return r.compareInits(b)
}

// noteInits reads the init times of packages (GODEBUG=inittrace=1) and returns
// their sum.
func (b *bench) noteInits(variant int, words string) (total float64, ok bool) {
	for line := range strings.Lines(words) {
		var pkg string
		var at, took float64
		if _, err := fmt.Sscanf(line, "init %s @%f ms, %f ms clock,", &pkg, &at, &took); err != nil {
			continue
		}
		if b.inits == nil {
			b.inits = make(map[string]map[int][]float64)
		}
		if b.inits[pkg] == nil {
			b.inits[pkg] = make(map[int][]float64)
		}
		b.inits[pkg][variant] = append(b.inits[pkg][variant], took/1e3)
		total, ok = total+took/1e3, true
	}
	return total, ok
}

// The number of blocks from which packages are compared: two groups of eight
// values separate in 1 of 6,435 cases by chance. Differences below leastInit do
// not matter to a program.
const (
	initBlocks = 8
	leastInit  = 50e-6
)

func (r *runner) compareInits(b *bench) error {
	if len(b.Blocks)+1 != initBlocks {
		return nil
	}
	for v := 1; v < r.variants(); v++ {
		change := make(map[string]float64)
		var pkgs []string
		for pkg, by := range b.inits {
			old, new := stats.Median(orZero(by[0])), stats.Median(orZero(by[v]))
			lo, hi := by[0], by[v]
			if old > new {
				lo, hi = hi, lo
			}
			if d := new - old; max(d, -d) >= leastInit && slices.Max(orZero(lo)) < slices.Min(orZero(hi)) {
				change[pkg], pkgs = d, append(pkgs, pkg)
			}
		}
		slices.SortFunc(pkgs, func(p, q string) int { return cmp.Compare(max(change[q], -change[q]), max(change[p], -change[p])) })
		var all []string
		for _, pkg := range pkgs[:min(len(pkgs), 5)] {
			all = append(all, fmt.Sprintf("%s %+.2f ms", pkg, 1e3*change[pkg]))
		}
		if len(all) > 0 {
			if err := r.find(catalog.InitChanged.Of(b.Name, finding.Text("variant", r.label(v)), finding.Text("packages", strings.Join(all, ", ")))); err != nil {
				return err
			}
		}
	}
	return nil
}

func orZero(times []float64) []float64 {
	if len(times) == 0 {
		return []float64{0}
	}
	return times
}
