//go:build lab

package selftest

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
)

// pairTruth is the change of a pair by interleaved runs of plain test binaries:
// logarithms of new/old, by the time that go test prints and by the CPU time of
// the process.
type pairTruth struct {
	Wall, CPU []float64
}

// pairCount counts the results of the comparisons of a pair.
type pairCount struct {
	comparisons, right, wrongSign, off, undecided int
	// meets counts the rows whose interval meets the interval of the truth.
	meets int
}

// mostOff is how far a decided ratio may be from the truth.
const mostOff = 0.03

var (
	pairRuns        = flag.Int("runs", 20, "plain runs of each side of a pair, of 0.2 s")
	pairComparisons = flag.Int("comparisons", 3, "comparisons of each pair, of 4 s")
	pairFirst       = flag.Int("first", 1, "seed of the first comparison: counts of several runs add up")
	keptPairs       = flag.String("truth", "", "file that keeps the plain runs")
)

// TestAllocatingPairs compares twelve pairs of allocating benchmarks. Their
// truth comes from interleaved runs of plain test binaries on the same CPU with
// the same GOMAXPROCS. It counts wrong signs and wrong ratios. The plain runs need
// a machine that does nothing else.
func TestAllocatingPairs(t *testing.T) {
	t.Setenv("GOFLAGS", "-mod=mod")
	const bench, benchtime, budget = ".", "200ms", 4 * time.Second
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/pairs")); err != nil {
		t.Fatal(err)
	}
	cpu := lastProcessor(t)
	truths := keptTruths(t, func() map[string]*pairTruth { return pairTruths(t, dir, bench, benchtime, cpu, *pairRuns) })
	counts := make(map[string]*pairCount)
	t.Logf("\n%s", pairsTable(truths, counts))
	for i := range *pairComparisons {
		comparePairs(t, dir, bench, budget, uint64(*pairFirst+i), truths, counts)
		if i%10 == 9 {
			t.Logf("\n%s", pairsTable(truths, counts))
		}
	}
	var page strings.Builder
	fmt.Fprintf(&page, "# Pairs that allocate\n\nTruth: %d interleaved runs a side of plain test binaries (`-test.benchtime=%s`) on one processor with GOMAXPROCS=1. Then %d comparisons of %v each: `go test -tags lab ./cmd/tare/internal/selftest -run AllocatingPairs -v -runs=%d -comparisons=%d -timeout 24h`.\n\n", *pairRuns, benchtime, *pairComparisons, budget, *pairRuns, *pairComparisons)
	page.WriteString(pairsTable(truths, counts))
	for _, name := range sortedKeys(truths) {
		truth, n := truths[name], counts[name]
		if n == nil {
			t.Errorf("%s was not compared", name)
			continue
		}
		if n.comparisons != *pairComparisons || n.wrongSign > 0 {
			t.Errorf("%s: truth %+.3f, %+v", name, stats.Center(truth.CPU), *n)
		}
	}
	t.Logf("\n%s", page.String())
}

// pairsTable is the truth of each pair and the results of its comparisons so
// far.
func pairsTable(truths map[string]*pairTruth, counts map[string]*pairCount) string {
	var table strings.Builder
	table.WriteString("| pair | truth, time | truth, processor time | comparisons | right | wrong sign | off by more than 3% | undecided | intervals meet |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, name := range sortedKeys(truths) {
		truth, n := truths[name], counts[name]
		if n == nil {
			n = &pairCount{}
		}
		fmt.Fprintf(&table, "| %s | %s | %s | %d | %d | %d | %d | %d | %d |\n", name, ofLogs(truth.Wall), ofLogs(truth.CPU), n.comparisons, n.right, n.wrongSign, n.off, n.undecided, n.meets)
	}
	return table.String()
}

func lastProcessor(t *testing.T) int {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		t.Skip(err)
	}
	last := 0
	for cpu := range 8 * len(set) * 8 {
		if set.IsSet(cpu) {
			last = cpu
		}
	}
	return last
}

