package catalog

import "github.com/tarebench/tare/internal/finding"

// Counting instructions and events.
var (
	CountFunctions = finding.Kind{
		ID: "count-functions", Severity: finding.Info,
		Message: "{unit} changed in {functions}",
	}
	CountFailed = finding.Kind{
		ID: "count-failed", Severity: finding.Warning,
		Message: "instructions of {variant} were not counted: {why}",
		Action:  "run its counting build by hand, or omit -units time,instructions for it",
	}
	CountSpread = finding.Kind{
		ID: "count-spread", Severity: finding.Warning,
		Message: "{counts} spread from {least} to {most} per operation",
		Action:  "look for maps, goroutines or random numbers, whose work differs by process. Compare only changes beyond that spread",
	}
	CountWithoutGC = finding.Kind{
		ID: "count-without-gc", Severity: finding.Info,
		Message: "counted with the garbage collector off ({bytes}/op): its work is not in instructions/op",
		Action:  "read allocs/op and B/op with it",
	}
	CountHeapGrew = finding.Kind{
		ID: "count-heap-grew", Severity: finding.Warning,
		Message: "{operations} allocate more than the {heap} grown beforehand: growing the heap is in the count",
		Action:  "trust differences of a few percent only",
	}
	CountersMultiplexed = finding.Kind{
		ID: "counters-multiplexed", Severity: finding.Info,
		Message: "hardware counters ran {share} of the time and were scaled up: another program uses the PMU",
		Action:  "stop other profilers (a watchdog with kernel.nmi_watchdog=0) for exact counts",
	}
	CountersPaused = finding.Kind{
		ID: "counters-paused", Severity: finding.Warning,
		Message: "no hardware and software counters: the benchmark stops its timer, and they would count its pauses",
		Action:  "use -units time,instructions, which excludes pauses",
	}
	CountersLinuxOnly = finding.Kind{
		ID: "counters-linux-only", Severity: finding.Info,
		Message: "not counted: they need perf_event_open, which {system} does not have",
		Action:  "measure time alone, or count on Linux",
	}
	NoPMU = finding.Kind{
		ID: "no-pmu", Severity: finding.Info,
		Message: "not counted: no performance monitoring unit here (virtual machines often hide it)",
		Action:  "use -units time,instructions, or a machine with a PMU",
	}
	CountersFiltered = finding.Kind{
		ID: "counters-filtered", Severity: finding.Info,
		Message: "not counted: the system call perf_event_open is filtered, as in most containers",
		Action:  "run the container with --cap-add PERFMON and a seccomp profile that allows perf_event_open",
	}
	CountersForbidden = finding.Kind{
		ID: "counters-forbidden", Severity: finding.Info,
		Message: "not counted: kernel.perf_event_paranoid is {setting}",
		Action:  "sudo sysctl kernel.perf_event_paranoid=1",
	}
	CountersFailed = finding.Kind{
		ID: "counters-failed", Severity: finding.Info,
		Message: "not counted: {why}",
		Action:  "measure time alone, or use -units time,instructions",
	}
	NoValgrind = finding.Kind{
		ID: "no-valgrind", Severity: finding.Warning,
		Message: "not counted: {why}",
		Action:  "apt-get install valgrind (Debian, Ubuntu), or measure time alone",
	}
)
