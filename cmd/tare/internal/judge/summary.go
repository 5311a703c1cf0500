package judge

import (
	"fmt"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

type benchmark struct {
	result.Key
	row, config string
	column      int
}

func benchmarkOf(r *result.BenchmarkComparison) benchmark {
	b := benchmark{Key: r.Key, row: r.Row, column: r.NewVariant}
	if len(r.Config) > 0 {
		b.config = fmt.Sprint(r.Config) // maps print in the order of their keys
	}
	return b
}

// primaries reports the rows by which their benchmarks are judged. It is the
// first row of each, the time per operation if there is one.
func primaries(rows []result.BenchmarkComparison) []bool {
	seen := make(map[benchmark]bool, len(rows))
	out := make([]bool, len(rows))
	for i := range rows {
		b := benchmarkOf(&rows[i])
		out[i], seen[b] = !seen[b], true
	}
	return out
}

// Summarize marks the primary rows and counts their verdicts.
func Summarize(rows []result.BenchmarkComparison) result.Summary {
	var s result.Summary
	first := primaries(rows)
	for i, r := range rows {
		if rows[i].Primary = first[i]; !first[i] {
			continue
		}
		switch r.Verdict {
		case result.Faster:
			s.Faster++
		case result.Slower:
			s.Slower++
		case result.Different:
			s.Changed++
		case result.Same:
			s.Same++
			if r.Reason == result.ReasonSameCode {
				s.SameCode++
			}
		case result.Failed:
			s.Failed++
		case result.Skipped:
			s.Skipped++
		case result.Missing:
			s.Missing++
		case result.NotReached:
			s.NotReached++
		case result.Undecided:
			s.Undecided++
		}
	}
	return s
}
