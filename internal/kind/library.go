package kind

import "github.com/tarebench/tare/finding"

// The library (package tare).
var (
	NoLaps = finding.Kind{
		ID: "no-laps", Severity: finding.Severe,
		Message: "no lap was timed",
		Action:  "let Next return true at least once",
	}
	LapsBelowResolution = finding.Kind{
		ID: "laps-below-resolution", Severity: finding.Warning,
		Message: "half of the laps take less than {resolution} per operation, which this clock cannot distinguish from zero",
		Action:  "put more operations into a lap (Repeat), and make sure that the compiler did not delete them",
	}
	CoarseLaps = finding.Kind{
		ID: "coarse-laps", Severity: finding.Info,
		Message: "a lap of about {lap} is read as a multiple of the clock's step of {step}, and quantiles with it",
		Action:  "put several operations into a lap (Repeat) where single ones do not matter",
	}
	UnsteadyCycleClock = finding.Kind{
		ID: "unsteady-cycle-clock", Severity: finding.Severe,
		Message: "the rate of the cycle clock changed by {share} during the laps",
		Action:  "use the option Monotonic",
	}
	LapsRunning = finding.Kind{
		ID: "laps-running", Severity: finding.Warning,
		Message: "{laps} started and not stopped: not in the distribution",
		Action:  "stop every lap, also where an operation fails",
	}
	LapsStoppedTwice = finding.Kind{
		ID: "laps-stopped-twice", Severity: finding.Warning,
		Message: "{laps} stopped more than once: the first time counts",
		Action:  "stop every lap once",
	}
	LapsUnknown = finding.Kind{
		ID: "laps-unknown", Severity: finding.Warning,
		Message: "{laps} stopped that this stopwatch has not started",
		Action:  "stop a lap on the stopwatch that started it",
	}
	LapsAhead = finding.Kind{
		ID: "laps-ahead", Severity: finding.Warning,
		Message: "{laps} started before the intended time, or with the zero time: without a response time",
		Action:  "wait for the intended time, or take it from the schedule",
	}
)
