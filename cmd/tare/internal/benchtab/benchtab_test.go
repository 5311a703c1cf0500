package benchtab

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
)

var usual = Options{Alpha: 0.05, Confidence: 0.95, Delta: 0.02}

type fataler interface {
	Helper()
	Fatal(...any)
}

// tablesOf reads texts as the files a, b, c…
func tablesOf(t fataler, o Options, texts ...string) *Tables {
	t.Helper()
	var files []*File
	for i, text := range texts {
		name := string(rune('a' + i))
		f, err := read(strings.NewReader(text), Input{Label: name, Path: name})
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	tables, err := Files(files, o)
	if err != nil {
		t.Fatal(err)
	}
	return tables
}

func comparisonOf(t fataler, o Options, texts ...string) *result.Comparison {
	t.Helper()
	return tablesOf(t, o, texts...).Comparison()
}

// lines writes a result line of name for every value.
func lines(name, unit string, values ...float64) string {
	var b strings.Builder
	for _, v := range values {
		fmt.Fprintf(&b, "Benchmark%s 1 %v %s\n", name, v, unit)
	}
	return b.String()
}

func noisy(seed uint64, n int, center, sd float64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 1))
	out := make([]float64, n)
	for i := range out {
		out[i] = center * math.Exp(sd*rng.NormFloat64())
	}
	return out
}

func distinctIDs(lists ...[]finding.Finding) []string {
	var out []string
	for _, l := range lists {
		for _, f := range l {
			if !slices.Contains(out, f.ID) {
				out = append(out, f.ID)
			}
		}
	}
	slices.Sort(out)
	return out
}

func allIDs(c *result.Comparison) []string {
	lists := [][]finding.Finding{c.Findings}
	for _, b := range c.Benchmarks {
		lists = append(lists, b.Findings)
	}
	return distinctIDs(lists...)
}

// eight returns the minimum number of runs for an exact count.
func eight(v float64) string { return lines("X", "allocs/op", v, v, v, v, v, v, v, v) }

