package selftest

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/lab"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
)

// TestComparison: a turn measures every benchmark of known truth, and judges
// them as one family, as tare compare does. All variants build and run.
func TestComparison(t *testing.T) {
	t.Setenv("GOFLAGS", "-mod=mod")
	dir := t.TempDir()
	if err := writeModule(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	of := target{pkg: "truth", bench: ".", packages: ".", dir: dir, work: dir}
	spec := of.comparison(session.Host{Tree: fstest.MapFS{}}, 1)
	if spec.Alpha != session.DefaultAlpha || spec.Delta != session.DefaultDelta || spec.BudgetSeconds != session.CompareBudget.Seconds() || spec.MaxBlocks != session.CompareBlocks || !spec.FuncOrders || spec.Bench != "." {
		t.Errorf("not what tare compare does by default: %+v", spec)
	}
	spec.MaxBlocks, spec.BlockSeconds, spec.BudgetSeconds = 1, 0.001, 3600
	for _, p := range pairs(3, 1) {
		t.Run(p.old+" "+p.new, func(t *testing.T) {
			var err error
			spec, benchmarks := spec, 24
			if p.stratum != result.Copies || !lab.Long { // each benchmark takes a second
				spec.Bench, benchmarks = "^Benchmark(Loop|Scan|Sum)$", 3
			}
			if spec.Variants, err = build.ParseAll(p.old, p.new); err != nil {
				t.Fatal(err)
			}
			run, err := session.Open(t.Context(), spec, session.Quiet{})
			if err != nil {
				t.Fatal(err)
			}
			defer run.Close()
			if err := run.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			rec := run.Recording()
			if len(rec.Benchmarks) != benchmarks || rec.Study.Family != benchmarks {
				t.Errorf("%d benchmarks in a family of %d, want %d", len(rec.Benchmarks), rec.Study.Family, benchmarks)
			}
			for _, b := range rec.Benchmarks {
				if len(b.Blocks) != 1 {
					t.Errorf("%s has %d blocks", b.Name, len(b.Blocks))
				}
			}
			if p.stratum == result.Copies {
				binary := filepath.Join(run.Folder(), session.KeptName("truth", 0))
				list, err := exec.Command(binary, "-test.list", ".").Output()
				if err != nil || bytes.Count(list, []byte("Benchmark")) != 24 {
					t.Errorf("want 24 benchmarks: %s, %v", list, err)
				}
				stock, longer := timeOf(t, binary, dir), timeOf(t, binary, dir, "TARE_LONGER=9")
				if ratio := longer / stock; ratio < 5 {
					t.Errorf("TARE_LONGER=9 made the time %.3g times as long, want 10", ratio)
				}
			}
			var sequential result.SelfTestSequential
			if lab.Long && p.stratum == result.Copies { // seconds of go test
				o := Options{Benchtime: time.Millisecond}
				if err := o.sequentialTurn(t.Context(), of, p, nil, run.Folder(), &sequential); err != nil || sequential.Comparisons != 24 {
					t.Errorf("%d comparisons of the sequential method, %v", sequential.Comparisons, err)
				}
			}
		})
	}
}

// timeOf is the least time per operation, in seconds, of three plain runs of a benchmark.
func timeOf(t *testing.T, binary, dir string, env ...string) float64 {
	t.Helper()
	cmd := exec.Command(binary, "-test.run=^$", "-test.bench=^BenchmarkLoop$", "-test.benchtime=200x", "-test.count=20") // the least of 20 short runs
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, times := range timesPerOp(string(out)) {
		return slices.Min(times)
	}
	t.Fatalf("no times in %s", out)
	return 0
}

// TestOwnTargets: the user's benchmarks are listed by full name, without those
// that are skipped or fail.
func TestOwnTargets(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module own\n\ngo 1.24\n",
		"own_test.go": `package own

import "testing"

func BenchmarkFlat(b *testing.B)   { for b.Loop() {} }
func BenchmarkSub(b *testing.B)    { b.Run("n=1", BenchmarkFlat); b.Run("a-b", BenchmarkFlat) }
func BenchmarkSkip(b *testing.B)   { b.Skip() }
func BenchmarkBroken(b *testing.B) { b.Fatal("broken") }
`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	targets, err := Options{Seed: 1, Packages: []string{"."}}.ownTargets(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, one := range targets {
		got = append(got, one.pkg+" "+one.bench)
	}
	slices.Sort(got)
	want := []string{"own ^BenchmarkFlat$", "own ^BenchmarkSub$/^a-b$", "own ^BenchmarkSub$/^n=1$"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A comparison that is interrupted has rows that were not reached, so none of
// its rows counts.
func TestInterruptedComparisonDoesNotCount(t *testing.T) {
	t.Setenv("GOFLAGS", "-mod=mod")
	dir := t.TempDir()
	if err := writeModule(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second) // 24 benchmarks take half a minute
	defer cancel()
	var truth result.SelfTestTruth
	o := Options{Host: session.Host{Tree: fstest.MapFS{}}}
	of := target{pkg: "truth", bench: ".", packages: ".", dir: dir, work: dir}
	err := o.comparePair(ctx, of, pairs(1, 0)[0], 1, &truth, new(result.SelfTestSequential))
	if ctx.Err() == nil {
		t.Fatalf("ended within 8 s: %v", err)
	}
	if truth.Comparisons != 0 || truth.Runs != 0 {
		t.Errorf("%d rows of %d runs count", truth.Comparisons, truth.Runs)
	}
}
