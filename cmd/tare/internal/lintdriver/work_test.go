package lintdriver

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/lab"
	"github.com/tarebench/tare/cmd/tare/internal/objcode"
)

var show = flag.Bool("show", false, "print every proof")

const work = "example.test/work"

// workLoops are the loops of testdata/work in a test binary of a system, by
// function.
func workLoops(t *testing.T, system string, flags ...string) (map[string][]LoopWork, error) {
	t.Helper()
	goos, goarch, _ := strings.Cut(system, "/")
	o := Options{
		Dir: filepath.Join("testdata", "work"), BuildFlags: flags,
		Env: append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0"),
	}
	pkgs, broken, err := Load(t.Context(), o, ".")
	if err := errors.Join(append(broken, err)...); err != nil {
		t.Fatal(err)
	}
	loops, err := timedLoops(pkgs)
	if err != nil {
		t.Fatal(err)
	}
	found, err := provePackage(t.Context(), o, work, loops)
	byName := make(map[string][]LoopWork)
	for _, l := range found {
		byName[l.Source.Func] = append(byName[l.Source.Func], l)
	}
	return byName, err
}

// TestBenchmark holds the proofs against what the compiler is known to do,
// on both architectures: the source is compiled again each time.
func TestBenchmarkWork(t *testing.T) {
	for _, arch := range []string{"amd64", "arm64"} {
		t.Run(arch, func(t *testing.T) {
			loops, err := workLoops(t, "linux/"+arch)
			if err != nil {
				t.Fatal(err)
			}
			for _, tt := range []struct {
				name  string
				call  string
				gone  bool
				empty bool
				words string
			}{
				{"Dropped", "Popcount", true, true, "the call to Popcount is gone: the loop body is empty"},
				{"Blank", "Popcount", true, true, "the call to Popcount is gone: the loop body is empty"},
				{"Constant", "Popcount", true, false, "the call to Popcount is gone"},
				{"Kept", "Popcount", false, false, "kept"},
				{"Loop", "Popcount", false, false, "kept"},
				{"LoopConstant", "Popcount", true, false, "the call to Popcount is gone"},
				{"Fib", "Fib", false, false, "kept"},
				{"Sqrt", "Sqrt", false, false, "kept"},
				{"Indirect", "f", false, false, "kept"},
				{"Sub", "Popcount", true, true, "the call to Popcount is gone: the loop body is empty"},
				{"Nested", "Popcount", false, false, "kept"},
				{"Helper", "Popcount", true, true, "the call to Popcount is gone: the loop body is empty"},
				{"Parallel", "Popcount", true, true, "the call to Popcount is gone: the loop body is empty"},
			} {
				t.Run(tt.name, func(t *testing.T) {
					of := loops["Benchmark"+tt.name]
					if tt.name == "Helper" {
						of = loops["helper"]
					}
					if *show {
						t.Log(of)
					}
					if len(of) != 1 || !of[0].Found || len(of[0].Calls) != 1 {
						t.Fatalf("want one loop with one call: %+v", of)
					}
					l := of[0]
					if c := l.Calls[0]; c.Name != tt.call || c.Gone != tt.gone {
						t.Errorf("call %+v, want %s, gone %v", c, tt.call, tt.gone)
					}
					if l.Empty() != tt.empty {
						t.Errorf("empty = %v (%d instructions), want %v", l.Empty(), l.Instructions, tt.empty)
					}
					if !strings.HasPrefix(l.String(), tt.words) {
						t.Errorf("in words %q, want %q…", l, tt.words)
					}
				})
			}
		})
	}
}

func TestPackageErrors(t *testing.T) {
	if _, err := objcode.OpenPackage("x", map[string]string{"x": filepath.Join("testdata", "work", "work.go")}); err == nil {
		t.Error("a source file is no archive")
	}
	if _, err := workLoops(t, runtime.GOOS+"/"+runtime.GOARCH, "-ldflags=-s -w"); err != nil {
		t.Errorf("without debug information: %v", err)
	}
}

// TestFormats reads objects for other systems.
func TestFormats(t *testing.T) {
	lab.Only(t, "compiles the standard library for two systems")
	for _, system := range []string{"darwin/arm64", "windows/amd64"} {
		t.Run(strings.ReplaceAll(system, "/", "-"), func(t *testing.T) {
			loops, err := workLoops(t, system)
			if err != nil {
				t.Fatal(err)
			}
			if want := "the call to Popcount is gone: the loop body is empty"; loops["BenchmarkDropped"][0].String() != want {
				t.Errorf("%q, want %q", loops["BenchmarkDropped"], want)
			}
		})
	}
}
