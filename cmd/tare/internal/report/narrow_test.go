package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// TestNarrowTable: at 80 and 120 columns no line of a table wraps, and rows of
// different benchmarks have different names, however alike they are.
func TestNarrowTable(t *testing.T) {
	for _, width := range []int{80, 120} {
		t.Run(fmt.Sprint(width), func(t *testing.T) { narrowTable(t, width) })
	}
}

func narrowTable(t *testing.T, width int) {
	for _, shape := range []string{
		"CRC32/poly=Koopman/size=%d/align=0",
		"Decode/format=netstrings/compression=zstandard-level-19/goroutines=16/size=%d",
		"Decode%dWithAnUncommonlyLongNameThatHasNoSlashAndNoUnderscore",
		"Short%d",
	} {
		c := &result.Comparison{Alpha: 0.05, Delta: 0.02, Variants: []result.Variant{
			{Label: "results/monday/crc-old.txt", Files: []string{"results/monday/crc-old.txt"}},
			{Label: "results/tuesday/crc-new.txt", Files: []string{"results/tuesday/crc-new.txt"}},
		}}
		for i := range 12 {
			c.Benchmarks = append(c.Benchmarks, result.BenchmarkComparison{
				Key: result.Key{Pkg: "example.com/m", Name: fmt.Sprintf(shape, 10+i), Procs: 8}, Unit: "sec/op", NewVariant: 1, Verdict: result.Undecided,
				Old: result.Estimate{Center: 1.2e-6, Lo: 1.1e-6, Hi: 1.3e-6, N: 20}, New: result.Estimate{Center: 1.3e-6, Lo: 1.2e-6, Hi: 1.4e-6, N: 20},
				Change: result.Change{Ratio: 1.08, Lo: 0.98, Hi: 1.17}, Needed: 40, Tests: "own",
			})
		}
		var b strings.Builder
		if err := Text(&b, Document{Comparison: c}, Options{Width: width}); err != nil {
			t.Fatal(err)
		}
		names := make(map[string]bool)
		for line := range strings.Lines(b.String()) {
			if n := words.Columns(strings.TrimSuffix(line, "\n")); n > width && len(strings.Fields(line)) > 1 { // one name may be longer
				t.Errorf("%d columns: %s", n, line)
			}
			if strings.Contains(line, "µs") {
				names[strings.Fields(line)[0]] = true
			}
		}
		if len(names) != 12 {
			t.Errorf("%s: %d different names of 12:\n%s", shape, len(names), b.String())
		}
	}
}

// TestNarrowUnits: the name of a benchmark, and the labels of three variants, are
// not wider than the terminal either.
func TestNarrowUnits(t *testing.T) {
	for _, width := range []int{80, 120} {
		t.Run(fmt.Sprint(width), func(t *testing.T) { narrowUnits(t, width) })
	}
}

func narrowUnits(t *testing.T, width int) {
	c := &result.Comparison{Alpha: 0.05, Delta: 0.02}
	for _, label := range []string{"before-the-change-of-the-cache.txt", "candidate-number-one.txt", "candidate-number-two.txt"} {
		c.Variants = append(c.Variants, result.Variant{Label: "results/" + label, Files: []string{"results/" + label}})
	}
	for _, size := range []string{"1024", "65536"} {
		for variant := 1; variant < 3; variant++ {
			for _, u := range []string{"sec/op", "p50-sec/op", "p99.9-sec/op", "max-sec/op", "cpu-sec/op"} {
				c.Benchmarks = append(c.Benchmarks, result.BenchmarkComparison{
					Key: result.Key{Name: "GetFromCacheWithAVeryLongName/size=" + size + "/compression=zstandard/hit-rate=0.95", Procs: 8}, Unit: u, NewVariant: variant, Verdict: result.Slower,
					Old: result.Estimate{Center: 1.2e-6, Lo: 1.1e-6, Hi: 1.3e-6, N: 20}, New: result.Estimate{Center: 12345e-6, Lo: 12344e-6, Hi: 12346e-6, N: 20},
					Change: result.Change{Ratio: 10287.5, Lo: 9000.5, Hi: 11000.5},
				})
			}
		}
	}
	var b strings.Builder
	if err := Text(&b, Document{Comparison: c}, Options{Width: width}); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if n := words.Columns(strings.TrimSuffix(line, "\n")); n > width {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if n := strings.Count(b.String(), "slower ("); n != 2 || strings.Contains(b.String(), "slower: slower") {
		t.Errorf("%d lines about slower rows, want one of each pair:\n%s", n, b.String())
	}
}