func TestFileVerdicts(t *testing.T) {
	up := []float64{100, 101, 102, 103, 104, 105, 106}
	high := []float64{120, 121, 122, 123, 124, 125, 126}
	tight := []float64{100.1, 100.2, 100.3, 100.4, 100.5, 100.6, 100.7, 100.8}
	for _, c := range []struct {
		name     string
		old, new string
		want     result.Verdict
		exact    bool
		finding  string
	}{
		{"slower", lines("X", "ns/op", up...), lines("X", "ns/op", high...), result.Slower, false, "sequential-blocks"},
		{"faster", lines("X", "ns/op", high...), lines("X", "ns/op", up...), result.Faster, false, "smallest-change"},
		{"more throughput is faster", lines("X", "MB/s", up...), lines("X", "MB/s", high...), result.Faster, false, ""},
		{"more of a custom unit is a change", lines("X", "widgets", up...), lines("X", "widgets", high...), result.Different, false, ""},
		{"more of a custom time is slower", lines("X", "p99-ms", up...), lines("X", "p99-ms", high...), result.Slower, false, ""},
		{"better=higher", "Unit widgets better=higher\n" + lines("X", "widgets", up...), lines("X", "widgets", high...), result.Faster, false, ""},
		{"better=lower on a rate", "Unit drops/s better=lower\n" + lines("X", "drops/s", up...), lines("X", "drops/s", high...), result.Slower, false, ""},
		{"same", lines("X", "ns/op", tight...), lines("X", "ns/op", tight...), result.Same, false, ""},
		{"one run each", lines("X", "ns/op", 100), lines("X", "ns/op", 200), result.Undecided, false, "too-few-runs"},
		{"three runs each", lines("X", "ns/op", 1, 2, 3), lines("X", "ns/op", 4, 5, 6), result.Undecided, false, "too-few-runs"},
		{"five runs: a verdict, no interval of the median", lines("X", "ns/op", 1, 2, 3, 4, 5), lines("X", "ns/op", 11, 12, 13, 14, 15), result.Slower, false, "no-median-interval"},
		{"allocations, exactly fewer", eight(5), eight(4), result.Faster, true, ""},
		{"allocations, identical", eight(5), eight(5), result.Same, true, ""},
		{"allocations from zero", eight(0), eight(1), result.Slower, true, ""},
		{"five runs of each are fewer, not exactly", lines("X", "allocs/op", 5, 5, 5, 5, 5), lines("X", "allocs/op", 4, 4, 4, 4, 4), result.Faster, false, ""},
		{"five runs of each are the same, not exactly", lines("X", "allocs/op", 5, 5, 5, 5, 5), lines("X", "allocs/op", 5, 5, 5, 5, 5), result.Same, false, ""},
		{"three constant counts prove nothing", lines("X", "allocs/op", 5, 5, 5), lines("X", "allocs/op", 4, 4), result.Undecided, false, "too-few-runs"},
		{"one count each proves nothing", lines("X", "allocs/op", 5), lines("X", "allocs/op", 4), result.Undecided, false, "too-few-runs"},
		{"declared exact: one is enough", "Unit bytes assume=exact\n" + lines("X", "bytes", 5), lines("X", "bytes", 4), result.Faster, true, ""},
		{"declared exact, more is better", "Unit score assume=exact better=higher\n" + lines("X", "score", 5), lines("X", "score", 4), result.Slower, true, ""},
		{"declared exact, but varies", "Unit bytes assume=exact\n" + lines("X", "bytes", 5, 6), lines("X", "bytes", 4), result.Undecided, false, "not-exact"},
		{"times that read the same", lines("X", "ns/op", 5, 5, 5, 5, 5, 5), lines("X", "ns/op", 5, 5, 5, 5, 5, 5), result.Same, false, "all-equal"},
		{"a time of nought", lines("X", "ns/op", 0, 1, 2, 3, 1, 2), lines("X", "ns/op", 5, 6, 7, 5, 6, 7), result.Slower, false, "not-positive"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := comparisonOf(t, usual, c.old, c.new)
			if len(got.Benchmarks) != 1 {
				t.Fatalf("%d rows, want 1", len(got.Benchmarks))
			}
			b := got.Benchmarks[0]
			if b.Verdict != c.want || b.Exact != c.exact {
				t.Errorf("verdict %s exact %v, want %s %v: %+v", b.Verdict, b.Exact, c.want, c.exact, b)
			}
			if c.finding != "" && !slices.Contains(allIDs(got), c.finding) {
				t.Errorf("findings %v, want %s", allIDs(got), c.finding)
			}
			if b.Exact && len(b.Findings) != 0 {
				t.Errorf("an exact change has findings %v", b.Findings)
			}
		})
	}
}

// TestVerdictAndIntervalAgree: a row that is called different has an interval
// without "no change", and a row that is called the same has one inside delta.
func TestVerdictAndIntervalAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(rapid.Float64Range(95, 105), rapid.Map(rapid.IntRange(97, 103), func(i int) float64 { return float64(i) }))
		old := rapid.SliceOfN(value, 1, 15).Draw(t, "old")
		new := rapid.SliceOfN(value, 1, 15).Draw(t, "new")
		c := comparisonOf(t, usual, lines("X", "ns/op", old...), lines("X", "ns/op", new...))
		b := c.Benchmarks[0]
		lo, hi := b.Change.Lo, b.Change.Hi
		switch b.Verdict {
		case result.Faster:
			if !(hi < 1) || *b.P > 0.05 {
				t.Fatalf("faster with [%v, %v], p = %v", lo, hi, *b.P)
			}
		case result.Slower:
			if !(lo > 1) || *b.P > 0.05 {
				t.Fatalf("slower with [%v, %v], p = %v", lo, hi, *b.P)
			}
		case result.Same:
			// Two one-sided tests at 5% each: the interval at 90% decides. The
			// shown interval at 95% is wider.
			decides := usual
			decides.Alpha = 0.10
			same := comparisonOf(t, decides, lines("X", "ns/op", old...), lines("X", "ns/op", new...)).Benchmarks[0].Change
			if !(same.Lo >= 1/1.02-1e-12 && same.Hi <= 1.02+1e-12) || math.IsNaN(lo) || math.IsNaN(hi) {
				t.Fatalf("same with [%v, %v], at 90%% [%v, %v]", lo, hi, same.Lo, same.Hi)
			}
		}
		// Swapped files give the opposite words.
		s := comparisonOf(t, usual, lines("X", "ns/op", new...), lines("X", "ns/op", old...)).Benchmarks[0]
		turned := map[result.Verdict]result.Verdict{result.Faster: result.Slower, result.Slower: result.Faster, result.Same: result.Same, result.Undecided: result.Undecided}
		if s.Verdict != turned[b.Verdict] || math.Abs(*s.P-*b.P) > 1e-12 || math.Abs(s.Change.Ratio*b.Change.Ratio-1) > 1e-12 {
			t.Fatalf("swapped: %s p = %v ratio %v; was %s p = %v ratio %v", s.Verdict, *s.P, s.Change.Ratio, b.Verdict, *b.P, b.Change.Ratio)
		}
		// Another clock unit gives the same shares.
		scaled := func(x []float64) []float64 {
			out := make([]float64, len(x))
			for i, v := range x {
				out[i] = v * 1024
			}
			return out
		}
		k := comparisonOf(t, usual, lines("X", "ns/op", scaled(old)...), lines("X", "ns/op", scaled(new)...)).Benchmarks[0]
		if k.Verdict != b.Verdict || *k.P != *b.P || math.Abs(k.Change.Ratio-b.Change.Ratio) > 1e-9 {
			t.Fatalf("scaled: %+v, was %+v", k, b)
		}
		// A stricter alpha never finds more.
		strict := usual
		strict.Alpha = rapid.Float64Range(0.001, 0.049).Draw(t, "alpha")
		a := comparisonOf(t, strict, lines("X", "ns/op", old...), lines("X", "ns/op", new...)).Benchmarks[0]
		if (a.Verdict == result.Faster || a.Verdict == result.Slower) && a.Verdict != b.Verdict {
			t.Fatalf("at alpha %v %s, at 0.05 %s", strict.Alpha, a.Verdict, b.Verdict)
		}
	})
}

