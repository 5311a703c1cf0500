package machine

import (
	"github.com/tarebench/tare/internal/finding"
)

// Check is one check of the machine. As in go/analysis, it is a value with its
// own documentation: the page docs/doctor.md comes from
// this list.
type Check struct {
	// Kind is the kind of its findings.
	Kind finding.Kind
	// Doc names on its first line what the check reads, then why it matters.
	Doc string
	// Run is pure: the same observation gives the same findings.
	Run func(o *Observation) []finding.Finding
}

// Checks lists all checks in the order of the report.
func Checks() []Check {
	return []Check{
		governorCheck,
		boostCheck,
		fewCPUsCheck,
		isolationCheck,
		siblingsCheck,
		loadCheck,
		interruptsCheck,
		virtualCheck,
		stolenCheck,
		quotaCheck,
		cgroupThrottledCheck,
		thermalCheck,
		suspendedCheck,
		batteryCheck,
		swappedCheck,
		clockSourceCheck,
		clockCostCheck,
		noiseCheck,
		unevenSpeedCheck,
		sustainedCheck,
		lockCheck,
		buildFlagsCheck,
		goSettingsCheck,
	}
}

// Findings runs all checks.
func Findings(o *Observation) []finding.Finding {
	var all []finding.Finding
	for _, c := range Checks() {
		all = append(all, c.Run(o)...)
	}
	return all
}

// during makes a check of one of the findings of Since. The doctor's window and
// a study's blocks are then judged by one rule.
func during(k finding.Kind) func(o *Observation) []finding.Finding {
	return func(o *Observation) []finding.Finding {
		if !o.Watched {
			return nil
		}
		_, all := o.Last.Since(o.Before)
		for _, f := range all {
			if k.Is(f) {
				return []finding.Finding{f}
			}
		}
		return nil
	}
}
