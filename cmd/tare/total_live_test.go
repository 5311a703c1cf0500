//go:build lab

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/lab/document"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/test/executable"
)

// sixty are 60 of the 762 benchmarks of three packages of the standard library,
// a row each: none has sub-benchmarks.
var sixty = map[string][]string{
	"strings": {"CountHard1", "IndexHard1", "LastIndexHard1", "SplitEmptySeparator", "SplitSeqSingleByteSeparator", "SplitSingleByteSeparator", "SplitMultiByteSeparator", "TrimByte",
		"ByteByteMap", "ByteByteMatch", "ByteByteReplaces", "ByteReplacerWriteString", "ByteStringMatch", "Clone", "GenericMatch1", "HTMLEscapeNew", "IndexRuneFastPath", "IndexRuneLongString", "IndexTorture", "LastIndex", "MapNoChanges", "ReplaceAll", "SingleMatch", "Trim", "GenericNoMatch", "CountTorture", "SingleLongSuffixFail", "ByteStringReplacerWriteString"},
	"bytes": {"CountHard1", "IndexHard1", "LastIndexHard1", "SplitEmptySeparator", "SplitSeqSingleByteSeparator", "SplitSingleByteSeparator", "SplitMultiByteSeparator", "TrimByte",
		"CompareBytesBig", "CompareBytesEmpty", "CompareBytesEqual", "BufferFullSmallReads", "BufferNotEmptyWriteRead", "ReadString", "WriteByte", "WriteRune", "CompareBytesSameLength", "BufferAppendNoCopy"},
	"sort": {"SearchWrappers", "SlicesIsSorted", "SortInt1K", "SortInt1K_Sorted", "SortInt1K_Reversed", "SortInt1K_Mod8", "SortString1K", "SortString1K_Slice", "StableInt1K", "StableString1K", "SortInt64K", "Sort1e2", "Stable1e2", "SlicesSortInts"},
}

// mostPerIteration is how long an iteration of a benchmark may take, in seconds,
// that is made 5% slower by more iterations: a slice has hundreds of them.
const mostPerIteration = 0.5e-6

// TestTotalFinds gates benchmarks of the standard library against themselves
// and against one of them 5% slower, with two busy loops on the machine, within
// a total: the gate must not fail where nothing is slower, and must find the
// row that is:
//
//	TOTAL_RUNS=20 TOTAL_ALL=5 go test -tags lab ./cmd/tare -run TestTotalFinds -v -timeout 6h
//
// makes 20 gates of each kind over 60 benchmarks with -total 5m -delta 3%, and
// then 5 over all benchmarks of the three packages, for how many are not reached.
// Both are 1 by default. TOTAL_BUSY is another number of busy loops. The counts
// of several runs of the test add up.
func TestTotalFinds(t *testing.T) {
	runs, overAll, loops, names, total := 1, 1, 2, sixty, 5*time.Minute
	for variable, n := range map[string]*int{"TOTAL_RUNS": &runs, "TOTAL_ALL": &overAll, "TOTAL_BUSY": &loops} {
		if i, err := strconv.Atoi(os.Getenv(variable)); err == nil {
			*n = i
		}
	}
	l := newTotalBench(t)
	for range loops {
		busy := exec.Command("sh", "-c", "while :; do :; done")
		if err := busy.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = busy.Process.Kill(); _ = busy.Wait() }()
	}
	var packages []string
	for pkg := range names {
		packages = append(packages, pkg)
	}
	slices.Sort(packages)
	candidates := l.injectable(names)
	falseAlarms, found, kept := 0, 0, 0
	for i := range runs {
		null, code, took := l.gate(total, names, packages, ".", ".,env=TARE_SIDE=new")
		if took <= total*11/10 {
			kept++
		}
		for _, row := range slower(null) {
			t.Logf("run %d: nothing changed, and %s is slower: %+v", i, row.Name, row.Change)
		}
		if code == exitFound {
			falseAlarms++
		}
		t.Logf("run %d: nothing changed: exit %d after %v, %s", i, code, took.Round(time.Second), counted(null.Summary))
		short := slices.DeleteFunc(slices.Clone(candidates), func(c [2]string) bool { return !takesAtMost(null, c, mostPerIteration) })
		if len(short) == 0 {
			t.Fatalf("run %d: no benchmark of less than %v s was measured", i, mostPerIteration)
		}
		c := short[rand.IntN(len(short))]
		changed, code, took := l.gate(total, names, packages, ".", ".,flags=-overlay="+l.inject(c))
		if took <= total*11/10 {
			kept++
		}
		hit := code == exitFound && slices.ContainsFunc(slower(changed), func(r result.BenchmarkComparison) bool { return isOf(r, c) })
		if hit {
			found++
		}
		t.Logf("run %d: %s.%s is 5%% slower: exit %d after %v, found %v, %s", i, c[0], c[1], code, took.Round(time.Second), hit, counted(changed.Summary))
		s := changed.Summary
		if n := s.Faster + s.Slower + s.Same + s.Undecided + s.NotReached; s.Failed > 0 || n == 0 {
			t.Errorf("run %d: %+v", i, s)
		}
	}
	t.Logf("%d runs: %d false regressions, %d of %d changes found, %d of %d within 10%% of the total", runs, falseAlarms, found, runs, kept, 2*runs)
	if falseAlarms > 0 || found < runs-1 || kept < 2*runs {
		t.Errorf("%d false regressions, %d found, %d in time", falseAlarms, found, kept)
	}
	for i := range overAll {
		all, code, took := l.gate(total, nil, packages, ".", ".,env=TARE_SIDE=new")
		t.Logf("all, run %d: exit %d after %v, %s", i, code, took.Round(time.Second), counted(all.Summary))
		if code == exitFound {
			t.Errorf("all benchmarks: %d false regressions", len(slower(all)))
		}
	}
}

