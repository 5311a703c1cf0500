package count

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/pattern"
	"github.com/tarebench/tare/cmd/tare/internal/process"
)

// Usage is the resource use of a process from its start to its end.
type Usage struct {
	User, System time.Duration
	// PageFaults is 0 if the system does not report them.
	PageFaults int64
}

// Observed is one run of a benchmark, apart from any timing.
type Observed struct {
	Usage
	// Ops is the number of iterations that the benchmark reported, added up
	// over its sub-benchmarks. Benchmarks is the number of those.
	Ops        int64
	Benchmarks int
	// Seconds is the reported time per operation of the slowest benchmark.
	Seconds float64
}

// Observe runs a benchmark for a time ("50ms") or a number of iterations
// ("100x") with further flags of the test binary. It returns the resource use
// of the process. before contains words to put before the command, such as
// strace -c.
func Observe(ctx context.Context, t Target, procs int, benchtime string, before []string, flags ...string) (o Observed, err error) {
	argv := append(append([]string(nil), before...), t.Binary, "-test.run=^$", "-test.bench="+pattern.Exact("Benchmark"+t.Benchmark), "-test.count=1",
		"-test.benchtime="+benchtime, "-test.timeout=0")
	if procs > 0 {
		argv = append(argv, "-test.cpu="+strconv.Itoa(procs))
	}
	argv = append(append(argv, flags...), t.Args...)
	ctx, cancel := t.bounded(ctx)
	defer cancel()
	cmd := process.Command(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = t.Dir, append(os.Environ(), t.Env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = process.Ended(cmd.Run())
	process.Kill(cmd)
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return o, fmt.Errorf("observe %s: %w: %s", t.Benchmark, err, tail(out.Bytes(), errs.Bytes()))
	}
	for _, found := range reported.FindAllStringSubmatch(out.String(), -1) {
		n, err := strconv.ParseInt(found[1], 10, 64)
		if err != nil {
			return o, fmt.Errorf("observe %s: %w", t.Benchmark, err)
		}
		if ns, err := strconv.ParseFloat(found[2], 64); err == nil {
			o.Seconds = max(o.Seconds, ns/1e9)
		}
		o.Ops += n
		o.Benchmarks++
	}
	if o.Ops == 0 {
		return o, fmt.Errorf("observe %s: it reports no iterations: %s", t.Benchmark, tail(out.Bytes(), errs.Bytes()))
	}
	o.Usage = usage(cmd.ProcessState)
	return o, nil
}

// reported matches the result of a benchmark, which may follow other output.
var reported = regexp.MustCompile(`(?m)\s(\d+)\s+([\d.e+]+) ns/op`)

// SystemCalls reads the table that strace -c writes. It adds up the calls that
// are not part of the runtime's waiting and timing.
func SystemCalls(table string) (calls int64) {
	for line := range strings.Lines(table) {
		words := strings.Fields(line)
		if len(words) < 5 || words[0] == "%" || strings.HasPrefix(words[0], "-") {
			continue
		}
		name := words[len(words)-1]
		n, err := strconv.ParseInt(words[3], 10, 64)
		if err != nil || name == "total" || schedules[name] {
			continue
		}
		calls += n
	}
	return calls
}

// schedules are the system calls that the Go runtime makes periodically.
var schedules = map[string]bool{
	"futex": true, "nanosleep": true, "epoll_pwait": true, "epoll_wait": true, "tgkill": true, "rt_sigreturn": true, "getpid": true,
	"rt_sigprocmask": true, "sched_yield": true, "madvise": true, "mmap": true, "munmap": true,
}
