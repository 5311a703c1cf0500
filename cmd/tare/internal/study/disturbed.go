package study

import (
	"maps"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/internal/finding"
)

type disturbances struct {
	blocks    int
	disturbed map[string][]finding.Finding // one for each block, by ID
}

func (d *disturbances) add(findings []finding.Finding) {
	d.blocks++
	if d.disturbed == nil {
		d.disturbed = make(map[string][]finding.Finding)
	}
	for _, f := range findings {
		d.disturbed[f.ID] = append(d.disturbed[f.ID], f)
	}
}

// findings returns a finding for each disturbance that at least half of the
// blocks had. Rarer ones affect all variants of a few blocks.
func (d *disturbances) findings() []finding.Finding {
	var all []finding.Finding
	for _, id := range slices.Sorted(maps.Keys(d.disturbed)) {
		of := d.disturbed[id]
		if 2*len(of) < d.blocks {
			continue
		}
		last := of[len(of)-1]
		all = append(all, catalog.DisturbedBlocks.Of(last.Subject, finding.Count("blocks", len(of), ""), finding.Count("all", d.blocks, "block"),
			finding.Text("why", last.Message), finding.Text("action", last.Action)))
	}
	return all
}