// TestOrderOfLines: shuffling the lines of a variant changes only what is said
// about their order.
func TestOrderOfLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := strings.SplitAfter(strings.TrimSuffix(
			lines("X", "ns/op", noisy(rapid.Uint64().Draw(t, "seed"), 12, 100, .05)...)+lines("Y", "ns/op", noisy(9, 12, 50, .01)...), "\n"), "\n")
		all[len(all)-1] += "\n"
		other := lines("X", "ns/op", noisy(3, 12, 101, .05)...) + lines("Y", "ns/op", noisy(4, 12, 60, .01)...)
		first := lines("X", "ns/op", 100) + lines("Y", "ns/op", 50) // keeps the order of rows
		shuffled := rapid.Permutation(all).Draw(t, "order")
		encode := func(text string) string {
			c := comparisonOf(t, usual, first+text, other)
			c.Findings = slices.DeleteFunc(c.Findings, func(f finding.Finding) bool { return f.ID == "drift" || f.ID == "autocorrelation" })
			for i := range c.Benchmarks {
				c.Benchmarks[i].PAssumes = ""
			}
			b, err := json.Marshal(c)
			if err != nil {
				t.Fatal(err)
			}
			return string(b)
		}
		if a, b := encode(strings.Join(all, "")), encode(strings.Join(shuffled, "")); a != b {
			t.Fatalf("shuffled lines:\n%s", cmp.Diff(a, b))
		}
	})
}

// TestTablesAdjust: a p-value that is small for one row is not for a hundred.
func TestTablesAdjust(t *testing.T) {
	var old, new strings.Builder
	for i := range 100 {
		name := fmt.Sprintf("N%d", i)
		old.WriteString(lines(name, "ns/op", noisy(uint64(i), 10, 100, .05)...))
		new.WriteString(lines(name, "ns/op", noisy(uint64(5000+7*i), 10, 100, .05)...))
	}
	c := comparisonOf(t, usual, old.String(), new.String())
	small, claimed := 0, 0
	for _, b := range c.Benchmarks {
		if *b.P <= 0.05 {
			small++
			if b.Verdict == result.Undecided && !slices.Contains(distinctIDs(b.Findings), "not-after-adjustment") {
				t.Errorf("%s: p = %v is taken back without a word", b.Name, *b.P)
			}
		}
		if *b.PHolm < *b.P {
			t.Errorf("%s: p %v, Holm %v", b.Name, *b.P, *b.PHolm)
		}
		if b.Verdict == result.Faster || b.Verdict == result.Slower {
			claimed++
		}
	}
	if small == 0 || claimed != 0 {
		t.Errorf("%d of 100 unchanged rows have p ≤ 0.05 and %d are called different, want some and none", small, claimed)
	}
}

