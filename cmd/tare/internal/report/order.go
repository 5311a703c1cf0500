package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
	"github.com/tarebench/tare/internal/finding"
)

func order(v result.Verdict) int {
	return slices.Index([]result.Verdict{result.Failed, result.Slower, result.Faster, result.Different, result.Undecided, result.Same, result.Missing}, v)
}

// absent reports whether a row has no values: the benchmark skips itself, or
// only one variant has it and was not measured.
func absent(b *result.BenchmarkComparison) bool {
	switch b.Verdict {
	case result.Skipped, result.NotReached:
		return true
	case result.Missing:
		return !words.Known(b.Old.Center) && !words.Known(b.New.Center)
	}
	return false
}

// Rows returns the rows that have values.
func (d Document) Rows() []*result.BenchmarkComparison {
	all := make([]*result.BenchmarkComparison, 0, len(d.Comparison.Benchmarks))
	for i := range d.Comparison.Benchmarks {
		if b := &d.Comparison.Benchmarks[i]; !absent(b) {
			all = append(all, b)
		}
	}
	if d.ByChange {
		slices.SortStableFunc(all, func(a, b *result.BenchmarkComparison) int { return cmp.Compare(size(b), size(a)) })
	}
	return all
}

func size(b *result.BenchmarkComparison) float64 {
	if r := b.Change.Ratio; words.Known(r) && r > 0 {
		return math.Abs(math.Log(r))
	}
	return -1
}

// ordered is Rows with failed and slower rows first, then faster, undecided and
// the same, each in the order of measurement.
func (d Document) ordered() []*result.BenchmarkComparison {
	all := d.Rows()
	slices.SortStableFunc(all, func(a, b *result.BenchmarkComparison) int { return order(a.Verdict) - order(b.Verdict) })
	return all
}

// Absence is a line about benchmarks that were not compared or measured.
type Absence struct {
	Verdict result.Verdict
	Text    string
}

const mostReached = 60

// Absent returns the benchmarks that were not compared or measured, a line per
// reason. The first line names benchmarks that were not reached, because more
// time can measure them.
func (d Document) Absent() []Absence {
	names := make(map[string][]string)
	verdicts := make(map[string]result.Verdict)
	var reasons []string
	type row struct{ reason, pkg, name string }
	seen := make(map[row]bool) // each of several new variants has its rows
	add := func(reason string, k result.Key, of string, v result.Verdict) {
		name := words.RowName(k, of)
		this := row{reason, k.Pkg, name}
		if seen[this] {
			return
		}
		seen[this] = true
		if _, ok := names[reason]; !ok && v == result.NotReached {
			reasons = slices.Insert(reasons, 0, reason)
		} else if !ok {
			reasons = append(reasons, reason)
		}
		names[reason], verdicts[reason] = append(names[reason], name), v
	}
	for _, b := range d.Comparison.Benchmarks {
		switch {
		case b.Verdict == result.NotReached:
			add("not reached", b.Key, b.Row, b.Verdict)
		case b.Verdict == result.Skipped:
			add(skipped(b.Findings), b.Key, b.Row, b.Verdict)
		case b.Verdict == result.Missing && len(b.Findings) > 0:
			add(b.Findings[0].Message, b.Key, b.Row, b.Verdict)
		}
	}
	lines := make([]Absence, len(reasons))
	for i, r := range reasons {
		list := words.List(names[r])
		if all := names[r]; verdicts[r] == result.NotReached {
			list = strings.Join(all[:min(len(all), mostReached)], ", ")
			if more := len(all) - mostReached; more > 0 {
				list += fmt.Sprintf(" and %d more", more)
			}
		}
		lines[i] = Absence{verdicts[r], words.Plural(len(names[r]), "benchmark") + " " + r + ": " + list}
	}
	return lines
}

// skipped is "skipped" with the first line of what the benchmark said.
func skipped(fs []finding.Finding) string {
	const most = 60 // columns
	for _, f := range fs {
		if why, _, _ := strings.Cut(strings.TrimPrefix(f.Message, "skipped: "), "\n"); catalog.Skipped.Is(f) && why != "" {
			return "skipped (" + words.Shorten(words.Printable(why), most) + ")"
		}
	}
	return "skipped"
}

const foldSame = 8

// fold moves rows that are the same to Folded, if there are many or if their
// unit is not time.
func (s *Section) fold() {
	same := 0
	identical := len(s.Shown) > 1
	for _, b := range s.Shown {
		identical = identical && b.Verdict == result.Same && b.Exact
		if b.Verdict == result.Same {
			same++
		}
	}
	// After the times, only changes need a row.
	quiet := same > 0 && s.Unit != "sec/op" && s.Benchmark == ""
	if !identical && !quiet && same <= foldSame {
		return
	}
	s.Folded = slices.DeleteFunc(slices.Clone(s.Shown), func(b *result.BenchmarkComparison) bool { return b.Verdict != result.Same })
	s.Shown = slices.DeleteFunc(slices.Clone(s.Shown), func(b *result.BenchmarkComparison) bool { return b.Verdict == result.Same })
}

// claim returns the common verdict of a section without changes. It is empty
// for other sections.
func (s *Section) claim(delta float64) string {
	if len(s.Folded) == 0 || len(s.Shown) > 0 {
		return ""
	}
	claim := words.Verdict(s.weakest(), delta)
	if len(s.Folded) == 1 {
		return claim
	}
	return claim + " in all " + words.Plural(len(s.Folded), "row")
}

// weakest is the folded row with the weakest claim: not every one is exact.
func (s *Section) weakest() *result.BenchmarkComparison {
	inexact := slices.IndexFunc(s.Folded, func(b *result.BenchmarkComparison) bool { return !b.Exact })
	return s.Folded[max(inexact, 0)]
}

// FoldedWords names the rows in [Section.Folded]. It is empty for none.
func (s *Section) FoldedWords(delta float64) string {
	if len(s.Folded) == 0 {
		return ""
	}
	if claim := s.claim(delta); claim != "" {
		return s.head() + ": " + claim
	}
	var names []string
	for _, b := range s.Folded {
		names = append(names, s.label(b.Key, b.Row, b.Unit))
	}
	return words.Plural(len(names), "more row") + " " + words.Verdict(s.weakest(), delta) + ": " + words.List(names)
}

// greatest returns the rows with some verdicts. Within a verdict, times come
// before other units, and greater changes before smaller ones. Rows without a
// ratio come last.
func greatest(rows []*result.BenchmarkComparison, verdicts ...result.Verdict) []*result.BenchmarkComparison {
	all := slices.DeleteFunc(slices.Clone(rows), func(b *result.BenchmarkComparison) bool { return !slices.Contains(verdicts, b.Verdict) })
	unit := func(b *result.BenchmarkComparison) int {
		if b.Unit == "sec/op" {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(all, func(a, b *result.BenchmarkComparison) int {
		return cmp.Or(order(a.Verdict)-order(b.Verdict), unit(a)-unit(b), cmp.Compare(size(b), size(a)))
	})
	return all
}
