//go:build lab

package modules

import (
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/lab/busy"
	"github.com/tarebench/tare/cmd/tare/internal/lab/document"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
)

// The tests of this file compare operations beside -busy processes that never
// sleep, each in its own scheduling group. Each prints one summary line.

var busyChanges = flag.Int("busy-changes", 40, "changes of TestBusyLarge")

// operations are kinds of work, with the nanoseconds that one unit takes about.
var operations = []struct {
	name string
	unit float64
	code string
}{
	{"Chain", 4, "x = x*6364136223846793005 + 1442695040888963407"},
	{"Sort", 220, "s := ints; slices.Sort(s[:]); x += uint64(s[0])"},
	{"Map", 30, "x = table[x&1023]*2862933555777941757 + x + 1"},
	{"Allocate", 140, "keep = make([]byte, 256); x += uint64(len(keep))"},
	{"CRC", 40, "x += uint64(crc32.ChecksumIEEE(text))"},
	{"SHA", 175, "h := sha256.Sum256(text[:64]); x += uint64(h[0])"},
	{"Chase", 120, "x = uint64(next[x&(1<<20-1)])"},
	{"Builder", 105, "var b strings.Builder; for i := range 10 { b.WriteString(strconv.Itoa(i)) }; x += uint64(b.Len())"},
	{"JSON", 190, "j, _ := json.Marshal(struct{ A, B int }{1, 2}); x += uint64(len(j))"},
	{"Copy", 23, "copy(other, text); x += uint64(other[5])"},
	{"Sine", 35, "f = math.Sin(f) + 1; x++"},
	{"Matrix", 700, "for i := range 8 { for j := range 8 { for k := range 8 { c[i][j] += a[i][k] * a[k][j] } } }; x++"},
}

// operation is a benchmark whose new side does new units of work for old ones.
type operation struct {
	name     string
	kind     int
	old, new int
}

// ofLength is an operation that takes about so long, and ratio times as long in
// the new side.
func ofLength(kind int, nanoseconds, ratio float64) operation {
	old := max(1, int(nanoseconds/operations[kind].unit))
	return operation{
		name: fmt.Sprintf("%s%d", operations[kind].name, old),
		kind: kind, old: old, new: max(1, int(math.Round(float64(old)*ratio))),
	}
}

const workFile = `package work

import ("crypto/sha256"; "encoding/json"; "hash/crc32"; "math"; "slices"; "strconv"; "strings"; "testing")

var (
	x = uint64(1)
	f = 1.0
	keep, text, other = []byte(nil), []byte(strings.Repeat("tare", 256)), make([]byte, 1024)
	table = make(map[uint64]uint64)
	next = make([]uint32, 1<<20)
	ints [20]int
	a, c [8][8]float64
)

var _ testing.B
var _, _, _, _, _, _ = sha256.Sum256, json.Marshal, crc32.ChecksumIEEE, math.Sin, slices.Sort[[]int], strconv.Itoa

func init() {
	for i := range 1024 { table[uint64(i)] = uint64(i) * 7919 }
	for i := range next { next[i] = uint32(i*40503+12345) & (1<<20 - 1) }
	for i := range ints { ints[i] = i * 7919 % 101 }
}
`

