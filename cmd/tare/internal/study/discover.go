package study

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/process"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/worker"
)

type leafBenchmark struct {
	name string // full: BenchmarkSort/size=1k
	loop string
	// took is the wall time of its first iteration, including setup.
	took time.Duration
	// iteration is the timed part of took, or all of it if the timer stops
	// inside an operation.
	iteration time.Duration
	// first is the first iteration, and calls are the results of the ordered
	// calls.
	first result.Slice
	calls []result.Slice
	// metrics is the number of metrics at its end.
	metrics int
	// outcome is empty if a benchmark can be measured, otherwise "failed" or
	// "skipped".
	outcome string
	message string
	// dry is the dry run of a program.
	dry dryRun
}

type selection struct {
	plan  result.Plan
	procs int
	// home are the CPUs that a process starts on, or nil for the CPUs of this
	// process.
	home []int
	// calls, if not nil, returns the calls to order next. No calls end a
	// benchmark.
	calls func(f leafBenchmark) []worker.Slot
	// log, if not empty, is the file in which package os logs the files that
	// it opens. Each process has its own file.
	log string
}

func (s selection) timeout() time.Duration { return seconds(s.plan.TimeoutSeconds) }

// discover lists the benchmarks of a binary by running each once, as go test
// does. If one of them ends the process, the others run in their own processes.
func discover(ctx context.Context, bin Binary, sel selection) ([]leafBenchmark, error) {
	all, whole, err := discoverOnce(ctx, bin, sel, "", 0)
	if whole && err == nil || ctx.Err() != nil {
		return withoutParents(all), ctx.Err()
	}
	tops, listErr := topLevel(ctx, bin, sel.timeout())
	if listErr != nil {
		return nil, errors.Join(err, listErr)
	}
	all = nil
	started := 0
	for i, top := range tops {
		if ctx.Err() != nil {
			return all, ctx.Err()
		}
		others := slices.DeleteFunc(slices.Clone(tops), func(o string) bool { return o == top })
		some, whole, onceErr := discoverOnce(ctx, bin, sel, result.ExactPattern(others...), i+1)
		if onceErr == nil {
			started++
		} else {
			// Either nothing runs here, or this benchmark ends the process at once.
			err = onceErr
			some = []leafBenchmark{{name: top, outcome: "failed", message: onceErr.Error()}}
		}
		if !whole && len(some) == 0 {
			some = append(some, leafBenchmark{name: top, outcome: "failed", message: "the test process ended before the benchmark did"})
		}
		for i, f := range some {
			// A dump may name another function of the package, or none.
			if f.name != top && !strings.HasPrefix(f.name, top+"/") {
				some[i].name = top
			}
		}
		all = append(all, some...)
	}
	if started == 0 && err != nil {
		return nil, err
	}
	return withoutParents(all), nil
}

// withoutParents removes benchmarks that failed because one of their
// sub-benchmarks failed.
func withoutParents(all []leafBenchmark) []leafBenchmark {
	return slices.DeleteFunc(slices.Clone(all), func(parent leafBenchmark) bool {
		return parent.outcome == "failed" && slices.ContainsFunc(all, func(f leafBenchmark) bool {
			return f.outcome == "failed" && strings.HasPrefix(f.name, parent.name+"/")
		})
	})
}

// either is a pattern for what one of two patterns selects. An empty one selects nothing.
func either(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "|" + b
}