// keptTruths reads the truths from the file of -truth, or measures them and
// writes it.
func keptTruths(t *testing.T, measure func() map[string]*pairTruth) map[string]*pairTruth {
	path := *keptPairs
	if path == "" {
		return measure()
	}
	data, err := os.ReadFile(path)
	var truths map[string]*pairTruth
	switch {
	case err == nil:
		if err := json.Unmarshal(data, &truths); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		return truths
	case !errors.Is(err, fs.ErrNotExist):
		t.Fatal(err)
	}
	truths = measure()
	if data, err = json.Marshal(truths); err == nil {
		err = os.WriteFile(path, data, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	return truths
}

// pairTruths runs the binaries of both variants in turn on one CPU, a benchmark
// at a time: the speed of a machine changes within seconds.
func pairTruths(t *testing.T, dir, bench, benchtime string, cpu, runs int) map[string]*pairTruth {
	var binaries [2]string
	for side, tags := range []string{"", "changed"} {
		binaries[side] = filepath.Join(t.TempDir(), "pairs.test")
		cmd := exec.CommandContext(t.Context(), "go", "test", "-c", "-tags="+tags, "-o", binaries[side], ".")
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	truths := make(map[string]*pairTruth)
	names, err := exec.CommandContext(t.Context(), binaries[0], "-test.list", bench).Output()
	if err != nil {
		t.Fatal(err)
	}
	for name := range strings.FieldsSeq(string(names)) {
		truth := &pairTruth{}
		truths[strings.TrimPrefix(name, "Benchmark")] = truth
		for run := range runs {
			var sides [2]plainTimes
			for turn := range 2 {
				side := (turn + run) % 2
				sides[side] = plainRun(t, binaries[side], dir, name, benchtime, cpu)
			}
			truth.Wall = append(truth.Wall, math.Log(sides[1].wall/sides[0].wall))
			truth.CPU = append(truth.CPU, math.Log(sides[1].cpu/sides[0].cpu))
		}
	}
	return truths
}

// plainTimes are ns/op and cpu-ns/op.
type plainTimes struct{ wall, cpu float64 }

// plainRun runs one benchmark of a plain test binary.
func plainRun(t *testing.T, binary, dir, name, benchtime string, cpu int) plainTimes {
	cmd := exec.CommandContext(t.Context(), binary, "-test.run=^$", "-test.bench=^"+name+"$", "-test.benchtime="+benchtime, "-test.cpu=1")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "PAIRS_CPU=1", "GOMAXPROCS=1")
	text, err := onProcessor(cpu, cmd)
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) < 6 || f[0] != name {
			continue
		}
		wall, err1 := strconv.ParseFloat(f[2], 64)
		used, err2 := strconv.ParseFloat(f[4], 64)
		if err1 == nil && err2 == nil && f[3] == "ns/op" && f[5] == "cpu-ns/op" && used > 0 {
			return plainTimes{wall, used}
		}
	}
	t.Fatalf("%s was not run: %s", name, text)
	return plainTimes{}
}

// onProcessor runs a command on one CPU.
func onProcessor(cpu int, cmd *exec.Cmd) (out []byte, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		var set unix.CPUSet
		set.Set(cpu)
		if err = unix.SchedSetaffinity(0, &set); err == nil {
			out, err = cmd.Output()
		}
	}()
	<-done
	return out, err
}

// comparePairs compares all pairs once.
func comparePairs(t *testing.T, dir, bench string, budget time.Duration, seed uint64, truths map[string]*pairTruth, counts map[string]*pairCount) {
	spec := comparison(dir, session.Host{Tree: os.DirFS("/")}, seed)
	spec.Bench, spec.Procs, spec.BudgetSeconds = bench, nil, budget.Seconds()
	var err error
	if spec.Variants, err = build.ParseAll(".", ".,tags=changed"); err != nil {
		t.Fatal(err)
	}
	for _, row := range compareRows(t, t.Context(), spec) {
		n := counts[row.Name]
		if n == nil {
			n = new(pairCount)
			counts[row.Name] = n
		}
		truth := truths[row.Name].Wall
		n.add(row, stats.Center(truth))
		if lo, hi, err := stats.CenterBounds(truth, 0.05); err == nil && math.Log(row.Change.Lo) <= hi && math.Log(row.Change.Hi) >= lo {
			n.meets++
		}
	}
}

// add judges a row by the truth, a logarithm.
func (n *pairCount) add(row result.BenchmarkComparison, truth float64) {
	n.comparisons++
	change := math.Log(row.Change.Ratio)
	switch {
	case row.Verdict == result.Faster && truth > 0, row.Verdict == result.Slower && truth < 0:
		n.wrongSign++
	case row.Verdict != result.Faster && row.Verdict != result.Slower && row.Verdict != result.Same:
		n.undecided++
	case math.Abs(change-truth) > math.Log1p(mostOff):
		n.off++
	default:
		n.right++
	}
}

// compareRows are the rows of time of one comparison.
func compareRows(t *testing.T, ctx context.Context, spec session.Spec) (rows []result.BenchmarkComparison) {
	run, err := session.Open(ctx, spec, session.Quiet{})
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(run.Folder())
	defer run.Close()
	if err := run.Run(ctx); err != nil {
		t.Fatal(err)
	}
	for _, row := range run.Comparison().Benchmarks {
		if row.Unit == "sec/op" {
			rows = append(rows, row)
		}
	}
	return rows
}

// ofLogs is the center of logarithms with its interval, in percent.
func ofLogs(logs []float64) string {
	text := fmt.Sprintf("%+.1f%%", 100*math.Expm1(stats.Center(logs)))
	if lo, hi, err := stats.CenterBounds(logs, 0.05); err == nil {
		text += fmt.Sprintf(" (%+.1f … %+.1f)", 100*math.Expm1(lo), 100*math.Expm1(hi))
	}
	return text
}

func sortedKeys[V any](m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// A verdict is counted by the truth: a sign, a ratio, or nothing said.
func TestPairCount(t *testing.T) {
	row := func(v result.Verdict, ratio float64) result.BenchmarkComparison {
		return result.BenchmarkComparison{Verdict: v, Change: result.Change{Ratio: ratio}}
	}
	var n pairCount
	for _, r := range []result.BenchmarkComparison{
		row(result.Slower, 1.10), row(result.Slower, 1.12), // right
		row(result.Slower, 1.20), row(result.Same, 1.0), // off
		row(result.Faster, 0.9),
		row(result.Undecided, 0.9),
	} {
		n.add(r, math.Log(1.1))
	}
	if want := (pairCount{comparisons: 6, right: 2, wrongSign: 1, off: 2, undecided: 1}); n != want {
		t.Errorf("%+v, want %+v", n, want)
	}
}
