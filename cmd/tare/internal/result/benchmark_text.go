package result

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/stats"
	"github.com/tarebench/tare/internal/unit"
)

// WriteBenchmarks writes a recording in the Go benchmark format
// (golang.org/design/14313-benchmark-format), one line per benchmark, variant
// and block, so that tools that count lines count blocks. A block with only
// counts has a line per process. A comparison has the configuration key
// "variant". Properties that differ between two studies of the same code (time,
// seed, directory) are omitted, because benchstat does not compare files in
// which they differ.
func WriteBenchmarks(w io.Writer, rec *Recording) error {
	bw := bufio.NewWriter(w)
	fmt.Fprintf(bw, "goos: %s\ngoarch: %s\n", runtime.GOOS, runtime.GOARCH)
	if rec.Study.Machine != nil && rec.Study.Machine.CPU.Model != "" {
		fmt.Fprintf(bw, "cpu: %s\n", oneLine(rec.Study.Machine.CPU.Model))
	}
	pkg := ""
	for v, variant := range rec.Study.Variants {
		if len(rec.Study.Variants) > 1 {
			fmt.Fprintf(bw, "variant: %s\n", oneLine(variant.Label))
		}
		for _, b := range rec.Benchmarks {
			counted, lines := countedSlopes(b, v), 0
			for _, k := range b.Blocks {
				blocks := []Block{k}
				if len(k.Timed()) == 0 {
					blocks = nil
					for _, p := range CountedProcesses(k.Counted()) {
						blocks = append(blocks, Block{Failed: k.Failed, Disturbed: k.Disturbed, Counting: p})
					}
				}
				for _, one := range blocks {
					line := benchmarkLine(b, v, one, counted, lines)
					if line == "" {
						continue
					}
					lines++
					if b.Pkg != pkg {
						fmt.Fprintf(bw, "pkg: %s\n", oneLine(b.Pkg))
						pkg = b.Pkg
					}
					bw.WriteString(line)
				}
			}
		}
	}
	if err := bw.Flush(); err != nil {
		return fmt.Errorf("write benchmark text: %w", err)
	}
	return nil
}

func countedSlopes(b Benchmark, variant int) (slopes []Slice) {
	for _, k := range b.Blocks {
		if !k.Good() {
			continue
		}
		for _, p := range CountedProcesses(k.Counted()) {
			for _, r := range Differences(p) {
				if variant < len(r.Slices) && r.Slices[variant].N > 0 {
					slopes = append(slopes, r.Slices[variant])
				}
			}
		}
	}
	return slopes
}

// benchmarkLine returns the median of a block's slices in each unit. If processes
// counted, the line has the allocations of one of them, as long as there are
// any. Equal counts are in every line.
func benchmarkLine(b Benchmark, variant int, k Block, counted []Slice, number int) string {
	if !k.Good() {
		return ""
	}
	var n, calls int64
	values := make(map[string][]float64)
	overrides := make(map[string][]float64) // of measured units, as go test prints them
	add := func(r Round, timed bool) {
		if r.Warmup || variant >= len(r.Slices) || r.Slices[variant].N == 0 {
			return
		}
		s := r.Slices[variant]
		for u, v := range s.Metrics {
			if !timed && OnlyShare(u) {
				continue
			}
			name, factor := unit.Printed(u)
			if slices.Contains([]string{"ns/op", "B/op", "allocs/op"}, name) {
				overrides[name] = append(overrides[name], v*factor)
				continue
			}
			values[name] = append(values[name], v*factor)
		}
		if calls += s.N; timed {
			n += s.N
			values["ns/op"] = append(values["ns/op"], 1e9*s.Seconds())
			if per := s.Seconds(); s.SetBytes > 0 && per > 0 {
				values["MB/s"] = append(values["MB/s"], 1e-6*float64(s.SetBytes)/per)
			}
		}
	}
	allocates := func(s Slice) {
		if s.Counted && s.N > 0 {
			allocs, bytes := s.PerOp()
			values["B/op"] = append(values["B/op"], max(0, bytes))
			values["allocs/op"] = append(values["allocs/op"], max(0, allocs))
		}
	}
	equal := !slices.ContainsFunc(counted, func(s Slice) bool {
		allocs, bytes := s.PerOp()
		firstAllocs, firstBytes := counted[0].PerOp()
		return allocs != firstAllocs || bytes != firstBytes
	})
	if len(counted) > 0 && (equal || number < len(counted)) {
		allocates(counted[number%len(counted)])
	}
	counting := k.Counted()
	for _, r := range k.Timed() {
		if len(counted) == 0 && !r.Warmup && variant < len(r.Slices) {
			allocates(r.Slices[variant])
		}
		add(r, true)
	}
	for _, r := range counting {
		add(r, false)
	}
	if n = cmp.Or(n, calls); n == 0 {
		return ""
	}
	maps.Copy(values, overrides)
	if v := values["ns/op"]; len(v) > 0 && stats.Median(v) == 0 && len(overrides["ns/op"]) > 0 {
		delete(values, "ns/op") // a report of 0 hides it
	}
	var line strings.Builder
	fmt.Fprintf(&line, "Benchmark%s", oneLine(b.Name))
	if b.Procs != 1 {
		fmt.Fprintf(&line, "-%d", b.Procs)
	}
	fmt.Fprintf(&line, "\t%d", n)
	units := slices.SortedFunc(maps.Keys(values), func(a, b string) int {
		return cmp.Or(cmp.Compare(unitRank(a), unitRank(b)), cmp.Compare(a, b))
	})
	for _, u := range units {
		if v := stats.Median(values[u]); !math.IsNaN(v) { // benchstat takes all memory for one
			fmt.Fprintf(&line, "\t%s %s", strconv.FormatFloat(v, 'g', 8, 64), u)
		}
	}
	line.WriteByte('\n')
	return line.String()
}

// oneLine keeps a name in its line: the format has no quotes.
func oneLine(name string) string { return strings.Join(strings.Fields(name), " ") }

func unitRank(u string) int {
	if i := slices.Index([]string{"ns/op", "MB/s", "B/op", "allocs/op"}, u); i >= 0 {
		return i
	}
	return 4
}
