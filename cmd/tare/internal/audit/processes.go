package audit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/process"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
	"github.com/tarebench/tare/internal/finding"
)

const pairs = 10

// leastBlocks all have one sign by chance in one of 32 cases.
const leastBlocks = 6

// keeps reports whether the new variant keeps more memory in every block: by a
// quarter, and by at least a megabyte.
func keeps(old, new []float64) (before, after float64, kept bool) {
	if len(old) < leastBlocks {
		return 0, 0, false
	}
	for i := range old {
		if new[i] <= old[i] {
			return 0, 0, false
		}
	}
	before, after = stats.Median(old), stats.Median(new)
	return before, after, after-before > 1<<20 && after > 1.25*before
}

func (a *auditor) inits(ctx context.Context, pkg string, old, new build.Binary) error {
	samples := [2]map[string][]initialized{make(map[string][]initialized), make(map[string][]initialized)} // by package
	for range pairs {
		for v, b := range []build.Binary{old, new} {
			stderr, _, err := run(ctx, b, []string{"GODEBUG=inittrace=1"}, "-test.run=^$")
			if err != nil {
				return fmt.Errorf("audit init of %s: %w", pkg, err)
			}
			for name, i := range readInits(stderr) {
				samples[v][name] = append(samples[v][name], i)
			}
		}
	}
	var found []finding.Finding
	for name, now := range samples[1] {
		if before, after, grew := grown(samples[0][name], now); grew {
			found = append(found, catalog.WorkInInit.Of(name, finding.Quantity("new", after.seconds, "sec"), finding.Quantity("bytes", after.bytes, "B"),
				finding.Quantity("old", before.seconds, "sec"), finding.Quantity("before", before.bytes, "B")))
		}
	}
	return a.s.AddFindings(found...)
}

type initialized struct{ seconds, bytes float64 }

var initLine = regexp.MustCompile(`(?m)^init (\S+) @\S+ ms, (\S+) ms clock, (\d+) bytes, \d+ allocs$`)

func readInits(trace string) map[string]initialized {
	all := make(map[string]initialized)
	for _, m := range initLine.FindAllStringSubmatch(trace, -1) {
		ms, _ := strconv.ParseFloat(m[2], 64)
		bytes, _ := strconv.ParseFloat(m[3], 64)
		all[m[1]] = initialized{ms / 1e3, bytes}
	}
	return all
}

// grown reports whether init takes longer or allocates more in every process,
// by 0.5 ms or 64 kB.
func grown(old, new []initialized) (before, after initialized, grew bool) {
	if len(new) < pairs {
		return before, after, false
	}
	column := func(of []initialized, value func(initialized) float64) (all []float64) {
		for _, i := range of {
			all = append(all, value(i))
		}
		if len(all) == 0 {
			all = []float64{0} // the package has no init that takes time
		}
		return all
	}
	seconds, bytes := func(i initialized) float64 { return i.seconds }, func(i initialized) float64 { return i.bytes }
	os, ns, ob, nb := column(old, seconds), column(new, seconds), column(old, bytes), column(new, bytes)
	before, after = initialized{stats.Median(os), stats.Median(ob)}, initialized{stats.Median(ns), stats.Median(nb)}
	longer := slices.Min(ns) > slices.Max(os) && after.seconds-before.seconds > 0.5e-3
	more := slices.Min(nb) > slices.Max(ob) && after.bytes-before.bytes > 64<<10
	return before, after, longer || more
}

// calls compares the first call of a process with later ones, for each benchmark
// that became faster.
func (a *auditor) calls(ctx context.Context, pkg string, old, new build.Binary) error {
	for _, row := range a.faster(pkg) {
		later, saved := cpuOf(row)
		if saved <= 0 { // it waits less, or another thread works
			continue
		}
		var before, after []float64
		for looks := pairs; looks <= 8*pairs; looks *= 2 {
			for len(before) < looks {
				x, err := firstOf(ctx, old, row.Name)
				y, errNew := firstOf(ctx, new, row.Name)
				if err = errors.Join(err, errNew); err != nil {
					return fmt.Errorf("audit calls of %s: %w", row.Name, err)
				}
				before, after = append(before, x), append(after, y)
			}
			f, found, decided := firstCall(row.Name, before, after, later, saved)
			if found {
				if err := a.s.AddFindings(f); err != nil {
					return err
				}
			}
			if decided {
				break
			}
		}
	}
	return nil
}

