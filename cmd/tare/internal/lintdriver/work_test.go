package lintdriver

import (
	"errors"
	"flag"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/lab"
)

var show = flag.Bool("show", false, "print every proof")

// build compiles the tests of testdata/work.
func build(t *testing.T, arch string, flags ...string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "work.test")
	cmd := exec.Command("go", append([]string{"test", "-c", "-o", out}, flags...)...)
	cmd.Dir = filepath.Join("testdata", "work")
	if arch != "" {
		cmd.Env = append(cmd.Environ(), "GOARCH="+arch, "GOOS=linux", "CGO_ENABLED=0")
	}
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, text)
	}
	return out
}

const work = "example.test/work"

// TestBenchmark holds the proofs against what the compiler is known to do,
// on both architectures: the source is compiled again each time.
func TestBenchmarkWork(t *testing.T) {
	for _, arch := range []string{"amd64", "arm64"} {
		t.Run(arch, func(t *testing.T) {
			b, err := openBinary(build(t, arch))
			if err != nil {
				t.Fatal(err)
			}
			defer b.close()
			for _, tt := range []struct {
				name  string
				call  string
				fate  Fate
				empty bool
				words string
			}{
				{"Dropped", "Popcount", Gone, true, "the call to Popcount is gone: the loop body is empty"},
				{"Blank", "Popcount", Gone, true, "the call to Popcount is gone: the loop body is empty"},
				{"Constant", "Popcount", Gone, false, "the call to Popcount is gone"},
				{"Kept", "Popcount", Inlined, false, "kept"},
				{"Loop", "Popcount", Inlined, false, "kept"},
				{"LoopConstant", "Popcount", Gone, false, "the call to Popcount is gone"},
				{"Fib", "Fib", Called, false, "kept"},
				{"Sqrt", "Sqrt", Inlined, false, "kept"},
				{"Indirect", "f", Called, false, "kept"},
				{"Sub", "Popcount", Gone, true, "the call to Popcount is gone: the loop body is empty"},
				{"Nested", "Popcount", Inlined, false, "kept"},
				{"Helper", "Popcount", Gone, true, "the call to Popcount is gone: the loop body is empty"},
				{"Parallel", "Popcount", Gone, true, "the call to Popcount is gone: the loop body is empty"},
			} {
				t.Run(tt.name, func(t *testing.T) {
					p, err := b.benchmark(work, tt.name)
					if err != nil {
						t.Fatal(err)
					}
					if *show {
						t.Logf("%+v\n%v", p, p)
					}
					if len(p.Loops) != 1 || !p.Loops[0].Found || len(p.Loops[0].Calls) != 1 {
						t.Fatalf("want one loop with one call: %+v", p)
					}
					l := p.Loops[0]
					if c := l.Calls[0]; c.Name != tt.call || c.Fate != tt.fate {
						t.Errorf("call %+v, want %s %s", c, tt.call, tt.fate)
					}
					if l.Empty() != tt.empty {
						t.Errorf("empty = %v (%d instructions), want %v", l.Empty(), l.Instructions, tt.empty)
					}
					if !strings.HasPrefix(p.String(), tt.words) {
						t.Errorf("in words %q, want %q…", p, tt.words)
					}
				})
			}
		})
	}
}

// TestMistakes names what makes a time too short although the work is there.
func TestMistakes(t *testing.T) {
	bin := build(t, "")
	for name, want := range map[string]string{"ResetInLoop": "resetplace", "NoLoop": "noloop", "Kept": "", "Dropped": ""} {
		p, err := BenchmarkWork(bin, work, name)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, m := range p.Mistakes {
			got += m.Check
		}
		if got != want {
			t.Errorf("%s: mistakes %+v, want %q", name, p.Mistakes, want)
		}
	}
}

func TestBenchmarkWorkErrors(t *testing.T) {
	bin := build(t, "")
	if _, err := BenchmarkWork(bin, work, "Missing"); err == nil || !strings.Contains(err.Error(), "no function example.test/work") {
		t.Errorf("missing benchmark: %v", err)
	}
	if _, err := BenchmarkWork(filepath.Join("testdata", "work", "work.go"), work, "Kept"); err == nil {
		t.Error("a source file is no test binary")
	}
	if _, err := BenchmarkWork(build(t, "", "-ldflags=-s -w"), work, "Kept"); !errors.Is(err, errNoDWARF) {
		t.Errorf("binary without DWARF: %v", err)
	}
}

// TestFormats reads binaries of other systems: Mach-O and PE.
func TestFormats(t *testing.T) {
	lab.Only(t, "compiles the standard library for two systems")
	for _, system := range []string{"darwin/arm64", "windows/amd64"} {
		t.Run(strings.ReplaceAll(system, "/", "-"), func(t *testing.T) {
			goos, goarch, _ := strings.Cut(system, "/")
			out := filepath.Join(t.TempDir(), "work.test")
			cmd := exec.Command("go", "test", "-c", "-o", out)
			cmd.Dir = filepath.Join("testdata", "work")
			cmd.Env = append(cmd.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
			if text, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %v\n%s", cmd, err, text)
			}
			p, err := BenchmarkWork(out, work, "Dropped")
			if err != nil {
				t.Fatal(err)
			}
			if want := "the call to Popcount is gone: the loop body is empty"; p.String() != want {
				t.Errorf("%q, want %q", p, want)
			}
		})
	}
}
