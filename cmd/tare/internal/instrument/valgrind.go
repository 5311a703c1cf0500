package instrument

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/file"
	"github.com/tarebench/tare/cmd/tare/internal/overlay"
	"github.com/tarebench/tare/cmd/tare/internal/process"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
)

// Exec runs a command to its end, in dir, with env added to the environment of
// this process. Tests replace it.
type Exec func(ctx context.Context, dir string, env []string, argv ...string) (stdout, stderr []byte, err error)

// Run is the Exec of the operating system.
func Run(ctx context.Context, dir string, env []string, argv ...string) (stdout, stderr []byte, err error) {
	_, stdout, stderr, err = runToEnd(ctx, dir, env, argv...)
	return stdout, stderr, err
}

// runToEnd is Run. It also returns what the process has used.
func runToEnd(ctx context.Context, dir string, env []string, argv ...string) (used *os.ProcessState, stdout, stderr []byte, err error) {
	cmd := process.Command(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var out, errs process.Output
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = process.Ended(cmd.Run())
	process.Kill(cmd) // and the processes that it started
	return cmd.ProcessState, []byte(out.String()), []byte(errs.String()), err
}

// The oldest valgrind that was tried with the client requests of Go's runtime.
const oldestMajor, oldestMinor = 3, 19

var valgrindVersion = regexp.MustCompile(`valgrind-(\d+)\.(\d+)`)

// CheckValgrind returns a finding if instructions cannot be counted here, and
// nil if they can.
func CheckValgrind(ctx context.Context, run Exec) *finding.Finding {
	no := func(why string, values ...any) *finding.Finding {
		f := catalog.NoValgrind.Of("instructions/op", finding.Text("why", fmt.Sprintf(why, values...)))
		return &f
	}
	out, _, err := run(ctx, "", nil, "valgrind", "--version")
	if err != nil {
		return no("valgrind does not run here (%v)", err)
	}
	m := valgrindVersion.FindStringSubmatch(string(out))
	if m == nil {
		return no("valgrind --version prints %.60q", strings.TrimSpace(string(out)))
	}
	major, _ := strconv.Atoi(m[1])
	minor, _ := strconv.Atoi(m[2])
	if major < oldestMajor || major == oldestMajor && minor < oldestMinor {
		return no("valgrind %d.%d is older than %d.%d, the oldest that was tried with Go's client requests", major, minor, oldestMajor, oldestMinor)
	}
	return nil
}

// scale lists the functions that count or watch. Their cost is excluded.
var scale = map[string]bool{
	// sysmon wakes by the wall clock. Its callees cannot be distinguished from
	// the work, but they cost little in a counting build.
	"runtime.sysmon": true,
	"runtime.retake": true,

	"testing.tareRegionStart":                   true,
	"testing.tareRegionStop":                    true,
	"testing.tareClientRequest":                 true,
	"testing.(*B).StartTimer":                   true,
	"testing.(*B).StopTimer":                    true,
	"testing.(*B).ResetTimer":                   true,
	"testing.(*B).tareStartTimer":               true,
	"testing.(*B).tareStopTimer":                true,
	"testing.(*B).tareResetTimer":               true,
	"runtime.valgrindClientRequest":             true,
	"runtime.valgrindClientRequest.abi0":        true,
	"runtime.valgrindClientRequest.abiinternal": true,
}

// sample is the cost of one run of the benchmark between its timers.
type sample struct {
	n            int64
	intervals    int
	instructions float64
	self         map[string]result.FunctionCount
	bytesPerOp   float64
}

func reduce(parts []Part, n int64) (sample, error) {
	s := sample{n: n, self: map[string]result.FunctionCount{}}
	label := overlay.CountingLabel + strconv.FormatInt(n, 10)
	for _, p := range parts {
		if p.Label != label {
			continue
		}
		s.intervals++
		for place, c := range p.Self {
			if scale[place.Name] || strings.HasPrefix(place.Name, "runtime.valgrind") {
				continue
			}
			ir := float64(c.Instructions)
			s.instructions += ir
			f := s.self[place.Name]
			if ir > f.PerOp || f.File == "" {
				f.File, f.Line = c.File, c.Line
			}
			f.Name = place.Name
			f.PerOp += ir
			s.self[place.Name] = f
		}
	}
	if s.intervals == 0 {
		return s, fmt.Errorf("count %d iterations: callgrind's file has no interval of the timer named %s: check that the benchmark runs that often, and that the binary was built for counting", n, label)
	}
	return s, nil
}

var bytesPerOp = regexp.MustCompile(`\s(\d+) B/op`)

// run runs the benchmark once for n iterations under callgrind. The binary
// reports when to begin.
func (c Counter) run(ctx context.Context, t Target, n int64) (sample, error) {
	folder, err := os.MkdirTemp(c.Temp, "tare-count-")
	if err != nil {
		return sample{}, fmt.Errorf("count instructions: %w", err)
	}
	defer os.RemoveAll(folder)
	const out = "callgrind.out"
	argv := []string{
		"valgrind", "--tool=callgrind", "--callgrind-out-file=" + filepath.Join(folder, out),
		"--combine-dumps=yes", "--compress-strings=no", "--compress-pos=no", "--error-exitcode=0",
		"--vgdb=no", // its pipes would stay in the temporary directory after a kill
		"--instr-atstart=no", t.Binary,
		"-test.run=^$", "-test.bench=" + result.ExactPattern("Benchmark"+t.Benchmark), "-test.count=1", "-test.cpu=1",
		"-test.benchtime=" + strconv.FormatInt(n, 10) + "x", "-test.benchmem", "-test.timeout=0",
	}
	argv = append(argv, t.Args...)
	ctx, cancel := process.Within(ctx, t.Timeout)
	defer cancel()
	stdout, stderr, err := c.Exec(ctx, t.Dir, t.environment(), argv...)
	if err != nil {
		if ctx.Err() != nil {
			return sample{}, fmt.Errorf("count instructions of %s: %w", t.Benchmark, context.Cause(ctx))
		}
		return sample{}, fmt.Errorf("run %s under valgrind: %w: %s", t.Benchmark, err, tail(stdout, stderr))
	}
	f, err := file.Open(folder, out)
	if err != nil {
		return sample{}, fmt.Errorf("read valgrind's profile: %w: %s", err, tail(stdout, stderr))
	}
	defer f.Close()
	parts, err := parseCallgrind(f)
	if err != nil {
		return sample{}, fmt.Errorf("count instructions of %s: %w", t.Benchmark, err)
	}
	if !bytes.Contains(stdout, []byte(" ns/op")) {
		return sample{}, fmt.Errorf("count instructions of %s: %w: %s", t.Benchmark, errNotRun, tail(stdout, stderr))
	}
	s, err := reduce(parts, n)
	if err != nil {
		return sample{}, err
	}
	if m := bytesPerOp.FindSubmatch(stdout); m != nil {
		s.bytesPerOp, _ = strconv.ParseFloat(string(m[1]), 64)
	}
	return s, nil
}

// errNotRun means that the benchmark printed no result: it is missing,
// skipped, or only a parent of sub-benchmarks.
var errNotRun = errors.New("the benchmark printed no result")

// environment makes the run repeatable. docs/counts.md describes the
// consequences.
func (t Target) environment() []string {
	debug := os.Getenv("GODEBUG")
	for _, e := range t.Env {
		if v, ok := strings.CutPrefix(e, "GODEBUG="); ok {
			debug = v
		}
	}
	if debug != "" {
		debug += ","
	}
	// Preemption by signal occasionally crashes Go under valgrind.
	return append(slices.Clone(t.Env), "GOMAXPROCS=1", "GODEBUG="+debug+"asyncpreemptoff=1", "GOGC=off")
}

func tail(stdout, stderr []byte) string {
	const most = 600
	all := append(bytes.TrimSpace(stdout), '\n')
	all = append(all, bytes.TrimSpace(stderr)...)
	if len(all) > most {
		all = append([]byte("… "), all[len(all)-most:]...)
	}
	return string(all)
}