func counted(s result.Summary) string {
	return fmt.Sprintf("%d same, %d faster, %d slower, %d undecided, %d not reached", s.Same, s.Faster, s.Slower, s.Undecided, s.NotReached)
}

// isOf reports whether a row is of a benchmark, given as package and name.
func isOf(r result.BenchmarkComparison, c [2]string) bool {
	top, _, _ := strings.Cut(r.Name, "/")
	return r.Pkg == c[0] && top == c[1]
}

// takesAtMost reports whether all rows of a benchmark were measured and take at
// most that time, in seconds, an operation.
func takesAtMost(c result.Comparison, bench [2]string, most float64) bool {
	rows := 0
	for _, r := range c.Benchmarks {
		if r.Unit != "sec/op" || !isOf(r, bench) {
			continue
		}
		if !(r.Old.Center <= most) {
			return false
		}
		rows++
	}
	return rows > 0
}

// totalBench is a module from which packages of the standard library are
// measured.
type totalBench struct {
	t         *testing.T
	tare, dir string
	goroot    string
}

func newTotalBench(t *testing.T) *totalBench {
	t.Helper()
	root := t.TempDir()
	l := &totalBench{t: t, tare: executable.Build(t, executable.Tare), dir: filepath.Join(root, "m")}
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	l.goroot = strings.TrimSpace(string(out))
	if err := os.Mkdir(l.dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(l.dir, "go.mod"), []byte("module example.org/m\n\ngo 1.26\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return l
}

func slower(c result.Comparison) []result.BenchmarkComparison {
	return slices.DeleteFunc(slices.Clone(c.Benchmarks), func(r result.BenchmarkComparison) bool { return r.Unit != "sec/op" || r.Verdict != result.Slower })
}

// gate runs tare as a gate and returns its exit status. Where half of the total
// did not suffice to build a package there is no table, and tare says so.
func (l *totalBench) gate(total time.Duration, names map[string][]string, packages []string, old, new string) (c result.Comparison, code int, took time.Duration) {
	l.t.Helper()
	args := []string{"compare", "-json", "-gate", "-total", total.String(), "-delta", "3%", "-measure-all", "-lock=off"}
	if names != nil {
		var all []string
		for _, list := range names {
			for _, name := range list {
				all = append(all, "Benchmark"+name)
			}
		}
		slices.Sort(all)
		args = append(args, "-bench", "^("+strings.Join(slices.Compact(all), "|")+")$")
	}
	cmd := exec.Command(l.tare, append(append(args, old, new), packages...)...)
	cmd.Dir = l.dir
	var stderr strings.Builder
	cmd.Stderr = &stderr
	began := time.Now()
	out, err := cmd.Output()
	took = time.Since(began)
	if jerr := document.Read(out, &c); jerr != nil && !strings.Contains(stderr.String(), "not reached") {
		l.t.Fatalf("tare %v: %v, %v\n%s", args, err, jerr, stderr.String())
	}
	return c, cmd.ProcessState.ExitCode(), took
}

// loopOfN is the head of a loop over b.N.
var loopOfN = regexp.MustCompile(`i := 0; i < b\.N; i\+\+|range b\.N\b`)

// injectable are the packages and names of benchmarks whose loop over b.N can be
// made longer.
func (l *totalBench) injectable(names map[string][]string) (all [][2]string) {
	for pkg, list := range names {
		for _, name := range list {
			if _, text, at := l.source(pkg, name); text != "" && loopOfN.MatchString(text[at:]) {
				all = append(all, [2]string{pkg, name})
			}
		}
	}
	slices.SortFunc(all, func(a, b [2]string) int { return strings.Compare(a[0]+a[1], b[0]+b[1]) })
	if len(all) == 0 {
		l.t.Fatal("no benchmark can be changed")
	}
	return all
}

// source is the file of a benchmark, cut after its function, and where that
// begins.
func (l *totalBench) source(pkg, name string) (file, text string, at int) {
	files, _ := filepath.Glob(filepath.Join(l.goroot, "src", pkg, "*_test.go"))
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			l.t.Fatal(err)
		}
		text := string(data)
		if at := strings.Index(text, "\nfunc Benchmark"+name+"(b *testing.B)"); at >= 0 {
			end := at + 1 + strings.Index(text[at+1:], "\n}\n")
			return file, text[:end], at
		}
	}
	return "", "", 0
}

// inject writes an overlay in which the loop of a benchmark is 5% longer.
func (l *totalBench) inject(c [2]string) string {
	file, text, at := l.source(c[0], c[1])
	data, err := os.ReadFile(file)
	if err != nil {
		l.t.Fatal(err)
	}
	body := loopOfN.ReplaceAllStringFunc(text[at:], func(loop string) string {
		return strings.Replace(loop, "b.N", "(b.N+b.N/20)", 1)
	})
	changed := filepath.Join(l.t.TempDir(), "changed_test.go")
	if err := os.WriteFile(changed, []byte(text[:at]+body+string(data[len(text):])), 0o666); err != nil {
		l.t.Fatal(err)
	}
	overlay := filepath.Join(filepath.Dir(changed), "overlay.json")
	if err := os.WriteFile(overlay, fmt.Appendf(nil, `{"Replace": {%q: %q}}`, file, changed), 0o666); err != nil {
		l.t.Fatal(err)
	}
	return overlay
}
