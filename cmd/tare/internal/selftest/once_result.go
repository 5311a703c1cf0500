package selftest

import (
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"time"
)

// Outcome is the outcome of a benchmark.
type Outcome string

const (
	OK       Outcome = "ok"
	Failed   Outcome = "failed"    // b.Fatal, b.Error
	Panicked Outcome = "panicked"  // also a fatal error of the runtime
	Exited   Outcome = "exited"    // os.Exit, a signal
	TimedOut Outcome = "timed out" // killed after the time limit
	Skipped  Outcome = "skipped"   // b.Skip
	NoBuild  Outcome = "no build"  // the package does not build
)

// Broken reports whether the benchmark, or its package, needs to be fixed.
func (o Outcome) Broken() bool { return o != OK && o != Skipped }

// OnceResult is one benchmark, run once.
type OnceResult struct {
	Package string `json:"package"`
	// Benchmark is the name of the function without the word Benchmark. It is
	// "" for a package that does not build.
	Benchmark string  `json:"benchmark"`
	Outcome   Outcome `json:"outcome"`
	// Exit is the exit code of the process, or -1 if it was killed.
	Exit int `json:"exit"`
	// Seconds is the wall time of the process.
	Seconds float64 `json:"seconds"`
	// Results is the number of result lines in its output: one, or one for each
	// sub-benchmark that ran.
	Results int `json:"results"`
	// Output is the output of a broken benchmark.
	Output string `json:"output,omitempty"`

	// leaves are the full names of its result lines, and the directory of the
	// package.
	leaves []string
	dir    string
}

var (
	resultLine = regexp.MustCompile(`(?m)^Benchmark(\S*)\s+\d+\s`)
	// procsSuffix is the number of CPUs after a name, if it is not 1.
	procsSuffix = regexp.MustCompile(fmt.Sprintf(`-%d$`, runtime.GOMAXPROCS(0)))
	failLine    = regexp.MustCompile(`(?m)^\s*--- FAIL: `)
	skipLine    = regexp.MustCompile(`(?m)^\s*--- SKIP: `)
	panicLine   = regexp.MustCompile(`(?m)^(panic: |fatal error: |SIGSEGV|unexpected fault)`)
)

// excerpt is the part of a broken benchmark's output that a reader needs: from
// the panic on, with the stack of the first goroutine, or all of it.
func excerpt(output string) string {
	if m := panicLine.FindStringIndex(output); m != nil {
		output = output[m[0]:]
		stacks := strings.SplitN(output, "\n\n", 4)
		return strings.TrimSpace(strings.Join(stacks[:min(2, len(stacks))], "\n\n"))
	}
	return strings.TrimSpace(output)
}

// read fills a result from the output of a process and the way it ended.
func (r *OnceResult) read(output string, exit int, took time.Duration, timedOut bool) {
	r.Exit, r.Seconds = exit, took.Seconds()
	for _, m := range resultLine.FindAllStringSubmatch(output, -1) {
		r.leaves = append(r.leaves, procsSuffix.ReplaceAllString(m[1], ""))
	}
	r.Results = len(r.leaves)
	switch {
	case timedOut, strings.Contains(output, "panic: test timed out"):
		r.Outcome = TimedOut
	case panicLine.MatchString(output):
		r.Outcome = Panicked
	case failLine.MatchString(output):
		r.Outcome = Failed
	case exit != 0, !strings.Contains(output, "PASS"):
		r.Outcome = Exited
	case r.Results == 0 && skipLine.MatchString(output):
		r.Outcome = Skipped
	default:
		r.Outcome = OK
	}
	if r.Outcome.Broken() {
		r.Output = excerpt(output)
	}
}
