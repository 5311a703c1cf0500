//go:build lab

package instrument

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/overlay"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// long skips tests that rebuild the standard library and run valgrind.
func long(t *testing.T) {
	t.Helper()
	if f := CheckValgrind(context.Background(), Run); f != nil {
		t.Skip(f.String())
	}
}

// build makes a counting binary of the package in dir.
func build(t *testing.T, dir, pkg string) string {
	t.Helper()
	return buildWith(t, runtimeRoot(t), nil, dir, pkg)
}

// buildWith makes one with the toolchain in goroot. env makes the go command
// use it.
func buildWith(t *testing.T, goroot string, env []string, dir, pkg string) string {
	t.Helper()
	folder := t.TempDir()
	made, err := overlay.Counting(goroot, folder)
	if err != nil {
		t.Fatal(err)
	}
	j, err := json.Marshal(map[string]any{"Replace": made.Replace})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, "overlay.json")
	if err := os.WriteFile(file, j, 0o666); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(folder, "count.test")
	argv := []string{"test", "-c", "-tags", overlay.CountingTag, "-overlay", file, "-o", binary, pkg}
	cmd := exec.Command(filepath.Join(goroot, "bin", "go"), argv...)
	cmd.Dir, cmd.Env = dir, append(append(os.Environ(), "GOWORK=off"), env...) // go.work has no testdata
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", argv, err, out)
	}
	return binary
}

func runtimeRoot(t *testing.T) string {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func TestLiveCounts(t *testing.T) {
	long(t)
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("the expected counts are for linux/amd64")
	}
	binary := build(t, filepath.Join("testdata", "counted"), ".")
	counter := Counter{Exec: Run, Alpha: 0.01}
	count := func(name string) Instructions {
		t.Helper()
		begin := time.Now()
		got, err := counter.Instructions(t.Context(), Target{Binary: binary, Dir: t.TempDir(), Benchmark: name})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %.4f [%.4f, %.4f] instructions/op, n = %d and %d, %d runs, %.1f s, %v", name,
			got.PerOp.Center, got.PerOp.Lo, got.PerOp.Hi, got.Few, got.Many, got.Runs, time.Since(begin).Seconds(), got.Findings)
		return got
	}
	// The loop body of the counted function is the same in all of these.
	plain := count("Plain")
	for _, name := range []string{"Loop", "SetUp", "Sub/one"} {
		if got := count(name); math.Abs(got.PerOp.Center-plain.PerOp.Center) > 10 {
			t.Errorf("%s: %.2f instructions/op, Plain has %.2f: the loop around may cost a few", name, got.PerOp.Center, plain.PerOp.Center)
		}
	}
	// Paused work is 100 times the counted work, and must not show.
	if got := count("Paused"); math.Abs(got.PerOp.Center-plain.PerOp.Center) > 30 {
		t.Errorf("Paused: %.2f instructions/op, Plain has %.2f", got.PerOp.Center, plain.PerOp.Center)
	}
	longer := count("Longer")
	if d := longer.PerOp.Center / plain.PerOp.Center; math.Abs(d-1.01) > 0.001 {
		t.Errorf("Longer/Plain = %.4f, want about 1.01", d)
	}
	change := TopChanges(plain.Functions, longer.Functions, 3)
	named := slices.ContainsFunc(change, func(c result.FunctionChange) bool {
		return c.Name == "counted.work" && c.Line > 0 && filepath.Base(c.File) == "counted_test.go" && c.New > c.Old
	})
	if !named {
		t.Errorf("TopChanges = %+v, want counted.work of counted_test.go among them", change)
	}
	// One count of each variant finds one instruction in a thousand.
	before, after := count("Thousand"), count("ThousandAndOne")
	if c := before.PerOp.Center; c < 900 || c > 1100 {
		t.Errorf("Thousand: %.2f instructions/op, want about 1,000", c)
	}
	if d := after.PerOp.Center - before.PerOp.Center; math.Abs(d-1) > 0.2 {
		t.Errorf("ThousandAndOne has %.3f instructions/op more than Thousand, want 1", d)
	}
	// The difference exceeds the spread of two counts of the same code.
	if lo, hi := after.PerOp.Lo*(1-agreement), before.PerOp.Hi*(1+agreement); !(lo > hi) {
		t.Errorf("one instruction in %.0f more: from %.3f, and without it up to %.3f", before.PerOp.Center, lo, hi)
	}
	for _, name := range []string{"Alloc", "Fields", "Chan", "Parallel"} {
		if got := count(name); (got.PerOp.Hi-got.PerOp.Lo)/got.PerOp.Center > 1e-3 {
			t.Errorf("%s: spread %v", name, got.PerOp)
		}
	}
}

