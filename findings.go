package tare

import (
	"github.com/tarebench/tare/internal/finding"
)

// Findings reports what the numbers cannot show.
func (d Distribution) Findings() []finding.Finding {
	if d.Laps == 0 {
		return []finding.Finding{finding.NoLaps.Of("")}
	}
	var all []finding.Finding
	median := d.corrected.Quantile(0.5).Value
	if d.Laps == 1 {
		median = d.corrected.Mean()
	}
	switch {
	case median < d.Resolution:
		all = append(all, finding.LapsBelowResolution.Of("", finding.Quantity("resolution", 1e-9*d.Resolution, "sec")))
	case median < leastSteps*d.Resolution && d.Operations == 1:
		all = append(all, finding.CoarseLaps.Of("", finding.Quantity("lap", 1e-9*median, "sec"), finding.Quantity("step", 1e-9*d.Resolution, "sec")))
	}
	if width := d.Overhead.Hi - d.Overhead.Lo; median >= d.Resolution && width > 0.05*median {
		all = append(all, finding.OverheadUncertain.Of("", finding.Share("share", width/median)))
	}
	if d.drift > 1e-3 {
		all = append(all, finding.UnsteadyCycleClock.Of("", finding.Share("share", d.drift)))
	}
	return all
}
