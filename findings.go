package tare

import (
	"fmt"

	"github.com/tarebench/tare/finding"
)

// Findings reports what the numbers cannot show.
func (d Distribution) Findings() []finding.Finding {
	if d.Laps == 0 {
		return []finding.Finding{{ID: "no-laps", Severity: finding.Severe,
			Message: "no lap was timed", Action: "let Next return true at least once"}}
	}
	var all []finding.Finding
	median := d.corrected.Quantile(0.5).Value
	if d.Laps == 1 {
		median = d.corrected.Mean()
	}
	switch {
	case median < d.Resolution:
		all = append(all, finding.Finding{ID: "below-resolution", Severity: finding.Warning,
			Message: fmt.Sprintf("half of the laps take less than %.3g ns per operation, which this clock cannot tell from nothing", d.Resolution),
			Action:  "put more operations into a lap (Repeat), and make sure that the compiler did not delete them"})
	case median < leastSteps*d.Resolution && d.Operations == 1:
		all = append(all, finding.Finding{ID: "coarse-laps", Severity: finding.Info,
			Message: fmt.Sprintf("a lap of about %.3g ns is read as a multiple of the clock's step of %.3g ns, and quantiles with it", median, d.Resolution),
			Action:  "put several operations into a lap (Repeat) where single ones do not matter"})
	}
	if width := d.Overhead.Hi - d.Overhead.Lo; median >= d.Resolution && width > 0.05*median {
		all = append(all, finding.Finding{ID: "uncertain-overhead", Severity: finding.Info,
			Message: fmt.Sprintf("the overhead is known to %.3g ns, more than a twentieth of the median of %.3g ns", width, median),
			Action:  "put more operations into a lap, or measure on a quieter machine"})
	}
	if d.drift > 1e-3 {
		all = append(all, finding.Finding{ID: "unsteady-cycle-clock", Severity: finding.Severe,
			Message: fmt.Sprintf("the rate of the cycle clock changed by %.2g%% during the laps", 100*d.drift),
			Action:  "use the option Monotonic"})
	}
	return all
}
