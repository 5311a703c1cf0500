package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tarebench/tare/internal/report/words"
	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/stats"
)

// SelfTestText writes a self-test as a table.
func SelfTestText(w io.Writer, t *result.SelfTest) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%-12s %11s %14s %14s %12s %16s %18s %14s\n",
		"true change", "comparisons", "right", "wrong", "same", "interval covers", "seconds (median)", "blocks (median)")
	for _, r := range t.Truths {
		name := selfTestName(r)
		fmt.Fprintf(&b, "%-12s %11d %14s %14s %12s %16s %18s %14s\n", name, r.Comparisons,
			countShare(r.Right, r.Comparisons), countShare(r.Wrong, r.Comparisons), countShare(r.Same, r.Comparisons), countShare(r.Covered, r.Intervals),
			medianText(r.Seconds, 1), medianText(asFloats(r.Blocks), -1))
	}
	for _, r := range t.Truths {
		var open []string
		for _, name := range slices.Sorted(maps.Keys(r.Benchmarks)) {
			if c := r.Benchmarks[name]; c.Right < c.Comparisons {
				open = append(open, fmt.Sprintf("%s %d of %d", name, c.Right, c.Comparisons))
			}
		}
		if len(open) > 0 {
			fmt.Fprintf(&b, "\nright at %s, all but: %s", selfTestName(r), strings.Join(open, ", "))
		}
	}
	b.WriteByte('\n')
	if c := t.Sequential; c.Comparisons > 0 {
		fmt.Fprintf(&b, "\nThe sequential method (10 × 20 ms, all old then all new, Mann-Whitney at 0.05), for comparison:\n"+
			"none         %11d %14s %14s %30s %18.1f\n", c.Comparisons, countShare(c.Comparisons-c.Wrong, c.Comparisons), countShare(c.Wrong, c.Comparisons), "",
			c.Seconds/float64(c.Comparisons))
	}
	b.WriteString("\nmoved: no change in the benchmark, but the two binaries differ in other code, and so in their layout\n")
	fmt.Fprintf(&b, "wrong: a difference claimed where there is none, or in the wrong direction; α = %g, δ = %g%%, seed %d, %.0f s in all\n",
		t.Alpha, 100*t.Delta, t.Seed, t.Seconds)
	if t.Incomplete {
		b.WriteString("interrupted: these are the comparisons made so far\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// SelfTestProgress is the line about one kind of comparison while a self-test
// runs.
func SelfTestProgress(t result.SelfTestTruth, left time.Duration) string {
	line := fmt.Sprintf("true change %s: %s, %d right, %d wrong", selfTestName(t), words.Plural(t.Comparisons, "comparison"), t.Right, t.Wrong)
	if left > 0 {
		line += "; about " + shortDuration(left) + " left"
	}
	return line
}

func selfTestName(t result.SelfTestTruth) string {
	switch {
	case t.Moved:
		return "none, moved"
	case t.Change == 0:
		return "none"
	}
	return fmt.Sprintf("%+.1f%%", 100*t.Change)
}

func countShare(k, n int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf("%d (%.1f%%)", k, 100*float64(k)/float64(n))
}

// medianText is the median of what comparisons took, "-" of none.
func medianText(x []float64, digits int) string {
	if len(x) == 0 {
		return "-"
	}
	return strconv.FormatFloat(stats.Median(x), 'f', digits, 64)
}

func asFloats(x []int) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = float64(v)
	}
	return out
}
