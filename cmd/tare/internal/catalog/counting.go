package catalog

import "github.com/tarebench/tare/internal/finding"

// Counting instructions.
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
		Action:  "look for maps, goroutines or random numbers, and compare only changes beyond that spread",
	}
	CountWithoutGC = finding.Kind{
		ID: "count-without-gc", Severity: finding.Info,
		Message: "counted with the garbage collector off ({bytes}/op): its work is not in instructions/op",
		Action:  "read allocs/op and B/op with it",
	}
	CountHeapGrew = finding.Kind{
		ID: "count-heap-grew", Severity: finding.Warning,
		Message: "{operations} allocate more than the {heap} grown beforehand: the count includes the growth",
		Action:  "trust differences of a few percent only",
	}
	NoValgrind = finding.Kind{
		ID: "no-valgrind", Severity: finding.Warning,
		Message: "not counted: {why}",
		Action:  "apt-get install valgrind (Debian, Ubuntu), or measure time alone",
	}
)
