package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// BisectionText writes the result of a bisection.
func BisectionText(w io.Writer, b result.Bisection) error {
	var t strings.Builder
	name := cmp.Or(b.Benchmark.Name, "the benchmark")
	to := " to " + pointName(b.Bad)
	if b.Of == "hunks" { // the last point is a hunk
		to = " and its change"
	}
	words.Fprintf(&t, "%s, %s: %s%s, %s\n", name, b.Unit, pointName(b.Good), to, words.Plural(b.Points-1, pointNoun(b)))
	bisectionEnds(&t, b)
	for _, s := range b.Steps {
		bisectionStep(&t, b, s, "")
	}
	if len(b.Steps) > 1 {
		words.Fprintf(&t, "\n%d steps: none of them is the whole change\n", len(b.Steps))
	}
	if len(b.Moved) > 0 {
		words.Fprintf(&t, "\nalso moved, by less than half of the change (often only the place of the code):\n")
	}
	for _, s := range b.Moved {
		words.Fprintf(&t, "  %s  %s\n", pointLine(s.First), bisectionChange(s.Change, s.Exact, s.Old, s.New, b.Unit))
	}
	bisectionOpen(&t, b, "")
	if len(b.Posterior) > 0 && b.Differs {
		const width = 60
		mark := words.Plural((len(b.Posterior)+width-1)/width, pointNoun(b))
		if len(b.Posterior) > width {
			mark = "up to " + mark
		}
		words.Fprintf(&t, "\nprobability  %s\n(a mark is %s, from good to bad: · is below 0.5%%, █ above 87%%)\n", posteriorLine(b.Posterior, width), mark)
	}
	bisectionLeftOut(&t, b)
	if len(b.Others) > 0 {
		words.Fprintf(&t, "other benchmarks also differ between the ends: %s. Bisect each with -bench\n", words.List(b.Others))
	}
	words.Fprintf(&t, "%s, %s. A study for each question: %s\n", words.Plural(b.Blocks, "block"), words.Seconds(b.Seconds), b.Folder)
	_, err := io.WriteString(w, t.String())
	return err
}

func bisectionEnds(t *strings.Builder, b result.Bisection) {
	switch {
	case b.SameCodeEnds:
		words.Fprintf(t, "no change between them: both run the same machine code\n")
	case b.Same:
		words.Fprintf(t, "no change between them: %s\n", changeWithRange(b.Ends))
	case !b.Differs:
		words.Fprintf(t, "undecided whether they differ: %s. %s\n", changeWithRange(b.Ends), endsAdvice(b))
	default:
		words.Fprintf(t, "%s between them\n", bisectionChange(b.Ends, b.Exact, b.Old, b.New, b.Unit))
	}
}

// endsAdvice returns the flag that would decide the ends.
func endsAdvice(b result.Bisection) string {
	if b.NeedsSeconds > 0 {
		return fmt.Sprintf("About -budget %.0fs decides it", math.Ceil(b.NeedsSeconds))
	}
	return "The change is too small for one comparison: a larger -delta may show that they are the same"
}

// bisectionChange returns a change. If the unit is a constant count, it has
// both counts.
func bisectionChange(c result.Change, exact bool, old, new float64, unit string) string {
	if !exact {
		return changeWithRange(c)
	}
	text := fmt.Sprintf("%s to %s %s", bare(old), bare(new), unit)
	if old > 0 && new > 0 {
		text += ", " + words.Change(c)
	}
	return text
}

// bisectionOpen lists the commits that still share the probability if the
// blocks ended first.
func bisectionOpen(t *strings.Builder, b result.Bisection, indent string) {
	if len(b.Open) == 0 {
		return
	}
	these := "one of these brings it"
	if len(b.Open) == 1 {
		these = "this brings it"
	}
	switch {
	case b.Hidden:
		words.Fprintf(t, "\n%snot decided: moved code explains it, by about %.2g%%. If it is a step, %s\n", indent, 100*b.MovedBy, these)
	case len(b.Open) == 1:
		words.Fprintf(t, "\n%snot confirmed: probably %s, but the comparison with its parent is undecided\n", indent, these)
	default:
		words.Fprintf(t, "\n%snot decided: %s, with 95%% probability\n", indent, these)
	}
	for _, p := range b.Open {
		words.Fprintf(t, "%s  %s\n", indent, pointLine(p))
	}
	switch {
	case b.NeedsSeconds > 0:
		words.Fprintf(t, "%sthe search needs about %s more: %s\n", indent, words.Seconds(b.NeedsSeconds), b.Again)
	case !b.Hidden:
		words.Fprintf(t, "%sraise -blocks or -total, and continue with %s\n", indent, b.Again)
	}
}

func bisectionLeftOut(t *strings.Builder, b result.Bisection) {
	if n := len(b.SameCode); n > 0 {
		verb := "run"
		if n == 1 {
			verb = "runs"
		}
		words.Fprintf(t, "left out: %s that %s the machine code of the one before\n", words.Plural(n, pointNoun(b)), verb)
	}
	for _, p := range b.Broken {
		words.Fprintf(t, "not measured: %s: %s\n", pointLine(p.Point), words.FirstLine(p.Reason))
	}
}

func pointNoun(b result.Bisection) string {
	switch {
	case b.Of == "go":
		return "release"
	case b.Of == "hunks", b.Of == "regrouped":
		return "hunk"
	case strings.HasPrefix(b.Of, "mod="):
		return "version"
	}
	return "commit"
}

