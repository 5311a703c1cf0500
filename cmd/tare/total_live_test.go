package main

import (
	"encoding/json"
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

	"github.com/tarebench/tare/internal/result"
)

// sixty are 60 benchmarks of the standard library.
var sixty = map[string][]string{
	"strings": {"BuildString_Builder", "BuildString_WriteString", "ByteByteReplaces", "ByteReplacerWriteString", "CompareStrings", "ContainsAny", "Count", "CountByte",
		"EqualFold", "Fields", "FieldsFunc", "IndexByte", "IndexHard1", "IndexPeriodic", "IndexRune", "Join", "LastIndexHard1", "Map", "Repeat", "SplitSingleByteSeparator",
		"ToLower", "ToUpper", "ToValidUTF8", "TrimSpace"},
	"bytes": {"BytesCompare", "CompareBytesBig", "CompareBytesEmpty", "ContainsAny", "Count", "Equal", "EqualFold", "Fields", "FieldsFunc", "Index", "IndexByte", "IndexHard1",
		"IndexPeriodic", "IndexRune", "Join", "LastIndexHard1", "Map", "Repeat", "ReadString", "SplitSingleByteSeparator", "ToLower", "ToUpper", "TrimSpace", "WriteByte"},
	"sort": {"SortInt1K", "SortInt1K_Sorted", "SortInt1K_Reversed", "SortInt64K", "SortString1K", "StableInt1K", "StableString1K", "SearchWrappers", "SortWrappers",
		"StableInt1K_Slice", "SortInt1K_SlicesSort", "StableStrings"},
}

// TestTotalFinds compares benchmarks of the standard library with themselves
// and with one of them 5% slower, with busy loops on the machine, within a
// total: a gate that says that nothing is slower must never be wrong, and one
// slower row must be found:
//
//	TARE_LONG=1 TOTAL_RUNS=20 go test ./cmd/tare -run TestTotalFinds -v -timeout 6h
//
// makes 20 comparisons of each kind of 60 benchmarks with -total 5m -delta 3% (3.5
// hours), then measures all benchmarks of a few packages once, for how many are
// not reached. TOTAL_RUNS is 1 by default.
func TestTotalFinds(t *testing.T) {
	if os.Getenv("TARE_LONG") == "" {
		t.Skip("TARE_LONG=1 compares 60 benchmarks of the standard library within -total 5m, for a quarter of an hour")
	}
	runs, names, total := 1, sixty, 5*time.Minute
	if n, err := strconv.Atoi(os.Getenv("TOTAL_RUNS")); err == nil {
		runs = n
	}
	l := newTotalBench(t)
	for range 2 {
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
		null, took := l.compare(total, names, packages, ".", ".,env=TARE_SIDE=new")
		if took <= total*11/10 {
			kept++
		}
		for _, row := range slower(null) {
			t.Logf("run %d: nothing changed, and %s is slower: %+v", i, row.Name, row.Change)
			falseAlarms++
		}
		c := candidates[rand.IntN(len(candidates))]
		changed, took := l.compare(total, names, packages, ".", ".,flags=-overlay="+l.inject(c))
		if took <= total*11/10 {
			kept++
		}
		hit := slices.ContainsFunc(slower(changed), func(r result.BenchmarkComparison) bool {
			top, _, _ := strings.Cut(r.Name, "/")
			return r.Pkg == c[0] && top == c[1]
		})
		if hit {
			found++
		}
		t.Logf("run %d: %d and %d rows, %d and %d not reached; %s.%s is 5%% slower: found %v", i, len(null.Benchmarks), len(changed.Benchmarks),
			null.Summary.NotReached, changed.Summary.NotReached, c[0], c[1], hit)
		s := changed.Summary
		if n := s.Faster + s.Slower + s.Same + s.Undecided + s.NotReached; s.Failed > 0 || n == 0 {
			t.Errorf("run %d: %+v", i, s)
		}
	}
	t.Logf("%d runs: %d false regressions, %d of %d changes found, %d of %d within 10%% of the total", runs, falseAlarms, found, runs, kept, 2*runs)
	if falseAlarms > 0 || found < runs-1 || kept < 2*runs {
		t.Errorf("%d false regressions, %d found, %d in time", falseAlarms, found, kept)
	}
	all, took := l.compare(total, nil, []string{"strings", "bytes", "sort", "strconv", "unicode/utf8", "bufio", "container/heap", "encoding/...", "math/...", "slices", "maps", "fmt", "regexp"}, ".", ".,env=TARE_SIDE=new")
	t.Logf("all %d benchmarks: %+v in %v", all.Summary.NotReached+all.Summary.Undecided+all.Summary.Same+all.Summary.Slower+all.Summary.Faster, all.Summary, took)
	if n := len(slower(all)); n > 0 {
		t.Errorf("all benchmarks: %d false regressions", n)
	}
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
	l := &totalBench{t: t, tare: filepath.Join(root, "tare"), dir: filepath.Join(root, "m")}
	if out, err := exec.Command("go", "build", "-o", l.tare, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
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

// compare runs tare; with -total, whatever it finds is no failure of the test.
// Where half of the total did not suffice to build a package there is no table,
// and tare says so.
func (l *totalBench) compare(total time.Duration, names map[string][]string, packages []string, old, new string) (c result.Comparison, took time.Duration) {
	l.t.Helper()
	args := []string{"compare", "-json", "-total", total.String(), "-delta", "3%", "-measure-all", "-lock=off"}
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
	if jerr := json.Unmarshal(out, &c); jerr != nil && !strings.Contains(stderr.String(), "not reached") {
		l.t.Fatalf("tare %v: %v, %v\n%s", args, err, jerr, stderr.String())
	}
	return c, took
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
