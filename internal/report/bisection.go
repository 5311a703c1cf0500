package report

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/tarebench/tare/internal/report/words"
	"github.com/tarebench/tare/internal/result"
)

// BisectionText writes what a bisection found.
func BisectionText(w io.Writer, b result.Bisection) error {
	var t strings.Builder
	name := words.Printable(b.Benchmark.Name)
	if name == "" {
		name = "the benchmark"
	}
	fmt.Fprintf(&t, "%s, %s: %s to %s, %s\n", name, b.Unit, pointName(b.Good), pointName(b.Bad), words.Plural(b.Points-1, "step"))
	switch {
	case b.Same:
		fmt.Fprintf(&t, "no change between them: %s\n", changeWithRange(b.Ends))
	case !b.Differs:
		fmt.Fprintf(&t, "undecided whether they differ: %s; raise -budget, or lower -delta\n", words.Change(b.Ends))
	default:
		fmt.Fprintf(&t, "%s between them\n", changeWithRange(b.Ends))
	}
	for _, s := range b.Steps {
		bisectionStep(&t, s)
	}
	if len(b.Open) > 0 {
		fmt.Fprintf(&t, "\nnot decided: one of these brings it, with 95%% probability\n")
		for _, p := range b.Open {
			fmt.Fprintf(&t, "  %s\n", pointLine(p))
		}
		fmt.Fprintf(&t, "raise -blocks, or go on with tare bisect -resume %s\n", b.Folder)
	}
	if len(b.Posterior) > 0 && b.Differs {
		fmt.Fprintf(&t, "\nprobability  %s\n", PosteriorLine(b.Posterior, 60))
	}
	for _, p := range b.Broken {
		first, _, _ := strings.Cut(p.Reason, "\n")
		fmt.Fprintf(&t, "not measured: %s: %s\n", pointLine(p.Point), words.Printable(first))
	}
	if len(b.Others) > 0 {
		fmt.Fprintf(&t, "other benchmarks differ between the ends too: %s; bisect each with -bench\n", words.List(b.Others))
	}
	fmt.Fprintf(&t, "%s, %s; log: %s/log.sh\n", words.Plural(b.Blocks, "block"), words.Seconds(b.Seconds), b.Folder)
	_, err := io.WriteString(w, t.String())
	return err
}

func bisectionStep(t *strings.Builder, s result.BisectionStep) {
	if len(s.Points) == 1 {
		fmt.Fprintf(t, "\n%s  %s\n", pointLine(s.Points[0]), changeWithRange(s.Change))
		if s.Points[0].Author != "" {
			fmt.Fprintf(t, "  author %s; compared with its parent %s\n", words.Printable(s.Points[0].Author), pointName(s.Parent))
		}
		if s.Points[0].Merge {
			fmt.Fprintf(t, "  a merge: the commits that it merges were not told apart\n")
		}
		return
	}
	fmt.Fprintf(t, "\none of these brings %s; those between cannot be measured\n", words.Change(s.Change))
	for _, p := range s.Points {
		fmt.Fprintf(t, "  %s\n", pointLine(p))
	}
}

func changeWithRange(c result.Change) string {
	return words.Change(c) + " (" + words.Range(c.Lo-1, c.Hi-1) + ")"
}

func pointName(p result.Point) string { return words.Printable(p.Name) }

func pointLine(p result.Point) string {
	if p.Title == "" {
		return pointName(p)
	}
	return pointName(p) + " " + words.Printable(p.Title)
}

// PosteriorLine draws probabilities as a line of at most width blocks, each the
// sum over as many points as it stands for.
func PosteriorLine(p []float64, width int) string {
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
