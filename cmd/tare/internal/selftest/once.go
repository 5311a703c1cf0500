package selftest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/process"
)

// RunOnce runs every benchmark of the packages that match patterns once, each in
// a separate process. Each, if not nil, receives a result as soon as it is
// there, from one goroutine at a time. The results are in the order of the
// packages, and of the benchmarks in them.
func RunOnce(ctx context.Context, o OnceOptions, patterns []string, each func(OnceResult)) ([]OnceResult, error) {
	if o.Timeout <= 0 {
		o.Timeout = time.Minute
	}
	bench, err := regexp.Compile(o.Bench)
	if err != nil {
		return nil, fmt.Errorf("read the pattern of benchmarks: %w", err)
	}
	folder, err := os.MkdirTemp("", "tare-once-")
	if err != nil {
		return nil, fmt.Errorf("make a directory for test binaries: %w", err)
	}
	defer os.RemoveAll(folder)
	packages, err := listPackages(ctx, o, patterns...)
	if err != nil {
		return nil, err
	}
	results := make([][]OnceResult, len(packages))
	errs := make([]error, len(packages))
	slots := make(chan struct{}, runtime.NumCPU())
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i, p := range packages {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			r := onceRunner{o, p, bench, filepath.Join(folder, fmt.Sprint(i)), func(x OnceResult) {
				mu.Lock()
				defer mu.Unlock()
				results[i] = append(results[i], x)
				if each != nil {
					each(x)
				}
			}}
			errs[i] = r.run(ctx)
		})
	}
	wg.Wait()
	var all []OnceResult
	for _, list := range results {
		all = append(all, list...)
	}
	if ctx.Err() != nil {
		return all, ctx.Err()
	}
	if err := errors.Join(errs...); err != nil || len(all) > 0 {
		return all, err
	}
	return nil, fmt.Errorf("run benchmarks: no benchmark of %s matches", strings.Join(patterns, " "))
}

// onceRunner runs the benchmarks of one package in turn, because they may share
// a port or a file.
type onceRunner struct {
	o      OnceOptions
	p      testPackage
	bench  *regexp.Regexp
	folder string
	done   func(OnceResult)
}

func (r onceRunner) run(ctx context.Context) error {
	if err := os.MkdirAll(r.folder, 0o777); err != nil {
		return fmt.Errorf("make a directory for test binaries: %w", err)
	}
	defer os.RemoveAll(r.folder)
	binary := filepath.Join(r.folder, "once.test.exe")
	if output, err := r.build(ctx, binary); err != nil {
		if ctx.Err() == nil {
			r.done(OnceResult{Package: r.p.Path, Outcome: NoBuild, Exit: exitCode(err), Output: strings.TrimSpace(output)})
		}
		return nil
	}
	names, err := r.names(ctx, binary)
	if err != nil {
		return err
	}
	for _, name := range names {
		if ctx.Err() != nil {
			return nil
		}
		result, err := r.one(ctx, binary, name)
		if err != nil {
			return err
		}
		if ctx.Err() == nil {
			r.done(result)
		}
	}
	return nil
}

func (r onceRunner) build(ctx context.Context, binary string) (output string, err error) {
	args := append([]string{"test", "-c", "-vet=off", "-o", binary}, r.o.BuildFlags...)
	cmd := process.Command(ctx, "go", append(args, r.p.Path)...)
	out, err := cmd.CombinedOutput()
	return string(out), process.Ended(err)
}

// names lists the selected benchmark functions of a binary.
func (r onceRunner) names(ctx context.Context, binary string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, r.o.Timeout)
	defer cancel()
	cmd := process.Command(ctx, binary, "-test.list=^Benchmark")
	cmd.Dir = r.p.Dir
	out, err := cmd.Output()
	if err := process.Ended(err); err != nil {
		r.done(OnceResult{Package: r.p.Path, Outcome: Exited, Exit: exitCode(err), Output: strings.TrimSpace(string(out))})
		return nil, nil
	}
	var list []string
	for line := range strings.Lines(string(out)) {
		name := strings.TrimSpace(line)
		if strings.HasPrefix(name, "Benchmark") && r.bench.MatchString(strings.TrimPrefix(name, "Benchmark")) {
			list = append(list, name)
		}
	}
	return list, nil
}

// one runs a benchmark in a separate process, with its own directory for
// temporary files.
func (r onceRunner) one(ctx context.Context, binary, name string) (OnceResult, error) {
	out := OnceResult{Package: r.p.Path, Benchmark: strings.TrimPrefix(name, "Benchmark"), dir: r.p.Dir}
	temp := filepath.Join(r.folder, "tmp")
	if err := os.MkdirAll(temp, 0o777); err != nil {
		return out, fmt.Errorf("make a directory for temporary files: %w", err)
	}
	defer os.RemoveAll(temp)
	limited, cancel := context.WithTimeout(ctx, r.o.Timeout)
	defer cancel()
	// testing wakes its main goroutine before a panic is printed, and that goroutine
	// can end the process with PASS first: in 33 of 800 runs, and in none if it has a
	// memory profile to write.
	cmd := process.Command(limited, binary, "-test.run=^$", "-test.v", "-test.benchtime=1x", "-test.timeout=0",
		"-test.memprofile="+filepath.Join(temp, "memory"), "-test.bench=^"+name+"$")
	cmd.Dir = r.p.Dir
	cmd.Env = append(cmd.Environ(), "TMPDIR="+temp, "TMP="+temp, "TEMP="+temp)
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &text
	start := time.Now()
	err := process.Ended(cmd.Run())
	took := time.Since(start)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && limited.Err() == nil {
		return out, fmt.Errorf("run %s of %s: %w", name, r.p.Path, err)
	}
	process.Kill(cmd) // processes that it started may still run
	out.read(text.String(), exitCode(err), took, limited.Err() != nil && ctx.Err() == nil)
	return out, nil
}

func exitCode(err error) int {
	if err == nil {
		return 0
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	return -1
}
