package count

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestSystemCalls(t *testing.T) {
	const table = `% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ----------------
 60.00    0.000600           6       100        50 openat
 20.00    0.000200           2        90           close
 20.00    0.000200           2        77           futex
------ ----------- ----------- --------- --------- ----------------
100.00    0.001000           3       267        50 total
`
	if got := SystemCalls(table); got != 190 {
		t.Errorf("%d calls, want 190", got)
	}
}

// TestObserve runs a command with the output of a test binary.
func TestObserve(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("runs a shell script")
	}
	dir := t.TempDir()
	script := filepath.Join(dir, "x.test")
	write := func(body string) {
		if err := os.WriteFile(script, []byte(body), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	target := Target{Binary: script, Dir: dir, Benchmark: "X"}
	write("echo goos: linux; echo 'BenchmarkX/a-2   100   250.5 ns/op   8 B/op'; echo 'BenchmarkX/b-2 words 300  1.5e+06 ns/op'; test \"$2\" = '-test.bench=^BenchmarkX$'")
	o, err := Observe(t.Context(), target, 2, "100x", []string{"sh"}, "-test.v")
	if err != nil {
		t.Fatal(err)
	}
	if o.Ops != 400 || o.Benchmarks != 2 || o.Seconds != 1.5e-3 {
		t.Errorf("%+v", o)
	}
	write("echo none")
	if _, err := Observe(t.Context(), target, 0, "1x", []string{"sh"}); err == nil {
		t.Error("a benchmark that reports nothing is observed")
	}
	write("exit 3")
	if _, err := Observe(t.Context(), target, 0, "1x", []string{"sh"}); err == nil {
		t.Error("a failure is not reported")
	}
}
