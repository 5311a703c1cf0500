package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// SelfTestText writes a self-test as a table, with tare and with the usual
// method.
func SelfTestText(w io.Writer, t *result.SelfTest) error {
	var b strings.Builder
	if len(t.Packages) > 0 {
		words.Fprintf(&b, "%s of %s, %.0f s\n\n", words.Plural(t.Benchmarks, "benchmark"), strings.Join(t.Packages, " "), t.Seconds)
	}
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "true change\tmethod\tcomparisons\tright\twrong\tinterval covers\truns with a wrong\tseconds each")
	row := func(change, method string, n, right, wrong int, covers, runs string, seconds float64) {
		if n > 0 {
			words.Fprintf(table, "%s\t%s\t%d\t%s\t%s\t%s\t%s\t%.1f\n", change, method, n, countShare(right, n), countShare(wrong, n), covers, runs, seconds/float64(n))
		}
	}
	u := t.Sequential
	usual := "10 × " + u.Benchtime
	each := u.Seconds / float64(max(1, u.Comparisons+u.Known))
	for _, r := range t.Truths {
		row(selfTestName(r), "tare", r.Comparisons, r.Right, r.Wrong, countShare(r.Covered, r.Intervals), fmt.Sprintf("%d of %d", r.FalseRuns, r.Runs), sum(r.Seconds))
		if !r.Stratum.Null() && u.Known > 0 {
			row(selfTestName(r), usual, u.Known, u.Found, u.Reversed, "-", "-", each*float64(u.Known))
		}
	}
	row("none", usual, u.Comparisons, u.Comparisons-u.Wrong, u.Wrong, "-", "-", each*float64(u.Comparisons))
	if err := table.Flush(); err != nil {
		return err
	}
	for _, r := range t.Truths {
		var open []string
		for _, name := range slices.Sorted(maps.Keys(r.Benchmarks)) {
			if c := r.Benchmarks[name]; c.Right < c.Comparisons {
				open = append(open, fmt.Sprintf("%s %d of %d", name, c.Right, c.Comparisons))
			}
		}
		if len(open) > 0 {
			words.Fprintf(&b, "right at %s, all but: %s\n", selfTestName(r), strings.Join(open, ", "))
		}
	}
	if len(t.Packages) == 0 {
		b.WriteString("\ncopies: two copies of one binary; moved: the binaries differ in a function that no benchmark runs;\n" +
			"commit: a commit and its unchanged working tree\n")
	}
	b.WriteString("wrong: a difference claimed where there is none, or in the wrong direction\n" +
		"10 × TIME: the usual method, all old and then all new, Mann-Whitney at 0.05\n")
	if e := t.Errors(); e.Runs > 0 {
		words.Fprintf(&b, "false verdicts in %d of %s without a change, so in at most %.0f%% (95%%)\n", e.FalseRuns, words.Plural(e.Runs, "run"), 100*e.FalseShare)
		words.Fprintf(&b, "%d of %s do not contain the truth, in %s, so at most %.0f%% (95%%, a run as the unit)\n",
			e.Intervals-e.Covered, words.Plural(e.Intervals, "interval"), words.Plural(e.MissedRuns, "run"), 100*e.MissedShare)
	}
	words.Fprintf(&b, "α = %g, δ = half of the true change, seed %d, %.0f s in all\n", t.Alpha, t.Seed, t.Seconds)
	if t.Incomplete {
		b.WriteString("interrupted: these are the comparisons made so far\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func sum(x []float64) (s float64) {
	for _, v := range x {
		s += v
	}
	return s
}

// SelfTestProgress is the line about one kind of comparison while a self-test
// runs.
func SelfTestProgress(t result.SelfTestTruth, left time.Duration) string {
	line := fmt.Sprintf("true change %s: %s, %d right, %d wrong", selfTestName(t), words.Plural(t.Comparisons, "comparison"), t.Right, t.Wrong)
	if left > 0 {
		line += "; about " + words.Seconds(left.Seconds()) + " left"
	}
	return line
}

func selfTestName(t result.SelfTestTruth) string {
	if t.Stratum == result.Changed {
		return fmt.Sprintf("%+.1f%%", 100*t.Change)
	}
	return "none, " + string(t.Stratum)
}

func countShare(k, n int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf("%d (%.1f%%)", k, 100*float64(k)/float64(n))
}
