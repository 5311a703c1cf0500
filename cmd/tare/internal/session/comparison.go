package session

import (
	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// Compare judges a recording of several variants. Every verb that shows a
// recording uses it.
func Compare(rec *result.Recording) result.Comparison {
	return compareSome(rec, func(string) bool { return true }, rec.Study.Output.Gate)
}

// compareSome is Compare without the rows of benchmarks that do not match.
func compareSome(rec *result.Recording, match func(string) bool, gate result.Limits) result.Comparison {
	c := judge.CompareSome(rec, match, gate)
	c.Findings = append(c.Findings, profileFindings(c.Profiles)...)
	return c
}
