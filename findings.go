package tare

import (
	"github.com/tarebench/tare/internal/finding"
)

// Finding is something about a measurement that deserves attention. ID is short
// and stable, such as "coarse-laps". Severity is its weight. Subject is empty if
// the finding is about the whole. Message is the observation, with numbers.
// Action is the next thing to do. Values has the numbers by name, in base units.
// String renders the finding on one line.
type Finding = finding.Finding

// Severity is how much a finding matters: [Info], [Warning] or [Severe].
type Severity = finding.Severity

const (
	// Info is worth knowing and changes nothing.
	Info = finding.Info
	// Warning puts a number in doubt.
	Warning = finding.Warning
	// Severe makes a number worthless until its cause is removed.
	Severe = finding.Severe
)

// Findings reports the limits of the numbers and how to improve them.
func (d Distribution) Findings() []Finding {
	if d.N == 0 {
		return []finding.Finding{finding.NoLaps.Of("")}
	}
	var all []finding.Finding
	median := d.corrected.Quantile(0.5).Value
	if d.N == 1 {
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
