//go:build lab

package modules

import (
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/lab/document"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
)

// levels are 25 benchmarks of the standard library: arithmetic, text, maps,
// allocation, parallel work, and channels.
var levels = []struct{ pkg, bench string }{
	{"unicode/utf8", "^Benchmark(ValidLongJapanese|RuneCountTenASCIIChars|DecodeJapaneseRune)$"},
	{"internal/strconv", "^Benchmark(Atof64Decimal|Atof32Decimal)$"},
	{"sort", "^Benchmark(SortInt1K|StableString1K)$"},
	{"strings", "^Benchmark(IndexRune|LastIndexHard1|ByteByteReplaces|HTMLEscapeNew)$"},
	{"fmt", "^Benchmark(SprintfInt|SprintfString|ScanInts)$"},
	{"encoding/json", "^Benchmark(EncoderEncode|UnmarshalInt64|NumberIsValid)$"},
	{"container/heap", "^BenchmarkDup$"},
	{"regexp", "^Benchmark(Literal|MatchParallelShared)$"},
	{"runtime", "^Benchmark(ChanUncontended|ChanSync|ConvT2ELarge)$"},
	{"sync", "^Benchmark(MutexUncontended|Pool)$"},
}

// mostApart is the maximum distance of the level of run from the level of go
// test.
const mostApart = 0.03

// TestLevel measures benchmarks of the standard library alternately with tare
// run and with plain test binaries. Both use the CPUs that tare run chose and
// the same GOMAXPROCS. It logs the ratio of their sec/op, and the ratio of the
// first quartiles of slices and of plain runs of 20 ms. If the clock speed
// changes between two runs by a tenth or more, only the fast ones can be
// compared.
//
//	go test -tags lab ./cmd/tare/internal/lab/modules -run TestLevel -v -timeout 60m
func TestLevel(t *testing.T) {
	dir := t.TempDir()
	tare := filepath.Join(dir, "tare")
	command(t, root, nil, "go", "build", "-o", tare, "./cmd/tare")
	command(t, dir, nil, "go", "mod", "init", "example.org/level")
	env := []string{"NO_COLOR=1", "TARE_LOCK=" + filepath.Join(dir, "lock")}
	const rounds = 5
	var page strings.Builder
	page.WriteString("| benchmark | CPUs | go test -bench | tare run | ratio | of the quick quarter | what the row says |\n|---|---|--:|--:|--:|--:|---|\n")
	all, apart := 0, 0
	for _, l := range levels {
		binary := filepath.Join(dir, "plain.test")
		command(t, dir, nil, "go", "test", "-c", "-o", binary, l.pkg)
		src := strings.TrimSpace(command(t, dir, nil, "go", "list", "-f", "{{.Dir}}", l.pkg))
		logs, quick, plain := make(map[string][]float64), make(map[string][]float64), make(map[string][]float64)
		last := make(map[string]result.BenchmarkComparison)
		for range rounds {
			var doc result.Comparison
			if err := document.Read([]byte(command(t, dir, env, tare, "run", "-json", "-budget", "1s", "-bench", l.bench, l.pkg)), &doc); err != nil {
				t.Fatal(err)
			}
			for _, row := range doc.Benchmarks {
				if row.Unit != "sec/op" {
					continue
				}
				all := plainSeconds(t, src, binary, row)
				name, seconds := l.pkg+"."+row.Name, mean(all)
				logs[name], plain[name], last[name] = append(logs[name], math.Log(row.New.Center/seconds)), append(plain[name], seconds), row
				quick[name] = append(quick[name], math.Log(row.Quantiles["p25"]/stats.Quantile(all, 0.25)))
			}
		}
		for name, of := range logs {
			ratio, quarter, row, says := math.Expm1(stats.Median(of)), math.Expm1(stats.Median(quick[name])), last[name], ""
			for _, w := range row.Findings {
				says += w.ID + " "
			}
			all++
			if math.Abs(quarter) > mostApart {
				apart++
			}
			line := fmt.Sprintf("| %s | %s | %.4g ns | %.4g ns | %+.1f%% | %+.1f%% | %s |", name, row.CPUs, 1e9*stats.Median(plain[name]), 1e9*stats.Median(plain[name])*(1+ratio), 100*ratio, 100*quarter, says)
			t.Log(line)
			page.WriteString(line + "\n")
		}
	}
	t.Logf("%d of %d are more than %.0f%% apart\n%s", apart, all, 100*mostApart, page.String())
}

// plainSeconds is the sec/op of a benchmark in runs of a plain test binary, on
// the CPUs and with the GOMAXPROCS of a row of tare run.
func plainSeconds(t *testing.T, src, binary string, row result.BenchmarkComparison) []float64 {
	t.Helper()
	cpus := row.CPUs
	if cpus == "" || cpus == "all" {
		cpus = "0-" + strconv.Itoa(runtime.NumCPU()-1)
	}
	parts := strings.Split(strings.TrimPrefix(row.Name, "Benchmark"), "/")
	for i, p := range parts {
		parts[i] = "^" + p + "$"
	}
	parts[0] = "^Benchmark" + strings.TrimPrefix(parts[0], "^")
	env := []string{"GOMAXPROCS=" + strconv.Itoa(runtime.GOMAXPROCS(0))}
	text := command(t, src, env, "taskset", "-c", cpus, binary, "-test.run=^$", "-test.bench="+strings.Join(parts, "/"), "-test.benchtime=20ms", "-test.count=30")
	var all []float64
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); len(f) >= 4 && f[3] == "ns/op" {
			ns, err := strconv.ParseFloat(f[2], 64)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, ns/1e9)
		}
	}
	if len(all) == 0 {
		t.Fatalf("no figure of %s: %s", row.Name, text)
	}
	return all
}

func mean(all []float64) (sum float64) {
	for _, v := range all {
		sum += v / float64(len(all))
	}
	return sum
}