func discoverOnce(ctx context.Context, bin Binary, sel selection, skip string, number int) (all []leafBenchmark, whole bool, err error) {
	plan := sel.plan
	if sel.log != "" { // flags come before the first other argument
		plan.Args = append([]string{fmt.Sprintf("-test.testlogfile=%s.%d", sel.log, number)}, plan.Args...)
	}
	w, err := worker.Start(ctx, worker.Config{
		Path: bin.Path, Dir: bin.Dir, Env: bin.Env, Plan: plan,
		Bench: sel.plan.Bench, Skip: either(sel.plan.Skip, skip), Procs: sel.procs, Home: sel.home, Counts: sel.calls != nil,
	})
	if err != nil {
		return nil, false, err
	}
	defer w.Close()
	failed, ordered := false, 0
	began := time.Now() // before the order: tare may wait for a CPU after it
	order := func() error {
		var next []worker.Slot
		if sel.calls != nil {
			next = sel.calls(all[len(all)-1])
		}
		began = time.Now()
		if ordered += len(next); len(next) == 0 {
			return w.End()
		}
		return w.Ask(next...)
	}
	known := make(map[string]int) // the place of a name in all
	mark := func(name, outcome, message string) {
		i, ok := known[name]
		if !ok {
			i, known[name] = len(all), len(all)
			all = append(all, leafBenchmark{name: name})
		}
		all[i].outcome, all[i].message = outcome, message
	}
	forged := []leafBenchmark{{outcome: "failed", message: "an answer that no worker gives: the benchmark wrote to the pipe of tare"}}
	for messages := 1; ; messages++ {
		m, err := w.Next(sel.timeout())
		if ctx.Err() != nil {
			return all, false, ctx.Err()
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			all = append(all, leafBenchmark{name: stuckIn(w.Output()), outcome: "failed", message: err.Error() + "\n" + failureText(w.Output())})
			return all, false, nil
		}
		// A benchmark can write to the pipe too.
		calling := len(all) > 0 && all[len(all)-1].outcome == "" && len(all[len(all)-1].calls) < ordered
		if m.Kind == worker.Done && !calling || m.Kind == worker.Leaf && calling || messages > worker.MostMessages {
			forged[0].name = stuckIn(w.Output())
			return forged, false, nil
		}
		var orderErr error
		switch m.Kind {
		case worker.Leaf:
			f := leafBenchmark{name: m.Name, loop: m.Loop, took: time.Since(began), iteration: time.Duration(m.Slice.Own()), first: m.Slice}
			if m.Slice.Pauses > 1 {
				f.iteration = f.took
			}
			if i, twice := known[f.name]; twice { // in its package and in the _test package
				all[i].outcome, all[i].message = "failed", "the package and its _test package have a benchmark of this name each: give one another name"
				if err := w.End(); err != nil {
					return all, false, nil
				}
				break
			}
			known[f.name] = len(all)
			all, ordered = append(all, f), 0
			orderErr = order()
		case worker.Done:
			f := &all[len(all)-1]
			if f.calls = append(f.calls, m.Slice); len(f.calls) == ordered {
				orderErr = order()
			}
		case worker.Over:
			if i, ok := known[m.Name]; ok {
				all[i].metrics = len(m.Slice.Metrics)
			}
		case worker.Skip:
			mark(m.Name, "skipped", m.Words)
		case worker.Fail:
			failed = true
			mark(m.Name, "failed", m.Words)
		}
		switch {
		case errors.Is(orderErr, os.ErrDeadlineExceeded): // nobody reads
			return forged, false, nil
		case orderErr != nil:
			return all, false, nil
		}
	}
	exit := w.Wait(sel.timeout())
	for i, f := range all {
		if f.outcome == "failed" && f.message == "" {
			all[i].message = failureText(w.Output())
		}
	}
	// A benchmark may also end the process with status 0. The last line of
	// testing shows whether it did.
	var status *exec.ExitError
	if exit == nil && strings.Contains(w.Output(), "PASS\n") || failed && errors.As(exit, &status) && status.ExitCode() == 1 {
		return all, true, nil
	}
	if len(all) == 0 && !strings.Contains(w.Output(), "Benchmark") {
		// The process never reached a benchmark: TestMain or an init ended it.
		if exit == nil {
			exit = errors.New("TestMain ended it before any benchmark, with status 0")
		}
		return nil, true, fmt.Errorf("run test binary: %w\n%s", exit, failureText(w.Output()))
	}
	if exit == nil {
		return all, false, nil
	}
	mark(stuckIn(w.Output()), "failed", exit.Error()+"\n"+failureText(w.Output()))
	return all, false, nil
}

func topLevel(ctx context.Context, bin Binary, timeout time.Duration) ([]string, error) {
	ctx, cancel := process.Within(ctx, timeout)
	defer cancel()
	cmd := process.Command(ctx, bin.Path, "-test.list=^Benchmark")
	cmd.Dir, cmd.Env = bin.Dir, bin.Env
	out := process.Output{Most: process.LongestArgument}
	cmd.Stdout = &out
	err := process.Ended(cmd.Run())
	process.Kill(cmd) // the processes that it started
	text := out.String()
	switch {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case err == nil && len(text) > process.LongestArgument:
		err = fmt.Errorf("the test binary prints %d bytes of names, more than %d", len(text), process.LongestArgument)
	}
	if err != nil {
		return nil, fmt.Errorf("list benchmarks: %w", err)
	}
	var tops []string
	for line := range strings.Lines(text) {
		if name := strings.TrimSpace(line); strings.HasPrefix(name, "Benchmark") {
			tops = append(tops, name)
		}
	}
	return tops, nil
}

var preamble = regexp.MustCompile(`^(goos|goarch|pkg|cpu): |^(PASS|FAIL|ok )|^Benchmark\S*\s*$`)

var benchmarkFrame = regexp.MustCompile(`\.(Benchmark[^\s.(]*)(?:\.func[0-9.]+)?\(`)

func stuckIn(output string) string {
	if m := benchmarkFrame.FindStringSubmatch(output); m != nil {
		return m[1]
	}
	return ""
}

func failureText(output string) string {
	const most = 24
	var lines []string
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\r\n")
		if preamble.MatchString(line) {
			continue
		}
		// The beginning of a table row comes before the failure on its line.
		if i := strings.Index(line, "--- FAIL"); i > 0 {
			line = line[i:]
		}
		lines = append(lines, line)
	}
	if len(lines) > most {
		lines = append(lines[:most], fmt.Sprintf("… %d more lines", len(lines)-most))
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}
