package report

import (
	"fmt"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// The new variants of a comparison with -split: see SplitVariants of package session.
const (
	splitBoth = 1 + iota
	splitTests
	splitCode
)

// split writes the change of each benchmark's time by the code and by the
// tests. If time was not measured, it writes the change of allocations.
func (t *textWriter) split(d Document) {
	if d.Recording == nil || !d.Recording.Study.Split {
		return
	}
	rows := make(map[result.Key]map[int]*result.BenchmarkComparison)
	var order []result.Key
	unit := "sec/op"
	if !d.Recording.Study.Timed() {
		unit = "allocs/op"
	}
	for _, r := range d.Rows() {
		if r.Unit != unit {
			continue
		}
		if rows[r.Key] == nil {
			rows[r.Key] = make(map[int]*result.BenchmarkComparison)
			order = append(order, r.Key)
		}
		rows[r.Key][r.NewVariant] = r
	}
	for _, k := range order {
		code, tests, both := splitPart(rows[k][splitCode]), splitPart(rows[k][splitTests]), splitPart(rows[k][splitBoth])
		t.line(wrap(fmt.Sprintf("%s: code %s, tests %s, both %s", k.Name, code, tests, both), t.o.Width, "  "))
	}
}

func splitPart(r *result.BenchmarkComparison) string {
	switch {
	case r == nil || r.Verdict == result.Missing || r.Verdict == result.Failed:
		return "not measured"
	case r.Reason == result.ReasonSameCode:
		return "same code"
	case !words.Known(r.Change.Ratio):
		return "unknown"
	case r.Exact || !words.Known(r.Change.Lo) || !words.Known(r.Change.Hi):
		return words.Change(r.Change)
	}
	return words.Change(r.Change) + " (" + words.Range(r.Change.Lo-1, r.Change.Hi-1) + ")"
}
