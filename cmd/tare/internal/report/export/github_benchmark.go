package export

import (
	"io"

	"github.com/tarebench/tare/cmd/tare/internal/report"
	"github.com/tarebench/tare/cmd/tare/internal/report/words"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/unit"
)

// GitHubBenchmark writes the "customSmallerIsBetter" input of
// github-action-benchmark. That format has one direction: rates, where more is
// better, are left out.
func GitHubBenchmark(w io.Writer, d report.Document) error {
	type entry struct {
		Name  string  `json:"name"`
		Unit  string  `json:"unit"`
		Value float64 `json:"value"`
		Range string  `json:"range,omitempty"`
		Extra string  `json:"extra,omitempty"`
	}
	entries := []entry{}
	for _, c := range currents(d) {
		if unit.Better(c.unit) == unit.HigherIsBetter {
			continue
		}
		e := entry{Name: c.fullName(), Unit: words.Printable(c.unit), Value: c.value.Center}
		if c.unit != "sec/op" {
			e.Name += " - " + e.Unit // the name is the key of the history
		} else {
			e.Unit, e.Value = "ns/op", c.value.Center*1e9
		}
		if around := words.Spread(c.value); around != "" {
			e.Range = "± " + around
			e.Extra = "95% interval " + words.Estimate(c.value, words.Scale(c.unit, c.value.Center), c.unit)
		}
		entries = append(entries, e)
	}
	return result.WriteJSON(w, entries)
}
