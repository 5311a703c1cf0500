package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// TestNarrowTable: at 80 columns no line of a table wraps, and rows of different
// benchmarks have different names, however alike they are.
func TestNarrowTable(t *testing.T) {
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
		if err := Text(&b, Document{Comparison: c}, Options{Width: 80}); err != nil {
			t.Fatal(err)
		}
		names := make(map[string]bool)
		for line := range strings.Lines(b.String()) {
			if n := words.Columns(strings.TrimSuffix(line, "\n")); n > 80 && len(strings.Fields(line)) > 1 { // one name may be longer
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