func TestFileFindings(t *testing.T) {
	a := lines("X", "ns/op", noisy(1, 10, 100, .02)...)
	b := lines("X", "ns/op", noisy(2, 10, 100, .02)...)
	for _, c := range []struct {
		name, old, new string
		options        Options
		want, not      string
	}{
		{"commit", "commit: 1\n" + a, "commit: 2\n" + b, usual, "config-differs", "one-side-only"},
		{"machines", "cpu: One\n" + a, "cpu: Two\n" + b, usual, "different-machines", ""},
		{"one machine is not named", "cpu: One\n" + a, b, usual, "config-differs", "different-machines"},
		{"Go versions", "go: 1.25\n" + a, "go: 1.26\n" + b, usual, "different-go", ""},
		{"one Go version", "go: 1.26\n" + a, "go: 1.26\n" + b, usual, "smallest-change", "different-go"},
		{"packages are never mixed", "pkg: p\n" + a, "pkg: q\n" + b, usual, "one-side-only", "config-differs"},
		{"asked to keep apart", "commit: 1\n" + a, "commit: 2\n" + b, Options{Table: ".config", Alpha: .05, Confidence: .95, Delta: .02}, "one-side-only", "config-differs"},
		{"mixed rows", "BenchmarkX/a 1 1 ns/op\nBenchmarkX/b 1 2 ns/op\n", "BenchmarkX/a 1 1 ns/op\n", Options{Row: ".name", Alpha: .05, Confidence: .95, Delta: .02}, "mixed-results", ""},
		{"contradiction", "Unit u better=higher\n" + a, "Unit u better=lower\n" + b, usual, "unit-contradiction", ""},
		{"malformed", "BenchmarkX oops\n" + a, b, usual, "malformed-line", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := allIDs(comparisonOf(t, c.options, c.old, c.new))
			if !slices.Contains(got, c.want) || c.not != "" && slices.Contains(got, c.not) {
				t.Errorf("findings %v, want %s and not %s", got, c.want, c.not)
			}
		})
	}
}

// TestInterleavedColumns: variants that alternate in one file are not reported
// as taken one after the other.
func TestInterleavedColumns(t *testing.T) {
	o := usual
	o.Col = "/side"
	var alternating, sequential strings.Builder
	for i, v := range noisy(1, 10, 100, .02) {
		alternating.WriteString(lines("X/side=a", "ns/op", v) + lines("X/side=b", "ns/op", v+float64(i%3)))
	}
	sequential.WriteString(lines("X/side=a", "ns/op", noisy(1, 10, 100, .02)...) + lines("X/side=b", "ns/op", noisy(2, 10, 100, .02)...))
	if got := allIDs(comparisonOf(t, o, alternating.String())); slices.Contains(got, "sequential-blocks") {
		t.Errorf("alternating sides: %v", got)
	}
	if got := allIDs(comparisonOf(t, o, sequential.String())); !slices.Contains(got, "sequential-blocks") {
		t.Errorf("one side after the other: %v", got)
	}
}

func TestColumnsAgainstFirstAndPrevious(t *testing.T) {
	text := func(c float64) string { return lines("X", "ns/op", noisy(uint64(c), 8, c, .001)...) }
	pairs := func(o Options) string {
		var b strings.Builder
		for _, r := range comparisonOf(t, o, text(100), text(200), text(300)).Benchmarks {
			fmt.Fprintf(&b, "%d-%d %.1f ", r.OldVariant, r.NewVariant, r.Change.Ratio)
		}
		return b.String()
	}
	if got, want := pairs(usual), "0-1 2.0 0-2 3.0 "; got != want {
		t.Errorf("against the first: %s, want %s", got, want)
	}
	previous := usual
	previous.Previous = true
	if got, want := pairs(previous), "0-1 2.0 1-2 1.5 "; got != want {
		t.Errorf("against the previous: %s, want %s", got, want)
	}
}

