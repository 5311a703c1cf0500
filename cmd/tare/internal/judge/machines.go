package judge

import (
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
)

func machinesOf(blocks []block) []int {
	out := make([]int, len(blocks))
	for i, b := range blocks {
		out[i] = b.Machine
	}
	if len(out) == 0 || !slices.ContainsFunc(out, func(m int) bool { return m != out[0] }) {
		return nil
	}
	return out
}

func partOf(study result.Study) (f finding.Finding, ok bool) {
	if study.Part == nil {
		return f, false
	}
	p := study.Part
	return catalog.PartOfStudy.Of("", finding.Count("number", p.Number, ""), finding.Count("of", p.Of, "")), true
}