// TestToolchains counts with other Go versions: some whose runtime supports
// valgrind, and one that does not.
func TestToolchains(t *testing.T) {
	long(t)
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("the expected counts are for linux/amd64")
	}
	for _, version := range []string{"go1.24.9", "go1.25.3", "go1.26.1", "go1.27.1"} {
		t.Run(version, func(t *testing.T) {
			env := []string{"GOTOOLCHAIN=" + version}
			cmd := exec.Command("go", "env", "GOROOT")
			cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), env...)
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("fetch %s: %v", version, err)
			}
			// cmd/go refuses overlays in the module cache: reach it by a link.
			goroot := filepath.Join(t.TempDir(), version)
			if err := os.Symlink(strings.TrimSpace(string(out)), goroot); err != nil {
				t.Fatal(err)
			}
			env = []string{"GOROOT=" + goroot, "GOTOOLCHAIN=local", "PATH=" + filepath.Join(goroot, "bin") + ":" + os.Getenv("PATH")}
			if version == "go1.24.9" {
				_, err := overlay.Counting(goroot, t.TempDir())
				if err == nil || !strings.Contains(err.Error(), "counting needs Go 1.25 or newer") {
					t.Errorf("Overlay: %v", err)
				}
				return
			}
			binary := buildWith(t, goroot, env, filepath.Join("testdata", "counted"), ".")
			for _, name := range []string{"Plain", "Loop", "Paused", "Alloc"} {
				got, err := Counter{Exec: Run, Alpha: 0.01}.Instructions(t.Context(), Target{Binary: binary, Dir: t.TempDir(), Benchmark: name})
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%s: %.3f [%.3f, %.3f] instructions/op, %v", name, got.PerOp.Center, got.PerOp.Lo, got.PerOp.Hi, got.Findings)
				if name != "Alloc" && math.Abs(got.PerOp.Center-616) > 30 {
					t.Errorf("%s: %.2f instructions/op, want about 616", name, got.PerOp.Center)
				}
				for _, f := range got.Findings {
					if f.ID != "count-without-gc" {
						t.Errorf("%s: %v", name, f)
					}
				}
			}
		})
	}
}

// standard are ten benchmarks of the standard library, approximately from the
// smallest to the largest operation.
var standard = []struct {
	pkg, name string
	allocates bool
}{
	{"math/bits", "LeadingZeros", false},
	{"strconv", "AppendQuote", false},
	{"strconv", "Quote", true},
	{"hash/crc32", "CRC32/poly=IEEE/size=1kB/align=0", false},
	{"unicode/utf8", "RuneCountInStringTenJapaneseChars", false},
	{"bytes", "IndexByte/4K", false},
	{"strings", "Fields/ASCII/256", true},
	{"sort", "SortInt1K", false},
	{"encoding/base64", "EncodeToString", true},
	{"encoding/json", "UnmarshalMap", true},
}

// TestStandardLibraryCounts counts each twice, with a busy loop running, and
// reports the difference. The table of docs/results/counts.txt is its log.
func TestStandardLibraryCounts(t *testing.T) {
	long(t)
	var stop atomic.Bool
	defer stop.Store(true)
	go func() {
		for !stop.Load() {
		}
	}()
	var spent atomic.Int64
	counter := Counter{Alpha: 0.01, Exec: func(ctx context.Context, dir string, env []string, argv ...string) ([]byte, []byte, error) {
		cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		err := cmd.Run()
		if cmd.ProcessState != nil {
			spent.Add(int64(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()))
		}
		return out.Bytes(), errs.Bytes(), err
	}}
	built := map[string]string{}
	all := t // the binaries live as long as this test
	for _, b := range standard {
		t.Run(b.pkg+"."+b.name, func(t *testing.T) {
			if built[b.pkg] == "" {
				built[b.pkg] = build(all, ".", b.pkg)
			}
			target := Target{Binary: built[b.pkg], Dir: filepath.Join(runtimeRoot(t), "src", filepath.FromSlash(b.pkg)), Benchmark: b.name}
			begin := time.Now()
			spent.Store(0)
			first, err := counter.Instructions(t.Context(), target)
			if err != nil {
				t.Fatal(err)
			}
			took, cpu := time.Since(begin), time.Duration(spent.Load())
			second, err := counter.Instructions(t.Context(), target)
			if err != nil {
				t.Fatal(err)
			}
			apart := math.Abs(second.PerOp.Center/first.PerOp.Center - 1)
			limit := agreement
			if b.allocates {
				limit = allocatingAgreement
			}
			t.Logf("%12.3f %12.3f instructions/op, %.5f%% apart (limit %.2f%%); one count: %d runs, %.1f s, %.1f s of CPU time",
				first.PerOp.Center, second.PerOp.Center, 100*apart, 100*limit, first.Runs, took.Seconds(), cpu.Seconds())
			if apart > limit {
				t.Errorf("two counts are %.4f%% apart, want at most %.2f%%", 100*apart, 100*limit)
			}
		})
	}
}
