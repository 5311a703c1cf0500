package machine

import (
	"context"
	"io/fs"
	"time"

	"github.com/tarebench/tare/clock"
	"github.com/tarebench/tare/cmd/tare/internal/process"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
)

// Diagnosis is the result of tare doctor.
type Diagnosis struct {
	Schema  int            `json:"schema"`
	Machine result.Machine `json:"machine"`
	// Clock is the overhead of the clock in nanoseconds. It is nil if nothing
	// was measured.
	Clock *clock.Calibration `json:"clock,omitempty"`
	// CPUs are the noise profiles.
	CPUs []CPUProfile `json:"cpus,omitempty"`
	// Skipped is the reason why nothing was measured.
	Skipped  string            `json:"skipped,omitempty"`
	Findings []finding.Finding `json:"findings"`
}

// Effort is how long each part of a diagnosis takes.
type Effort struct {
	// Watch is the window in which the machine is only observed, Spin the time
	// of the noise profiles over all CPUs. A part without time is skipped.
	Watch, Spin time.Duration
}

// Diagnose observes the machine below root, measures it, and runs the checks.
// about (may be nil) adds the caller's facts to the observation, after the
// watch and before the spins, which keep all CPUs busy. With an effort of zero
// nothing is measured, as for trees of another machine.
func Diagnose(ctx context.Context, root fs.FS, e Effort, about func(*Observation)) (Diagnosis, error) {
	var wait func()
	if e.Watch > 0 {
		wait = func() {
			select {
			case <-time.After(e.Watch):
			case <-ctx.Done():
			}
		}
	}
	o := Observe(root, wait)
	if about != nil {
		about(&o)
	}
	d := Diagnosis{Schema: result.Schema, Machine: o.Machine}
	var err error
	if e.Spin > 0 {
		c := clock.Calibrate()
		o.Clock = &c
		cpus, _ := process.Processors() // without them, any CPU
		o.Spins, err = spin(ctx, cpus, e.Spin)
		if err != nil {
			return d, err
		}
	}
	if o.Clock != nil && o.Watched {
		o.Last = Snapshot(root)
	}
	d.Machine, d.Clock, d.CPUs = o.Machine, o.Clock, o.Spins
	d.Findings = Findings(&o)
	if d.Findings == nil {
		d.Findings = []finding.Finding{}
	}
	return d, ctx.Err()
}

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