// writeWork writes a module of these benchmarks. The tag new selects the new side.
func writeWork(t *testing.T, all []operation) (dir string) {
	dir = t.TempDir()
	var code, old, new strings.Builder
	code.WriteString(workFile)
	old.WriteString("//go:build !new\n\npackage work\n\n")
	new.WriteString("//go:build new\n\npackage work\n\n")
	for _, o := range all {
		fmt.Fprintf(&code, "\nfunc Benchmark%s(b *testing.B) { for range b.N { for range units%s { %s } } }\n", o.name, o.name, operations[o.kind].code)
		fmt.Fprintf(&old, "var units%s = %d\n", o.name, o.old)
		fmt.Fprintf(&new, "var units%s = %d\n", o.name, o.new)
	}
	for name, text := range map[string]string{
		"go.mod": "module example.org/work\n\ngo 1.26\n", "work.go": "package work\n",
		"work_test.go": code.String(), "old_test.go": old.String(), "new_test.go": new.String(),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// beside runs tare beside the busy processes, and returns its document.
func beside(t *testing.T, dir string, env []string, tare string, to any, args ...string) {
	t.Helper()
	stop, err := busy.Keep(t.Context(), *busyProcesses, busy.Groups(*busyGroups))
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	out := filepath.Join(t.TempDir(), "out.json")
	words := command(t, dir, env, tare, append(args, "-json", "-o", out)...)
	if text, err := os.ReadFile(out); err != nil || document.Read(text, to) != nil {
		t.Fatalf("no document: %v\n%s", err, words)
	}
}

// times are the rows of time of a comparison.
func times(c result.Comparison) (rows []result.BenchmarkComparison) {
	for _, r := range c.Benchmarks {
		if r.Unit == "sec/op" {
			rows = append(rows, r)
		}
	}
	return rows
}

func describe(t *testing.T, r result.BenchmarkComparison) {
	t.Logf("%-16s %9.3g s %+9.2f%% (%+.2f to %+.2f) %-9s %d blocks %.1f s", r.Name, r.Old.Center, 100*r.Change.Ratio-100, 100*r.Change.Lo-100, 100*r.Change.Hi-100, r.Verdict, r.Blocks, r.Seconds)
}

// TestBusyEqual compares 160 benchmarks of std with themselves.
func TestBusyEqual(t *testing.T) {
	tare, env := buildTare(t)
	var c result.Comparison
	beside(t, writeWork(t, nil), env, tare, &c, "compare", "-measure-all", "-delta", "2%", ".", ".", "unicode/utf8", "internal/strconv")
	count, widths, missed := make(map[result.Verdict]int), []float64(nil), 0
	for _, r := range times(c) {
		count[r.Verdict]++
		if r.Change.Hi > 0 && !math.IsInf(r.Change.Hi, 0) {
			widths = append(widths, (r.Change.Hi-r.Change.Lo)/2)
		}
		if r.Change.Lo > 1 || r.Change.Hi < 1 {
			missed++
		}
		if r.Verdict != result.Same {
			describe(t, r)
		}
	}
	t.Logf("%v, %d intervals miss 0, median half-width %.2f%%, beside %d processes; load %s", count, missed, 100*stats.Median(widths), *busyProcesses, load())
}

// TestBusyLong compares 12 operations of 1 ms and 12 of 100 ms with 3% more work.
func TestBusyLong(t *testing.T) {
	var all []operation
	for kind := range operations {
		all = append(all, ofLength(kind, 1e6, 1.03), ofLength(kind, 1e8, 1.03))
	}
	tare, env := buildTare(t)
	var c result.Comparison
	beside(t, writeWork(t, all), env, tare, &c, "compare", "-delta", "1.5%", ".", ".,tags=new")
	found, wrong, covered := 0, 0, 0
	for _, r := range times(c) {
		describe(t, r)
		switch r.Verdict {
		case result.Slower:
			found++
		case result.Faster:
			wrong++
		}
		if r.Change.Lo <= 1.03 && r.Change.Hi >= 1.03 {
			covered++
		}
	}
	t.Logf("+3%% of 1 and 100 ms: found %d of %d, wrong signs %d, %d intervals contain it, beside %d processes; load %s", found, len(all), wrong, covered, *busyProcesses, load())
}

// TestBusyLarge compares -busy-changes operations of 200 ns to 10 ms that take 0.002 to 5
// times as long, with their CPU time in runs of the kept binaries.
func TestBusyLarge(t *testing.T) {
	const shortest, longest = 200, 1e7
	var all []operation
	for i := range *busyChanges {
		ratio := 0.002 * math.Pow(2500, float64(i)/float64(*busyChanges-1))
		least, most := shortest/min(1, ratio), longest/max(1, ratio)
		all = append(all, ofLength(i%len(operations), least*math.Pow(most/least, float64(i*7%11)/10), ratio))
	}
	tare, env := buildTare(t)
	dir := writeWork(t, all)
	var c result.Comparison
	beside(t, dir, env, tare, &c, "compare", ".", ".,tags=new")
	folders, err := filepath.Glob(filepath.Join(dir, ".tare", "*", "result.jsonl"))
	if err != nil || len(folders) != 1 {
		t.Fatalf("%d recordings, %v", len(folders), err)
	}
	overlap, covered, near, decided := 0, 0, 0, 0
	for _, r := range times(c) {
		lo, ratio, hi := cpuRatio(t, filepath.Dir(folders[0]), r)
		describe(t, r)
		t.Logf("%-16s CPU time %+9.2f%% (%+.2f to %+.2f)", r.Name, 100*ratio-100, 100*lo-100, 100*hi-100)
		if r.Change.Lo <= hi && lo <= r.Change.Hi {
			overlap++
		}
		off := math.Log(ratio / r.Change.Ratio)
		far, known := math.Log(r.Change.Hi/r.Change.Ratio), math.Log(ratio/lo)
		if off < 0 {
			far, known = math.Log(r.Change.Ratio/r.Change.Lo), math.Log(hi/ratio)
		}
		if math.Abs(off) <= math.Hypot(far, known) { // the truth is measured too
			covered++
		}
		if math.Abs(off) < 0.03 {
			near++
		}
		if r.Verdict != result.Undecided {
			decided++
		}
	}
	t.Logf("×0.002 to ×5: of %d, %d intervals contain the CPU time within the errors of both, %d overlap its interval, %d sizes within 3%%, %d decided, beside %d processes; load %s", len(all), covered, overlap, near, decided, *busyProcesses, load())
}

// cpuRatio is new over old CPU time of an operation, in interleaved plain runs of
// the kept binaries, less that of runs of one iteration: the median of nine pairs
// with its interval of 96%.
func cpuRatio(t *testing.T, folder string, r result.BenchmarkComparison) (lo, ratio, hi float64) {
	t.Helper()
	used := func(side, n int) float64 {
		cmd := exec.CommandContext(t.Context(), filepath.Join(folder, session.KeptName(r.Pkg, side)), "-test.run=^$", "-test.bench=^Benchmark"+r.Name+"$", fmt.Sprintf("-test.benchtime=%dx", n))
		cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", r.Name, err, out)
		}
		return (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	}
	var ratios []float64
	for range 9 {
		var perOp [2]float64
		for side, level := range []float64{r.Old.Center, r.New.Center} {
			n := 2 + int(0.1/max(level, 1e-9))
			perOp[side] = (used(side, n) - used(side, 1)) / float64(n) // after the first iteration, n more
		}
		ratios = append(ratios, perOp[1]/perOp[0])
	}
	slices.Sort(ratios)
	return ratios[1], ratios[4], ratios[7]
}

// TestBusyLevels measures 25 benchmarks of std, whose levels are good at rest, again
// at rest and beside 4, 16 and 64 processes: levels within 3%, or marked.
func TestBusyLevels(t *testing.T) {
	const rows = 25
	tare, env := buildTare(t)
	dir := writeWork(t, nil)
	levels := func(n int, pattern string) (of map[string]result.BenchmarkComparison, names []string) {
		all := *busyProcesses
		*busyProcesses = n
		defer func() { *busyProcesses = all }()
		var run result.Comparison
		beside(t, dir, env, tare, &run, "run", "-bench", pattern, "strings", "sort", "unicode/utf8", "encoding/hex", "internal/strconv")
		of = make(map[string]result.BenchmarkComparison)
		for _, m := range run.Benchmarks {
			if m.Unit == "sec/op" && m.New.Center > 0 {
				of[m.Name] = m
				names = append(names, m.Name)
			}
		}
		return of, names
	}
	rest, names := levels(0, "SortInt1K|SortString1K|SearchWrappers|Index(Byte|Rune|Hard1)$|CountHard1|EqualFold/ASCII|Fields/|Trim/|Builder|RuneCount|AppendRune|DecodeASCIIRune|FormatInt|FormatUint|Atof64|Atoi|Encode/|Dump")
	names = slices.DeleteFunc(names, func(name string) bool { return rest[name].Band != "good" })
	names = names[:min(rows, len(names))]
	patterns := make([]string, len(names))
	for i, name := range names {
		elements := strings.Split(name, "/")
		for j, e := range elements {
			elements[j] = "^" + regexp.QuoteMeta(e) + "$"
		}
		elements[0] = "^Benchmark" + elements[0][1:]
		patterns[i] = strings.Join(elements, "/")
	}
	for _, processes := range []int{0, 4, 16, 64} {
		loaded, _ := levels(processes, strings.Join(patterns, "|"))
		within, marked, off := 0, 0, 0.0
		for _, name := range names {
			m := loaded[name]
			ratio := m.New.Center / rest[name].New.Center
			t.Logf("%-50s %9.3g s, beside %d ×%.3f %s", name, rest[name].New.Center, processes, ratio, m.Band)
			switch {
			case math.Abs(math.Log(ratio)) <= math.Log(1.03):
				within++
			case m.Band == "good" || m.Band == "fair":
				off = max(off, math.Abs(math.Log(ratio)))
			default:
				marked++
			}
		}
		t.Logf("levels: %d of %d within 3%%, %d marked, the others off by at most ×%.2f, beside %d processes; load %s", within, len(names), marked, math.Exp(off), processes, load())
	}
}
