package finding

// The findings of the library.
var (
	NoLaps = Kind{
		ID: "no-laps", Severity: Severe,
		Message: "no lap was timed",
		Action:  "let Next return true at least once",
	}
	LapsBelowResolution = Kind{
		ID: "laps-below-resolution", Severity: Warning,
		Message: "half of the laps take less than {resolution} per operation, the resolution of this clock",
		Action:  "put more operations into a lap (Repeat), and keep them from the compiler (Keep)",
	}
	CoarseLaps = Kind{
		ID: "coarse-laps", Severity: Info,
		Message: "a lap takes about {lap} and the clock steps by {step}, so quantiles are accurate to one step",
		Action:  "use Repeat(k) if you do not need quantiles of single operations",
	}
	UnsteadyCycleClock = Kind{
		ID: "unsteady-cycle-clock", Severity: Severe,
		Message: "the rate of the cycle clock changed by {share}",
		Action:  "use the option Monotonic",
	}
	LapsRunning = Kind{
		ID: "laps-running", Severity: Warning,
		Message: "{laps} never stopped: they are not in the distribution",
		Action:  "stop every lap, even if the operation fails",
	}
	LapsStoppedTwice = Kind{
		ID: "laps-stopped-twice", Severity: Warning,
		Message: "{laps} stopped more than once: the first time counts",
		Action:  "stop every lap once",
	}
	LapsUnknown = Kind{
		ID: "laps-unknown", Severity: Warning,
		Message: "{laps} stopped that it did not start",
		Action:  "stop a lap on the stopwatch that started it",
	}
	LapsAhead = Kind{
		ID: "laps-ahead", Severity: Warning,
		Message: "{laps} started before the intended time, or with the zero time: they have no response time",
		Action:  "wait for the intended time, or start laps with Schedule",
	}
	OverheadUncertain = Kind{
		ID: "overhead-uncertain", Severity: Warning,
		Message: "the clock's overhead is uncertain by {share} of the time per operation",
		Action:  "time more operations in each interval, or measure on a quieter machine",
	}
)
