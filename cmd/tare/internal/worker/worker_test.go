package worker

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/tarebench/tare/cmd/tare/internal/lab"
	"github.com/tarebench/tare/cmd/tare/internal/overlay"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

func TestMain(m *testing.M) {
	if path := os.Getenv("WORKER_TEST_VICTIM"); path != "" {
		victim(path)
	}
	goleak.VerifyTestMain(m)
}

const patience = time.Minute

// versions are the toolchains that a worker is tested with; "local" is the
// installed one, the others are fetched with the tag lab.
var versions = []string{"local", "go1.24.9", "go1.25.3", "go1.27.1"}[:lab.Times(1, 4)]

// builds keeps one binary per toolchain for all tests.
var builds struct {
	sync.Mutex
	path map[string]string
	dir  string
}

// binary builds testdata/mod with the overlay of a toolchain.
func binary(t *testing.T, version string) string {
	t.Helper()
	builds.Lock()
	defer builds.Unlock()
	if path := builds.path[version]; path != "" {
		return path
	}
	goCommand := func(dir string, env []string, args ...string) string {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		cmd.Env = append(append(os.Environ(), "GOWORK=off"), env...)
		out, err := cmd.Output()
		if err != nil {
			var exit *exec.ExitError
			if errors.As(err, &exit) {
				t.Logf("%s", exit.Stderr)
			}
			if strings.Contains(version, "go1") {
				t.Skipf("toolchain %s cannot be had here: go %v: %v", version, args, err)
			}
			t.Fatalf("go %v: %v", args, err)
		}
		return strings.TrimSpace(string(out))
	}
	dir := testTemp(t)
	var env []string
	goroot := goCommand(".", nil, "env", "GOROOT")
	if version != "local" {
		// cmd/go refuses to overlay files under the module cache, where
		// downloaded toolchains live: reach them through a link.
		link := filepath.Join(dir, version)
		target := goCommand(t.TempDir(), []string{"GOTOOLCHAIN=" + version}, "env", "GOROOT")
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
		goroot = link
		env = []string{"GOROOT=" + goroot, "GOTOOLCHAIN=local", "PATH=" + filepath.Join(goroot, "bin") + string(os.PathListSeparator) + os.Getenv("PATH")}
	}
	folder := filepath.Join(dir, "overlay-"+version)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	o, err := overlay.Generate(goroot, folder)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(map[string]any{"Replace": o.Replace})
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(folder, "overlay.json")
	if err := os.WriteFile(list, text, 0o666); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, version+".test")
	gobin := "go"
	if version != "local" {
		gobin = filepath.Join(goroot, "bin", "go")
	}
	// The module's go line is that of the oldest version.
	cmd := exec.Command(gobin, "test", "-c", "-overlay="+list, "-o", path, ".")
	cmd.Dir = filepath.Join("testdata", "mod")
	cmd.Env = append(append(os.Environ(), "GOWORK=off"), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
	builds.path[version] = path
	return path
}

// testTemp is one folder for all tests of the package.
func testTemp(t *testing.T) string {
	t.Helper()
	if builds.dir == "" {
		dir, err := os.MkdirTemp("", "tare-worker")
		if err != nil {
			t.Fatal(err)
		}
		builds.dir, builds.path = dir, make(map[string]string)
	}
	return builds.dir
}

// removeTemp removes the folder of [testTemp], with all that was built.
func removeTemp(t *testing.T) {
	os.RemoveAll(testTemp(t))
	builds.dir, builds.path = "", nil
}

