package report

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// SelfTestText writes a self-test as a table.
func SelfTestText(w io.Writer, t *result.SelfTest) error {
	if len(t.Packages) > 0 {
		return ownSelfTestText(w, t)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-14s %11s %14s %14s %12s %16s %18s %16s %18s\n",
		"true change", "comparisons", "right", "wrong", "same", "interval covers", "seconds (median)", "blocks (median)", "runs with a wrong")
	for _, r := range t.Truths {
		right, wrong, runs := countShare(r.Right, r.Comparisons), countShare(r.Wrong, r.Comparisons), fmt.Sprintf("%d of %d", r.FalseRuns, r.Runs)
		if r.Stratum == result.Shifted {
			right, wrong, runs = "-", "-", "-"
		}
		fmt.Fprintf(&b, "%-14s %11d %14s %14s %12s %16s %18s %16s %18s\n", selfTestName(r), r.Comparisons,
			right, wrong, countShare(r.Same, r.Comparisons), countShare(r.Covered, r.Intervals),
			medianText(r.Seconds, 1), medianText(asFloats(r.Blocks), -1), runs)
	}
	for _, r := range t.Truths {
		b.WriteString(selfTestRate(r))
	}
	for _, r := range t.Truths {
		b.WriteString(selfTestMisses(r))
	}
	for _, r := range t.Truths {
		var open []string
		for _, name := range slices.Sorted(maps.Keys(r.Benchmarks)) {
			if c := r.Benchmarks[name]; c.Right < c.Comparisons && r.Stratum != result.Shifted {
				open = append(open, fmt.Sprintf("%s %d of %d", name, c.Right, c.Comparisons))
			}
		}
		if len(open) > 0 {
			fmt.Fprintf(&b, "\nright at %s, all but: %s", selfTestName(r), strings.Join(open, ", "))
		}
	}
	b.WriteByte('\n')
	if c := t.Sequential; c.Comparisons > 0 {
		fmt.Fprintf(&b, "\nThe sequential method (10 × %s, all old then all new, Mann-Whitney at 0.05), for comparison:\n"+
			"%-14s %11d %14s %14s %29s %18.1f\n", c.Benchtime, "none", c.Comparisons, countShare(c.Comparisons-c.Wrong, c.Comparisons), countShare(c.Wrong, c.Comparisons), "",
			c.Seconds/float64(c.Comparisons))
	}
	b.WriteString("\ncopies: two copies of one binary; moved: the binaries differ in a function that no benchmark runs;\n" +
		"commit: a commit and its unchanged working tree; shifted: an instruction before the loops moves them\n")
	fmt.Fprintf(&b, "wrong: a difference claimed where there is none, or in the wrong direction; α = %g, δ = %g%%, seed %d, %.0f s in all\n",
		t.Alpha, 100*t.Delta, t.Seed, t.Seconds)
	if t.Incomplete {
		b.WriteString("interrupted: these are the comparisons made so far\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// enoughForRate is the number of comparisons from which on a share is called a
// rate.
const enoughForRate = 100

// ownSelfTestText writes a self-test of the user's benchmarks: tare and the usual
// method side by side.
func ownSelfTestText(w io.Writer, t *result.SelfTest) error {
	var same, changed result.SelfTestTruth
	for _, truth := range t.Truths {
		if truth.Stratum.Null() {
			same = truth
		} else {
			changed = truth
		}
	}
	u := t.Sequential
	each := func(seconds float64, n int) string {
		if n == 0 {
			return "-"
		}
		return fmt.Sprintf("%.1f", seconds/float64(n))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s of %s, %.0f s\n\n", words.Plural(t.Benchmarks, "benchmark"), strings.Join(t.Packages, " "), t.Seconds)
	fmt.Fprintf(&b, "%-38s  %-12s  %-12s  %-9s  %s\n", "", "false", fmt.Sprintf("%+.0f%% found", 100*changed.Change), "reversed", "seconds each")
	row := func(name string, wrong, null, found, reversed, known int, seconds float64) {
		fmt.Fprintf(&b, "%-38s  %-12s  %-12s  %-9d  %s\n", name, ofAll(wrong, null), ofAll(found, known), reversed, each(seconds, null+known))
	}
	row("tare", same.Wrong, same.Comparisons, changed.Right, changed.Wrong, changed.Comparisons, sum(same.Seconds)+sum(changed.Seconds))
	row("usual: -count=10 -benchtime="+u.Benchtime, u.Wrong, u.Comparisons, u.Found, u.Reversed, u.Known, u.Seconds)
	b.WriteString("\nfalse: two copies of one binary called different; reversed: called faster when slower\n" +
		"usual: all old and then all new, Mann-Whitney at 0.05; seconds: the time of measuring, without builds\n")
	if n := min(same.Comparisons, changed.Comparisons); n < enoughForRate {
		fmt.Fprintf(&b, "%s are too few for a rate: %s false of tare allows a rate of up to %.0f%% (95%%); give a longer -total\n",
			words.Plural(same.Comparisons, "comparison"), ofAll(same.Wrong, same.Comparisons), 100*stats.UpperShare(same.Wrong, same.Comparisons))
	}
	if t.Incomplete {
		b.WriteString("interrupted: these are the comparisons made so far\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func ofAll(k, n int) string { return fmt.Sprintf("%d of %d", k, n) }

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
		line += "; about " + shortDuration(left) + " left"
	}
	return line
}

func selfTestName(t result.SelfTestTruth) string {
	if t.Stratum == result.Changed {
		return fmt.Sprintf("%+.1f%%", 100*t.Change)
	}
	return "none, " + string(t.Stratum)
}

// selfTestRate describes the rows before any adjustment, at a fixed number of
// blocks. For shifted loops it shows how far apart the verdicts are. It is empty
// if there is a real change.
func selfTestRate(t result.SelfTestTruth) string {
	if t.Stratum == result.Shifted && t.Comparisons > 0 {
		size := make([]float64, len(t.Apart))
		for i, v := range t.Apart {
			size[i] = 100 * math.Abs(v)
		}
		line := fmt.Sprintf("\nshifted: %s called faster or slower", countShare(len(t.Apart), t.Comparisons))
		if len(size) > 0 {
			line += fmt.Sprintf(", by %.1f%% (median) and %.1f%% (largest)", stats.Median(size), slices.Max(size))
		}
		return line + "\n"
	}
	r := t.Rate()
	if !t.Stratum.Null() || r.Rows == 0 {
		return ""
	}
	return fmt.Sprintf("\n%s, alone, at %s each: p < 0.05 in %s of %s (95%% interval over runs %.1f to %.1f%%);\n"+
		"   new slower in %s of blocks, neighbors alike in %s; p by tenths: %s\n",
		selfTestName(t), words.Plural(len(t.Fixed[0].Logs), "block"), countShare(r.Below, r.Rows), words.Plural(r.Rows, "row"), 100*r.Lo, 100*r.Hi,
		percentOf(r.Positive, r.Blocks), percentOf(r.Alike, r.Pairs), strings.Trim(fmt.Sprint(r.Tenths), "[]"))
}

// selfTestMisses shows how far intervals are from a true change outside them, and
// names the benchmarks. If the way it was made determines the change, a thousandth
// of it may be inexact.
func selfTestMisses(t result.SelfTestTruth) string {
	if len(t.Misses) == 0 || t.Stratum == result.Shifted {
		return ""
	}
	by := make([]float64, len(t.Misses))
	names := make(map[string]int)
	for i, m := range t.Misses {
		by[i] = 100 * m.By(t.Change)
		names[m.Benchmark]++
	}
	var of []string
	for _, name := range slices.Sorted(maps.Keys(names)) {
		of = append(of, fmt.Sprintf("%s %d of %d", name, names[name], t.Benchmarks[name].Comparisons))
	}
	return fmt.Sprintf("\nintervals that miss %s: %d, by %.2g points (median) and %.2g (largest): %s", selfTestName(t), len(by), stats.Median(by), slices.Max(by), strings.Join(of, ", "))
}

func percentOf(k, n int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f%%", 100*float64(k)/float64(n))
}

func countShare(k, n int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf("%d (%.1f%%)", k, 100*float64(k)/float64(n))
}

// medianText is the median of the costs of comparisons, "-" of none.
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
