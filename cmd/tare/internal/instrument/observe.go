package instrument

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/process"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// Observed is one run of a benchmark, apart from any timing.
type Observed struct {
	// User and System are the CPU time of the process.
	User, System time.Duration
	// Ops is the number of iterations that the benchmark reported, added up
	// over its sub-benchmarks. Benchmarks is the number of those.
	Ops        int64
	Benchmarks int
	// Seconds is the reported time per operation of the slowest benchmark.
	Seconds float64
}

// Observe runs a benchmark for a time ("50ms") or a number of iterations
// ("100x") with further flags of the test binary. It returns the resource use
// of the process.
func Observe(ctx context.Context, t Target, procs int, benchtime string, flags ...string) (o Observed, err error) {
	argv := []string{t.Binary, "-test.run=^$", "-test.bench=" + result.ExactPattern("Benchmark"+t.Benchmark), "-test.count=1",
		"-test.benchtime=" + benchtime, "-test.timeout=0"}
	if procs > 0 {
		argv = append(argv, "-test.cpu="+strconv.Itoa(procs))
	}
	argv = append(append(argv, flags...), t.Args...)
	ctx, cancel := process.Within(ctx, t.Timeout)
	defer cancel()
	used, stdout, stderr, err := runToEnd(ctx, t.Dir, t.Env, argv...)
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return o, fmt.Errorf("observe %s: %w: %s", t.Benchmark, err, tail(stdout, stderr))
	}
	for _, found := range reported.FindAllStringSubmatch(string(stdout), -1) {
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
		return o, fmt.Errorf("observe %s: it reports no iterations: %s", t.Benchmark, tail(stdout, stderr))
	}
	o.User, o.System = used.UserTime(), used.SystemTime()
	return o, nil
}

// reported matches the result of a benchmark, which may follow other output.
var reported = regexp.MustCompile(`(?m)\s(\d+)\s+([\d.e+]+) ns/op`)
