package catalog

import "github.com/tarebench/tare/internal/finding"

// Measuring one benchmark.
var (
	BelowResolution = finding.Kind{
		ID: "below-resolution", Severity: finding.Severe,
		Message: "the time per operation is within the uncertainty of the clock's overhead",
		Action:  "time many operations between StartTimer and StopTimer",
	}
	BelowOneCycle = finding.Kind{
		ID: "below-one-cycle", Severity: finding.Severe,
		Message: "{time} is less than one cycle of the base clock ({cycle}): the work is not measured",
		Action:  "loop with b.Loop, which keeps the work: it was deleted, the timer was reset, or no loop runs b.N times",
	}
	GrowsInProcess = finding.Kind{
		ID: "grows-in-process", Severity: finding.Warning,
		Message: "in {slower} of {processes} the operation becomes slower during the run, typically by {growth}",
		Action:  "look for slices and maps that are never emptied (tare lint)",
	}
	NotLinear = finding.Kind{
		ID: "not-linear", Severity: finding.Warning,
		Message: "an operation allocates {first} times after {iterations} and {later} times after twice as many: no count represents all",
		Action:  "reset the state that grows, or measure a fixed number of operations (-benchtime 1000x)",
	}
	DependsOnN = finding.Kind{
		ID: "depends-on-n", Severity: finding.Warning,
		Message: "{unit} depends on the number of iterations: {first} in a call of {n}, {later} in a call of {more}",
		Action:  "divide the metric by b.N, give b.SetBytes the bytes of one operation, empty what each operation adds to, exclude the setup (b.ResetTimer)",
	}
	FirstCallAllocates = finding.Kind{
		ID: "first-call-allocates", Severity: finding.Info,
		Message: "the first call after a collection allocates {first} more: go test, which collects, shows up to {more} more in 10,000 iterations",
	}
	SetupAllocates = finding.Kind{
		ID: "setup-allocates", Severity: finding.Info,
		Message: "the setup of each call allocates {setup}, not counted here: go test shows {more} more in 10,000 iterations",
		Action:  "call b.ResetTimer after the setup, or loop with b.Loop",
	}
	TailNeedsLoop = finding.Kind{
		ID: "tail-needs-loop", Severity: finding.Info,
		Message: "no percentiles: they need b.Loop or RunParallel, and a timer that never stops",
		Action:  "write for b.Loop() instead of a loop up to b.N",
	}
	TailBatch = finding.Kind{
		ID: "tail-batch", Severity: finding.Info,
		Message: "the clock does not resolve one operation: percentiles are of means of {operations}",
	}
	Retains = finding.Kind{
		ID: "live-heap-grows", Severity: finding.Warning,
		Message: "the live heap of {variant} grows by {bytes} in {iterations}, most of it from {sites}",
		Action:  "look for slices, maps and caches that are never emptied",
	}
	GoroutinesLeft = finding.Kind{
		ID: "goroutines-left", Severity: finding.Warning,
		Message: "{iterations} of {variant} leave {goroutines} running",
		Action:  "end the goroutines of an operation: close its channels, cancel its contexts",
	}
	MemoryRetained = finding.Kind{
		ID: "memory-retained", Severity: finding.Info,
		Message: "the live heap rises by {live}: memory is retained",
	}
	CollectorPaced = finding.Kind{
		ID: "collector-paced", Severity: finding.Info,
		Message: "the heap goal rises by {goal}, the live heap does not: the collector is paced differently",
		Action:  "look for GOGC, GOMEMLIMIT, debug.SetGCPercent, and larger stacks or globals",
	}
	Waited = finding.Kind{
		ID: "waited", Severity: finding.Warning,
		Message: "{side} takes {times} times its CPU time: it waits, or other programs had its CPUs",
		Action:  "compare with a run on a quiet machine",
	}
	SlowSetup = finding.Kind{
		ID: "slow-setup", Severity: finding.Warning,
		Message: "a call takes {setup} s outside of its timed part, and the first calls took the budget",
		Action:  "set up once, outside of the benchmark function, or raise -budget",
	}
	NotPlaced = finding.Kind{
		ID: "not-placed", Severity: finding.Info,
		Message: "the system chooses the CPUs of the test processes: {why}",
		Action:  "leave a CPU idle: other programs may share the CPU of the slices",
	}
	NoPeak = finding.Kind{
		ID: "no-peak-rss", Severity: finding.Info,
		Message: "the peak RSS is not known",
		Action:  "measure a longer program, on Linux",
	}
	ExitsNonzero = finding.Kind{
		ID: "exits-nonzero", Severity: finding.Warning,
		Message: "the program exits with {code} in every variant: {why}",
		Action:  "check the arguments: a program with wrong ones ends early",
	}
	OutputDiffers = finding.Kind{
		ID: "output-differs", Severity: finding.Warning,
		Message: "{variant} prints a different output: {difference}",
		Action:  "check that both do the same work",
	}
	InitChanged = finding.Kind{
		ID: "init-changed", Severity: finding.Info,
		Message: "init of packages takes a different time in {variant}: {packages}",
		Action:  "look there for tables, regular expressions and new imports",
	}
)