func start(t *testing.T, version, bench string) *Worker {
	t.Helper()
	w, err := Start(t.Context(), Config{
		Path: binary(t, version), Dir: filepath.Join("testdata", "mod"), Env: os.Environ(), Bench: bench, Procs: 2,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	return w
}

func next(t *testing.T, w *Worker) Message {
	t.Helper()
	m, err := w.Next(patience)
	if err != nil {
		t.Fatalf("%v\n%s", err, w.Output())
	}
	return m
}

// leaves lets a worker run to its end and returns what it announced.
func leaves(t *testing.T, w *Worker) (names []string) {
	t.Helper()
	for {
		m, err := w.Next(patience)
		if errors.Is(err, io.EOF) {
			return names
		}
		if err != nil {
			t.Fatal(err)
		}
		if m.Kind == Leaf {
			names = append(names, m.Name)
			w.End()
		}
	}
}

// answer waits for the result of the next ordered slice.
func answer(w *Worker, timeout time.Duration) (Message, error) {
	m, err := w.Next(timeout)
	if errors.Is(err, io.EOF) {
		err = ErrGone
	}
	return m, err
}

// sliceOf orders one slice and waits for its result.
func sliceOf(w *Worker, n int64, reading Reading, timeout time.Duration) (Message, error) {
	if err := w.Ask(Slot{N: n, Reading: reading}); err != nil {
		return Message{}, err
	}
	return answer(w, timeout)
}

func slice(t *testing.T, w *Worker, n int64, reading Reading) Message {
	t.Helper()
	m, err := sliceOf(w, n, reading, patience)
	if err != nil || m.Kind != Done {
		t.Fatalf("slice of %d: %+v, %v\n%s", n, m, err, w.Output())
	}
	return m
}

func TestSlices(t *testing.T) {
	defer removeTemp(t)
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			binary(t, version)
			t.Run("b.N", func(t *testing.T) {
				w := start(t, version, result.ExactPattern("BenchmarkPlain"))
				m := next(t, w)
				if m.Kind != Leaf || m.Name != "BenchmarkPlain" || m.Loop != "b.N" || m.Slice.N != 1 {
					t.Fatalf("got %+v", m)
				}
				for _, n := range []int64{1000, 10, 5000} {
					m := slice(t, w, n, Few)
					s := m.Slice
					if s.N != n || s.Pauses != 1 || !s.Counted || s.Raw <= 0 || s.Span < s.Raw {
						t.Errorf("slice of %d: %+v", n, m)
					}
					if s.Mallocs < uint64(n) || s.Mallocs > uint64(n)+64 {
						t.Errorf("%d allocations in %d iterations of one each", s.Mallocs, n)
					}
					if s.SetBytes != 64 {
						t.Errorf("%d bytes in an operation, want 64", s.SetBytes)
					}
				}
				w.End()
				if m := next(t, w); m.Kind != Over {
					t.Errorf("after the end: %+v", m)
				}
				if _, err := w.Next(patience); !errors.Is(err, io.EOF) {
					t.Errorf("after the last: %v", err)
				}
				if err := w.Wait(patience); err != nil {
					t.Errorf("the worker ended with %v\n%s", err, w.Output())
				}
			})
			t.Run("two in a row", func(t *testing.T) {
				for _, name := range []string{"BenchmarkPlain", "BenchmarkLoop"} {
					w := start(t, version, result.ExactPattern(name))
					next(t, w)
					if err := w.Ask(Slot{N: 1000, Reading: Few}, Slot{N: 10}); err != nil {
						t.Fatal(err)
					}
					for i, want := range []int64{1000, 10} {
						m, err := answer(w, patience)
						if err != nil || m.Kind != Done || m.Slice.N != want || m.Slice.Counted != (i == 0) || m.Slice.Span < m.Slice.Raw {
							t.Errorf("%s, slice %d: %+v, %v", name, i, m, err)
						}
					}
					slice(t, w, 100, Few) // and it waits for orders again
					w.End()
				}
				// The first answer is there although the second slice fails.
				w := start(t, version, result.ExactPattern("BenchmarkFail"))
				next(t, w)
				if err := w.Ask(Slot{N: 1, Reading: Few}, Slot{N: 10, Reading: Few}); err != nil {
					t.Fatal(err)
				}
				for _, want := range []Kind{Done, Fail} {
					if m, err := answer(w, patience); err != nil || m.Kind != want {
						t.Errorf("BenchmarkFail: %+v, %v; want %s", m, err, want)
					}
				}
			})
			t.Run("runtime", func(t *testing.T) {
				w := start(t, version, result.ExactPattern("BenchmarkRuntime"))
				next(t, w)
				s := slice(t, w, 30, Few).Slice
				if s.GCs < 30 {
					t.Errorf("%d collections, 30 iterations collect once each", s.GCs)
				}
				w.End()
			})
			t.Run("set-up", func(t *testing.T) {
				// What comes before b.ResetTimer is not the operation's.
				w := start(t, version, result.ExactPattern("BenchmarkSetUp"))
				next(t, w)
				m := slice(t, w, 10, Few)
				if s := m.Slice; s.GCs != 0 || s.Collected || s.Raw > s.Span/2 {
					t.Errorf("%d collections, collected %v, %g ns in %g: the set-up collects, the operation does not", s.GCs, s.Collected, s.Raw, s.Span)
				}
				w.End()
			})
			t.Run("b.Loop", func(t *testing.T) {
				w := start(t, version, result.ExactPattern("BenchmarkLoop"))
				m := next(t, w)
				if m.Kind != Leaf || m.Loop != "b.Loop" || m.Slice.N != 1 {
					t.Fatalf("got %+v", m)
				}
				for _, n := range []int64{1000, 1, 5000} {
					s := slice(t, w, n, Few).Slice
					if s.N != n || s.Pauses != 1 || !s.Counted || s.Mallocs < uint64(n) || s.Mallocs > uint64(n)+64 {
						t.Errorf("slice of %d: %+v", n, s)
					}
				}
				w.End()
				m = next(t, w)
				if m.Kind != Over || m.Slice.Metrics["setups"] != 1 {
					t.Errorf("want one set-up for all slices, got %+v", m)
				}
				if _, ok := m.Slice.Metrics["erased"]; ok {
					t.Error("a metric reported before b.Loop is erased by testing, here it lived")
				}
				if ops := m.Slice.Metrics["ops/s"]; ops < 1e3 || ops > 1e12 {
					t.Errorf("b.N and b.Elapsed of the whole loop give %g ops/s", ops)
				}
			})
			t.Run("paused", func(t *testing.T) {
				w := start(t, version, result.ExactPattern("BenchmarkPaused"))
				next(t, w)
				if s := slice(t, w, 300, Few).Slice; s.Counted || s.Pauses != 301 || s.OverheadLo > s.OverheadHi || s.OverheadHi <= 0 {
					t.Errorf("many pauses: %+v; want no counts, 301 intervals, an overhead", s)
				}
				// One allocation in three iterations, and none of the paused.
				if s := slice(t, w, 300, Every).Slice; !s.Counted || s.Mallocs < 100 || s.Mallocs > 120 || s.Bytes < 3200 || s.Bytes > 3200+16<<10 {
					t.Errorf("counting slice: %+v; want 100 allocations of 32 bytes", s)
				}
			})
			t.Run("sub-benchmarks", func(t *testing.T) {
				w := start(t, version, "^BenchmarkSub$")
				names := leaves(t, w)
				want := "[BenchmarkSub/size=1 BenchmarkSub/size=2 BenchmarkSub/odd_name_(a|b)/c]"
				if got := "[" + strings.Join(names, " ") + "]"; got != want {
					t.Fatalf("got %s, want %s", got, want)
				}
				for _, name := range names {
					w := start(t, version, result.ExactPattern(name))
					if m := next(t, w); m.Kind != Leaf || m.Name != name {
						t.Errorf("pattern of %s finds %+v", name, m)
					}
				}
				// A pattern deeper than a name asks for what is below it only.
				for pattern, want := range map[string]string{
					"^Benchmark(Plain|Loop|Sub)$/^size=2$": "[BenchmarkSub/size=2]",
					"^BenchmarkSubThenLoop$":               "[BenchmarkSubThenLoop/below]",
				} {
					if got := leaves(t, start(t, version, pattern)); "["+strings.Join(got, " ")+"]" != want {
						t.Errorf("%s finds %s, want %s", pattern, got, want)
					}
				}
			})
			t.Run("parallel", func(t *testing.T) {
				w := start(t, version, result.ExactPattern("BenchmarkParallel"))
				next(t, w)
				if s := slice(t, w, 10000, Few).Slice; s.N != 10000 || s.Pauses != 1 {
					t.Errorf("got %+v", s)
				}
			})
		})
	}
	t.Run("outcomes", func(t *testing.T) {
		w := start(t, "local", result.ExactPattern("BenchmarkSkip"))
		if m := next(t, w); m.Kind != Skip || m.Name != "BenchmarkSkip" || !strings.Contains(m.Words, "not today") {
			t.Errorf("skip: %+v", m)
		}
		for _, c := range []struct{ name, output string }{
			{"BenchmarkFail", "too many iterations"},
			{"BenchmarkPanic", "at the disco"},
			{"BenchmarkExit", ""},
		} {
			w := start(t, "local", result.ExactPattern(c.name))
			next(t, w)
			m, err := sliceOf(w, 10, Few, patience)
			if c.name == "BenchmarkFail" {
				if err != nil || m.Kind != Fail {
					t.Errorf("%s: %+v, %v", c.name, m, err)
				}
			} else if !errors.Is(err, ErrGone) {
				t.Errorf("%s: %+v, %v; want ErrGone", c.name, m, err)
			}
			exit := w.Wait(patience)
			if (exit == nil) != (c.name == "BenchmarkExit") {
				t.Errorf("%s: ended with %v", c.name, exit)
			}
			if !strings.Contains(w.Output(), c.output) {
				t.Errorf("%s: its words are lost: %q", c.name, w.Output())
			}
		}
		w = start(t, "local", result.ExactPattern("BenchmarkBreak"))
		next(t, w)
		if m, err := sliceOf(w, 1000, Few, patience); err != nil || m.Kind != Fail {
			t.Errorf("break out of b.Loop: %+v, %v", m, err)
		}
		w = start(t, "local", result.ExactPattern("BenchmarkForever"))
		next(t, w)
		if _, err := sliceOf(w, 10, Few, 200*time.Millisecond); !errors.Is(err, errTimeout) {
			t.Errorf("endless benchmark: %v", err)
		}
		if !strings.Contains(w.Output(), "goroutine") {
			t.Errorf("no goroutine dump of a stuck worker: %q", w.Output())
		}
		w = start(t, "local", result.ExactPattern("BenchmarkPrints"))
		next(t, w)
		slice(t, w, 100_000, Few)
		if n := len(w.Output()); n < mostOutput || n > 3*mostOutput {
			t.Errorf("kept %d bytes of a chatty benchmark", n)
		}
		w = start(t, "local", result.ExactPattern("BenchmarkFiles"))
		next(t, w)
		slice(t, w, 10, Few)
		w.End()
		next(t, w)
		w.Wait(patience)
		if strings.Contains(w.Output(), "FAIL") || strings.Contains(w.Output(), "60 is open") {
			t.Errorf("the benchmark sees what is ours: %s", w.Output())
		}
		// A timeout of 0 is none.
		w = start(t, "local", result.ExactPattern("BenchmarkEndsSlowly"))
		if m, err := w.Next(0); err != nil || m.Kind != Leaf {
			t.Fatalf("%+v, %v", m, err)
		}
		w.End()
		if err := w.Wait(0); err != nil || !strings.Contains(w.Output(), "ended slowly") {
			t.Errorf("waited for without a limit: %v\n%s", err, w.Output())
		}
	})
	t.Run("plain", func(t *testing.T) {
		// Without our variable the binary is an ordinary test binary.
		cmd := exec.Command(binary(t, "local"), "-test.bench=Plain|Loop", "-test.benchtime=10x", "-test.benchmem", "-test.run=^$")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		for _, want := range []string{"BenchmarkPlain", "MB/s", "64 B/op", "1 allocs/op", "PASS", "setups"} {
			if !strings.Contains(string(out), want) {
				t.Errorf("no %q in the output of a plain run:\n%s", want, out)
			}
		}
	})
	t.Run("plain paused", func(t *testing.T) {
		// The wall-time budget ends a benchmark that pauses around every
		// few nanoseconds; the standard library takes minutes here.
		cmd := exec.Command(binary(t, "local"), "-test.bench=Paused", "-test.benchtime=50ms", "-test.benchmem", "-test.run=^$", "-test.timeout=60s")
		out, err := cmd.CombinedOutput()
		// A corrected time of 0 is left out of the line.
		if err != nil || !strings.Contains(string(out), "allocs/op") {
			t.Fatalf("%v\n%s", err, out)
		}
	})
}

