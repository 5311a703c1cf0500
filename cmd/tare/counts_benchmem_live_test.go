//go:build lab

package main

import (
	"math"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// benchmemLine is a benchmark line of go test -benchmem.
var benchmemLine = regexp.MustCompile(`(?m)^Benchmark(\S+?)(?:-\d+)?\s+\d+\s+([\d.]+) ns/op.*?\s(\d+) B/op\s+(\d+) allocs/op`)

// TestCountsOfBenchmem compares the counts of compare and of run, which measures
// time too, with go test -benchmem -benchtime 10000x, which prints whole numbers, on
// the benchmarks of functions of at most 100 µs of packages of the standard library:
//
//	COUNTS_PACKAGES="unicode/utf8 strconv" go test -tags lab ./cmd/tare -run TestCountsOfBenchmem -v
//
// COUNTS_DIR=CHECKOUT takes packages of the module in CHECKOUT instead.
//
// Both slopes rounded up or down equal its allocs/op, and B/op is within 1 byte or
// 0.1%; or the row is an interval, which shows that the count varies; or it
// reports how many bytes more go test can show, because the first call
// after a collection or the set-up allocates.
func TestCountsOfBenchmem(t *testing.T) {
	packages := strings.Fields(os.Getenv("COUNTS_PACKAGES"))
	if len(packages) == 0 {
		packages = []string{"unicode/utf8"}
	}
	tare := tareIn(t, map[string]string{})
	if dir := os.Getenv("COUNTS_DIR"); dir != "" {
		t.Chdir(dir)
		tare = tareAt(t, dir)
	}
	var c result.Comparison
	tare(&c, append([]string{"compare", "-units", "counts", "-measure-all", "-lock=off", "-json", ".", "."}, packages...)...)
	type key struct{ pkg, name, unit string }
	counted := make(map[key]result.BenchmarkComparison)
	for _, row := range c.Benchmarks {
		counted[key{row.Pkg, row.Name, row.Unit}] = row
	}
	var run result.Comparison
	tare(&run, append([]string{"run", "-budget", "1s", "-blocks", "1", "-lock=off", "-json"}, packages...)...)
	measured := make(map[key]result.BenchmarkComparison)
	for _, row := range run.Benchmarks {
		measured[key{row.Pkg, row.Name, row.Unit}] = row
	}
	first := make(map[string]float64) // B/op that the row reports as the most that go test adds
	for _, f := range c.Findings {
		if catalog.FirstCallAllocates.Is(f) || catalog.SetupAllocates.Is(f) {
			first[f.Subject], _ = f.Values["more"].(float64)
		}
	}
	agree, varies, reports, differ, unlike, lacks := 0, 0, 0, 0, 0, 0
	for _, pkg := range packages {
		// A first, short run names the functions whose benchmarks take at most 100 µs.
		slow := make(map[string]bool)
		for _, m := range benchmem(t, pkg, ".", "20x") {
			top, _, _ := strings.Cut(m[1], "/")
			ns, _ := strconv.ParseFloat(m[2], 64)
			slow[top] = slow[top] || ns > 100e3
		}
		var names []string
		for top := range slow {
			if !slow[top] {
				names = append(names, "Benchmark"+regexp.QuoteMeta(top))
			}
		}
		for _, m := range benchmem(t, pkg, "^("+strings.Join(names, "|")+")$", "10000x") {
			bytes, ok := counted[key{pkg, m[1], "B/op"}]
			allocs, also := counted[key{pkg, m[1], "allocs/op"}]
			if !ok || !also {
				lacks++
				t.Logf("%s %s is of go test alone", pkg, m[1])
				continue
			}
			wantBytes, _ := strconv.ParseFloat(m[3], 64)
			wantAllocs, _ := strconv.ParseFloat(m[4], 64)
			a := allocs.Old.Center
			timedBytes, timedAllocs := measured[key{pkg, m[1], "B/op"}], measured[key{pkg, m[1], "allocs/op"}]
			if b := timedBytes.New.Center; !agrees(timedAllocs.New.Center, math.Round(a), b, bytes.Old.Center) {
				log := t.Errorf
				if !bytes.Exact || !allocs.Exact || !timedBytes.Exact || !timedAllocs.Exact {
					log, unlike = t.Logf, unlike+1
				}
				log("%s %s: run %v allocs/op and %v B/op, compare %v and %v (exact: %t, %t)", pkg, m[1],
					timedAllocs.New.Center, b, a, bytes.Old.Center, timedBytes.Exact && timedAllocs.Exact, bytes.Exact && allocs.Exact)
			}
			switch {
			case agrees(a, wantAllocs, bytes.Old.Center, wantBytes):
				agree++
			case !bytes.Exact || !allocs.Exact:
				varies++
				t.Logf("%s %s varies: go test %v allocs/op and %v B/op, counted %v and %v", pkg, m[1], wantAllocs, wantBytes, a, bytes.Old.Center)
			case wantBytes > bytes.Old.Center && wantBytes <= bytes.Old.Center+first[m[1]]+1:
				reports++
				t.Logf("%s %s reports what go test adds: go test %v allocs/op and %v B/op, counted %v and %v", pkg, m[1], wantAllocs, wantBytes, a, bytes.Old.Center)
			default:
				differ++
				t.Errorf("%s %s: go test %v allocs/op and %v B/op, counted %v and %v exactly", pkg, m[1], wantAllocs, wantBytes, a, bytes.Old.Center)
			}
		}
	}
	t.Logf("%d agree, %d vary between processes, %d report what go test adds, %d differ, %d are of go test alone; in run, %d that vary are not as in compare", agree, varies, reports, differ, lacks, unlike)
}

// agrees reports whether counts agree with the whole numbers of go test.
func agrees(allocs, wantAllocs, bytes, wantBytes float64) bool {
	return (math.Floor(allocs) == wantAllocs || math.Ceil(allocs) == wantAllocs) && math.Abs(bytes-wantBytes) <= max(1, wantBytes/1000)
}

// benchmem runs benchmarks of a package once each.
func benchmem(t *testing.T, pkg, pattern, benchtime string) [][]string {
	t.Helper()
	out, err := exec.Command("go", "test", "-run=^$", "-bench", pattern, "-benchmem", "-benchtime", benchtime, pkg).CombinedOutput()
	if err != nil {
		t.Fatalf("go test %s: %v\n%s", pkg, err, out)
	}
	return benchmemLine.FindAllStringSubmatch(string(out), -1)
}
