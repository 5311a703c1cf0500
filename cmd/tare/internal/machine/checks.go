package machine

import (
	"github.com/tarebench/tare/internal/finding"
)

// checks are all checks, in the order of the report. A check is pure: the same
// observation gives the same findings. docs/doctor.md explains them.
var checks = []func(*Observation) []finding.Finding{
	governorCheck,
	boostCheck,
	coresCheck,
	loadCheck,
	virtualCheck,
	quotaCheck,
	disturbedCheck,
	clockCostCheck,
	noiseCheck,
	lockCheck,
	buildFlagsCheck,
}

// Findings runs all checks.
func Findings(o *Observation) []finding.Finding {
	var all []finding.Finding
	for _, check := range checks {
		all = append(all, check(o)...)
	}
	return all
}

func disturbedCheck(o *Observation) []finding.Finding {
	if !o.Watched {
		return nil
	}
	_, all := o.Last.Since(o.Before)
	return all
}