func TestParse(t *testing.T) {
	good := `leaf name="BenchmarkX/a b" loop=b.N n=10 raw=1000 pauses=2 flags=3 mallocs=3 bytes=48 gcs=1 setbytes=64 span=9 lo=1.5 hi=2.5 later=1 metric="ns/GC" 12.5 metric="hits" NaN`
	m, err := parse(good)
	if err != nil {
		t.Fatal(err)
	}
	s := m.Slice
	if m.Name != "BenchmarkX/a b" || s.N != 10 || s.Raw != 1000 || s.Pauses != 2 || !s.Counted || s.Mallocs != 3 ||
		s.Bytes != 48 || s.GCs != 1 || s.Span != 9 ||
		s.OverheadLo != 1.5 || s.OverheadHi != 2.5 ||
		math.Abs(s.Metrics["sec/GC"]-12.5e-9) > 1e-18 || s.SetBytes != 64 || !math.IsNaN(s.Metrics["hits"]) {
		t.Errorf("got %+v", m)
	}
	if m, err := parse("hello protocol=7 cpus=0,1 board=63,1"); err != nil || m.protocol != 7 || !m.board {
		t.Errorf("hello: %+v, %v", m, err)
	}
	if m, err := parse(`done n=1 raw=5 setbytes=10 metric="MB/s" 3`); err != nil || m.Slice.Metrics["B/s"] != 3e6 || m.Slice.SetBytes != 0 {
		t.Errorf("a rate of the benchmark's own: %+v, %v", m, err)
	}
	for _, bad := range []string{"", "hey", "leaf", `leaf name="x`, `leaf name="x" loop=y`, "done", "done n=1 raw=x", `done n=1 metric="x`, "hello protocol=x", strings.Replace(good, "1000", "-1", 1)} {
		if m, err := parse(bad); err == nil {
			t.Errorf("parse(%q) = %+v, want an error", bad, m)
		}
	}
}
