package instrument

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestObserve runs a command with the output of a test binary.
func TestObserve(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("runs a shell script")
	}
	dir := t.TempDir()
	script := filepath.Join(dir, "x.test")
	write := func(body string) {
		if err := os.WriteFile(script, []byte("#!/bin/sh\n"+body), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	target := Target{Binary: script, Dir: dir, Benchmark: "X"}
	write("echo goos: linux; echo 'BenchmarkX/a-2   100   250.5 ns/op   8 B/op'; echo 'BenchmarkX/b-2 words 300  1.5e+06 ns/op'; test \"$2\" = '-test.bench=^BenchmarkX$'")
	o, err := Observe(t.Context(), target, 2, "100x", "-test.v")
	if err != nil {
		t.Fatal(err)
	}
	if o.Ops != 400 || o.Benchmarks != 2 || o.Seconds != 1.5e-3 {
		t.Errorf("%+v", o)
	}
	write("echo none")
	if _, err := Observe(t.Context(), target, 0, "1x"); err == nil {
		t.Error("a benchmark that reports nothing is observed")
	}
	write("exit 3")
	if _, err := Observe(t.Context(), target, 0, "1x"); err == nil {
		t.Error("a failure is not reported")
	}
}
