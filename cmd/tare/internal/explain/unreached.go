package explain

import (
	"maps"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/session"
	"github.com/tarebench/tare/cmd/tare/internal/words"
	"github.com/tarebench/tare/internal/finding"
)

// unreached records which changed functions cannot run in a measured benchmark: of
// these a comparison, or a gate, has seen nothing.
func (c *explainer) unreached(s *session.Session) error {
	rec := s.Recording()
	for v := 1; v < len(rec.Study.Variants); v++ {
		measured := make(map[string][]string) // benchmark functions by package
		for _, b := range rec.Benchmarks {
			top, _, _ := strings.Cut(b.Name, "/")
			measured[b.Pkg] = append(measured[b.Pkg], "Benchmark"+top)
		}
		runs := c.running(measured, v)
		if runs == nil {
			continue
		}
		changed := make(map[string]bool) // whether a benchmark may run it
		for _, pkg := range c.Packages() {
			one := c.Comparison(pkg, v)
			if one == nil {
				continue
			}
			for _, f := range one.Changed(c.Builtins(pkg, v)) {
				changed[f.Name] = runs(f.Name)
			}
		}
		var names []string
		for _, name := range slices.Sorted(maps.Keys(changed)) {
			if !changed[name] {
				names = append(names, Short(name))
			}
		}
		if len(names) == 0 {
			continue
		}
		f := catalog.Unreached.Of(rec.Study.Variants[v].Label, finding.Count("changed", len(changed), "function"),
			finding.Count("unreached", len(names), ""), finding.Text("names", words.List(names)))
		if err := s.AddFinding(f); err != nil {
			return err
		}
	}
	return nil
}