func bisectionStep(t *strings.Builder, b result.Bisection, s result.BisectionStep, indent string) {
	change := bisectionChange(s.Change, s.Exact, s.Old, s.New, b.Unit)
	if len(s.Points) == 1 {
		p := s.Points[0]
		words.Fprintf(t, "\n%s%s  %s\n", indent, pointLine(p), change)
		if p.Author != "" {
			words.Fprintf(t, "%s  author %s, compared with its parent %s\n", indent, p.Author, pointName(s.Parent))
		}
	} else {
		words.Fprintf(t, "\n%sone of these brings %s. The %ss between cannot be measured\n", indent, change, pointNoun(b))
		for _, p := range s.Points {
			words.Fprintf(t, "%s  %s\n", indent, pointLine(p))
		}
	}
	bisectionHunk(t, s, indent)
	if len(s.Files) > 0 {
		words.Fprintf(t, "%s  files: %s\n", indent, words.List(s.Files))
	}
	for _, cause := range s.Causes {
		words.Fprintf(t, "%s  the machine code shows: %s\n", indent, cause)
	}
	bisectionInside(t, s, indent)
}

const mostDiff = 40

func bisectionHunk(t *strings.Builder, s result.BisectionStep, indent string) {
	if h := s.Hunk; h != nil {
		text := fmt.Sprintf("%.0f to %.0f%% of the change", 100*h.Lo, 100*h.Hi)
		if h.Lo == 1 && h.Hi == 1 {
			text = "the whole change: the other hunks make the same machine code"
		}
		if h.Without != nil {
			text += "; without it " + changeWithRange(*h.Without)
		}
		if h.Alone != nil {
			text += "; alone " + changeWithRange(*h.Alone)
		}
		if h.Together {
			text += ": it acts only together with others"
		}
		words.Fprintf(t, "%s  %s\n", indent, text)
		if h.WhyNot != "" {
			words.Fprintf(t, "%s  not measured: %s\n", indent, words.FirstLine(h.WhyNot))
		}
	}
	for _, p := range s.Points {
		if len(s.Inside) > 0 {
			break // its points have the text
		}
		n := 0
		for line := range strings.Lines(p.Diff) {
			if n++; n > mostDiff {
				words.Fprintf(t, "%s    …\n", indent)
				break
			}
			words.Fprintf(t, "%s    %s\n", indent, strings.TrimRight(strings.ReplaceAll(line, "\t", "    "), "\n"))
		}
	}
}

func bisectionInside(t *strings.Builder, s result.BisectionStep, indent string) {
	found := false
	for _, in := range s.Inside {
		if in.Of == "regrouped" {
			words.Fprintf(t, "%s  regrouped so that they build:\n", indent)
			for _, step := range in.Steps {
				bisectionStep(t, in, step, indent+"    ")
			}
			bisectionOpen(t, in, indent+"    ")
			found = true
			continue
		}
		side := fmt.Sprintf("%s  it merges %s (%s to %s)", indent, words.Plural(in.Points-1, "commit"), pointName(in.Good), pointName(in.Bad))
		switch {
		case in.SameCodeEnds:
			words.Fprintf(t, "%s: the same machine code at both ends\n", side)
		case in.Same:
			words.Fprintf(t, "%s: no change there, %s\n", side, changeWithRange(in.Ends))
		case !in.Differs:
			words.Fprintf(t, "%s: undecided whether they change it\n", side)
			found = true
		default:
			words.Fprintf(t, "%s: %s\n", side, changeWithRange(in.Ends))
			found = true
		}
		for _, step := range in.Steps {
			bisectionStep(t, in, step, indent+"    ")
		}
		bisectionOpen(t, in, indent+"    ")
		for _, p := range in.Broken {
			words.Fprintf(t, "%s    not measured: %s: %s\n", indent, pointLine(p.Point), words.FirstLine(p.Reason))
		}
	}
	switch {
	case len(s.Inside) > 0 && !found:
		words.Fprintf(t, "%s  so the merge itself brings it: both histories together\n", indent)
	case len(s.Inside) == 0 && len(s.Points) == 1 && s.Points[0].Merge:
		words.Fprintf(t, "%s  a merge: its commits were not distinguished\n", indent)
	}
}

func bare(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

func changeWithRange(c result.Change) string {
	if c.Lo == c.Hi {
		return words.Change(c)
	}
	return words.Change(c) + " (" + words.Range(c.Lo-1, c.Hi-1) + ")"
}

func pointName(p result.Point) string { return words.Printable(p.Name) }

func pointLine(p result.Point) string {
	if p.Title == "" {
		return pointName(p)
	}
	return pointName(p) + " " + p.Title
}

// posteriorLine draws probabilities as a line of at most width blocks. Each
// block is the sum of the points that it covers.
func posteriorLine(p []float64, width int) string {
	if len(p) == 0 {
		return ""
	}
	n := min(width, len(p))
	sums := make([]float64, n)
	for i, v := range p {
		sums[i*n/len(p)] += v
	}
	var b strings.Builder
	for _, v := range sums {
		level := int(math.Ceil(min(1, v)*8 - 1e-9))
		if v < 0.005 {
			level = 0
		}
		b.WriteRune([]rune("·▁▂▃▄▅▆▇█")[max(0, min(8, level))])
	}
	return b.String()
}