func TestKeysOfRows(t *testing.T) {
	c := comparisonOf(t, usual, "pkg: p/q\nBenchmarkX/n=1-16 1 1 ns/op\nBenchmarkA-b 1 2 ns/op\n", "pkg: p/q\nBenchmarkX/n=1-16 1 1 ns/op\nBenchmarkA-b 1 2 ns/op\n")
	var got []result.Key
	for _, b := range c.Benchmarks {
		got = append(got, b.Key)
		if b.Row != "" {
			t.Errorf("row label %q beside a key that is enough", b.Row)
		}
	}
	want := []result.Key{{Pkg: "p/q", Name: "X/n=1", Procs: 16}, {Pkg: "p/q", Name: "A-b", Procs: 1}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestRunOfOneFile(t *testing.T) {
	tables := tablesOf(t, usual, "goos: linux\npkg: p\n"+lines("X", "ns/op", 100, 101, 102, 103, 104, 105, 106)+lines("X", "allocs/op", 2, 2))
	if !tables.Comparison().IsRun() {
		t.Fatal("one file is not single")
	}
	r := tables.Comparison()
	if len(r.Benchmarks) != 2 || r.Config["goos"] != "linux" {
		t.Fatalf("%+v", r)
	}
	x, allocs := r.Benchmarks[0], r.Benchmarks[1]
	if math.Abs(x.New.Center-103e-9) > 1e-15 || x.New.N != 7 || x.Band != "good" || x.Exact {
		t.Errorf("sec/op: %+v", x)
	}
	if !allocs.Exact || allocs.New.Center != 2 {
		t.Errorf("allocs/op: %+v", allocs)
	}
}

// TestGeoMean: by hand, over the rows with two positive values.
func TestGeoMean(t *testing.T) {
	rows := func(a, b float64) string {
		return lines("A", "x", a, a) + lines("B", "x", b, b) + lines("C", "x", 0, 0)
	}
	g := comparisonOf(t, usual, rows(1, 10), rows(4, 10)).GeoMeans
	if len(g) != 1 || g[0].N != 2 || math.Abs(g[0].Change.Ratio-2) > 1e-12 || math.Abs(g[0].Old-math.Sqrt(10)) > 1e-12 {
		t.Errorf("%+v, want a ratio of 2 over 2 rows", g)
	}
}

// FuzzFiles arranges every input that can be read.
func FuzzFiles(f *testing.F) {
	f.Add([]byte("BenchmarkX 1 5 ns/op 0 B/op\nBenchmarkX 1 6 ns/op\n"), []byte("a: b\nBenchmarkX-4 1 -5 ns/op\n"), ".fullname", ".file")
	f.Add([]byte("Unit x assume=exact\nBenchmarkX/a=b 1 5 x\n"), []byte("BenchmarkX/a=c 1 1e300 x\n"), ".name", "/a")
	f.Fuzz(func(t *testing.T, a, b []byte, row, col string) {
		fa, err := read(bytes.NewReader(a), Input{Label: "a", Path: "a"})
		if err != nil || fa.Recording != nil {
			return
		}
		fb, err := read(bytes.NewReader(b), Input{Label: "b", Path: "b"})
		if err != nil || fb.Recording != nil {
			return
		}
		o := usual
		o.Row, o.Col = row, col
		tables, err := Files([]*File{fa, fb}, o)
		if err != nil {
			return
		}
		c := tables.Comparison()
		if _, err := json.Marshal(c); err != nil {
			t.Fatal(err)
		}
		for _, b := range c.Benchmarks {
			if b.P != nil && !(*b.P > 0 && *b.P <= 1) {
				t.Fatalf("p = %v in %+v", *b.P, b)
			}
		}
	})
}

// TestManyKeys: a configuration for each result does not take memory that grows with
// the square of the results, and keys of each have a bound.
func TestManyKeys(t *testing.T) {
	text := func(n, keys int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "key%d: v%d\nBenchmarkA 1 %[2]d ns/op\n", i%keys, i)
		}
		return b.String()
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if got := tablesOf(t, Options{}, text(2000, 50)); len(got.Tables) != 2000 {
		t.Errorf("%d tables", len(got.Tables))
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 200<<20 {
		t.Errorf("allocated %d MiB", used>>20)
	}
	const want = "in.txt: line 1026: 513 configurations of 513 keys are more than 262144 settings: split the file"
	if _, err := read(strings.NewReader(text(1500, 1500)), Input{"a", "in.txt"}); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
}
