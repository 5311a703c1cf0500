package study

import (
	"maps"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/internal/finding"
)

type disturbances struct {
	blocks    int
	disturbed map[string]int // blocks by disturbance
	last      map[string]finding.Finding
}

func (d *disturbances) add(findings []finding.Finding) {
	d.blocks++
	if d.disturbed == nil {
		d.disturbed, d.last = map[string]int{}, map[string]finding.Finding{}
	}
	for _, f := range findings {
		d.disturbed[f.ID]++
		d.last[f.ID] = f
	}
}

// findings returns a finding for each disturbance that at least half of the
// blocks had. Rarer ones affect all variants of a few blocks.
func (d *disturbances) findings() []finding.Finding {
	var all []finding.Finding
	for _, id := range slices.Sorted(maps.Keys(d.disturbed)) {
		if 2*d.disturbed[id] < d.blocks {
			continue
		}
		last := d.last[id]
		all = append(all, catalog.DisturbedBlocks.Of(last.Subject, finding.Count("blocks", d.disturbed[id], ""), finding.Count("all", d.blocks, "block"),
			finding.Text("why", last.Message), finding.Text("action", last.Action)))
	}
	return all
}
