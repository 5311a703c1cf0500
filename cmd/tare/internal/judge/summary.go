package judge

import (
	"fmt"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// primaries reports the rows by which their benchmarks are judged. It is the
// first row of each, the time per operation if there is one.
func primaries(rows []result.BenchmarkComparison) []bool {
	type benchmark struct {
		result.Key
		row, config string
		column      int
	}
	seen := make(map[benchmark]bool, len(rows))
	out := make([]bool, len(rows))
	for i := range rows {
		r := &rows[i]
		b := benchmark{r.Key, r.Row, fmt.Sprint(r.Config), r.NewVariant} // maps print in the order of their keys
		out[i], seen[b] = !seen[b], true
	}
	return out
}

// Summarize marks the primary rows and counts their verdicts.
func Summarize(rows []result.BenchmarkComparison) result.Summary {
	var s result.Summary
	counts := map[result.Verdict]*int{
		result.Faster: &s.Faster, result.Slower: &s.Slower, result.Different: &s.Changed, result.Same: &s.Same, result.Undecided: &s.Undecided,
		result.Failed: &s.Failed, result.Skipped: &s.Skipped, result.Missing: &s.Missing, result.NotReached: &s.NotReached,
	}
	first := primaries(rows)
	for i, r := range rows {
		if rows[i].Primary = first[i]; !first[i] {
			continue
		}
		if n := counts[r.Verdict]; n != nil {
			*n++
		}
		if r.Verdict == result.Same && r.Reason == result.ReasonSameCode {
			s.SameCode++
		}
	}
	return s
}