// cpuOf are the CPU time of an operation of the old variant and what the new one saves
// of it, or the measured times on a system that does not report it.
func cpuOf(row result.BenchmarkComparison) (later, saved float64) {
	old, new := row.OldRuntime, row.NewRuntime
	if old == nil || new == nil || old.User+old.System == 0 {
		return row.Old.Center, row.Old.Center - row.New.Center
	}
	later = old.User + old.System
	return later, later - new.User - new.System
}

// firstCall reports whether the first call of a process saves less than half as
// much as later calls, all in CPU time: beside other programs a first call waits. It
// uses an interval of the median difference of processes that ran in turn. A first
// call that takes more than twice a later one in the old variant is cold code and
// page faults, in which a gain is lost; one that seems to take less than half is
// below the scatter of what starts a process.
func firstCall(name string, old, new []float64, later, saved float64) (f finding.Finding, found, decided bool) {
	before, after := stats.Median(old), stats.Median(new)
	switch {
	case before > 2*later || saved < before/10:
		return f, false, true
	case before < later/2:
		return f, false, false
	}
	differences := make([]float64, len(old))
	for i := range old {
		differences[i] = old[i] - new[i]
	}
	lo, hi, err := stats.CenterBounds(differences, firstMisrate)
	switch most := min(saved, before) / 2; {
	case err != nil || lo <= most && hi >= most:
		return f, false, false
	case lo > most:
		return f, false, true
	}
	calls := 1 + max(0, math.Ceil((after-before)/saved))
	return catalog.FirstCall.Of(name, finding.Quantity("new", after, "sec"), finding.Quantity("old", before, "sec"),
		finding.Quantity("saved", saved, "sec"), finding.Count("calls", int(calls), "call")), true, true
}

const firstMisrate = 0.01

// tests runs the tests of both variants, because a wrong result may take less time.
func (a *auditor) tests(ctx context.Context, pkg string, old, new build.Binary) error {
	if len(a.faster(pkg)) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, mostTests)
	defer cancel()
	out, _, err := run(ctx, new, nil, "-test.short", "-test.failfast")
	failed := failedTest.FindStringSubmatch(out)
	if err == nil || failed == nil || ctx.Err() != nil {
		return nil
	}
	if _, _, err := run(ctx, old, nil, "-test.short", "-test.run=^"+regexp.QuoteMeta(failed[1])+"$"); err != nil {
		return nil
	}
	return a.s.AddFindings(catalog.TestsFail.Of(pkg, finding.Text("test", failed[1]), finding.Text("why", firstLine(failed[2]))))
}

const mostTests = time.Minute

var failedTest = regexp.MustCompile(`(?m)^--- FAIL: ([^ /]+) .*\n([^\n]*)`)

// resultLine matches a result. Package testing omits a time of 0.
var resultLine = regexp.MustCompile(`(?m)^Benchmark\S*\s+\d+\b(?:\s+([0-9.]+) ns/op)?`)

// firstOf is the CPU time of the first operation of a benchmark in a new process, in
// seconds: its time if that is shorter than a turn of the scheduler, so that nothing
// interrupts it, or what the process takes more than one without a benchmark.
func firstOf(ctx context.Context, b build.Binary, name string) (float64, error) {
	out, with, err := run(ctx, b, nil, "-test.run=^$", "-test.bench="+result.ExactPattern("Benchmark"+name), "-test.benchtime=1x")
	if err != nil {
		return 0, err
	}
	took, err := readTime(out)
	if err != nil || took < shortTurn {
		return took, err
	}
	_, without, err := run(ctx, b, nil, "-test.run=^$")
	return min(took, with-without), err
}

const shortTurn = 1e-3

func readTime(out string) (float64, error) {
	m := resultLine.FindStringSubmatch(out)
	switch {
	case m == nil:
		return 0, fmt.Errorf("no result in %q", firstLine(out))
	case m[1] == "":
		return 0, nil
	}
	ns, err := strconv.ParseFloat(m[1], 64)
	return ns / 1e9, err
}

// run returns the output of a test binary, and its CPU time in seconds.
func run(ctx context.Context, b build.Binary, env []string, args ...string) (text string, seconds float64, err error) {
	cmd := process.Command(ctx, b.Path, args...)
	cmd.Dir, cmd.Env = b.Dir, slices.Concat(os.Environ(), b.Env, env)
	text, err = process.Text(cmd)
	if cmd.ProcessState != nil {
		seconds = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	}
	if _, ended := errors.AsType[*exec.ExitError](err); ended {
		err = fmt.Errorf("%w: %s", err, firstLine(text))
	}
	return text, seconds, err
}
