package kind

import "github.com/tarebench/tare/internal/finding"

// Whether two variants do the same work (-audit).
var (
	TestsChanged = finding.Kind{
		ID: "tests-changed", Severity: finding.Warning,
		Message: "the variants have other tests ({files}): with the old tests in both the change is {fixed}, with their own {own}",
		Action:  "quote the change with the same tests, and report the change of the tests",
	}
	TestsDiffer = finding.Kind{
		ID: "tests-differ", Severity: finding.Warning,
		Message: "the variants have other tests ({files}), and the new code does not build with the old ones: {why}",
		Action:  "commit the change of the tests separately, and compare from there",
	}
	TestAware = finding.Kind{
		ID: "test-aware", Severity: finding.Warning,
		Message: "{what} is new at {place}: code that detects a test, or sets a value that a test measures",
		Action:  "compare without it",
	}
	WorkInInit = finding.Kind{
		ID: "work-in-init", Severity: finding.Warning,
		Message: "its init takes {new} and {bytes}, before {old} and {before}: once in every process, outside of the timed operations",
		Action:  "add it to the start of the program, or do the work on first use",
	}
	StartsGoroutine = finding.Kind{
		ID: "starts-goroutine", Severity: finding.Info,
		Message: "a go statement is new at {place}: its work after the operation returns is not in the time of the operation",
		Action:  "wait for it in the benchmark, or report its CPU time too",
	}
	FirstCall = finding.Kind{
		ID: "first-call", Severity: finding.Warning,
		Message: "the first call in a process takes {new}, before {old}: later calls save {saved} each; it pays after {calls} with the same input",
		Action:  "measure with other inputs in turn, if callers have them",
	}
	KeepsMemory = finding.Kind{
		ID: "keeps-memory", Severity: finding.Warning,
		Message: "the process keeps {new} of heap alive, before {old}",
		Action:  "report the memory with the time",
	}
	OtherBytes = finding.Kind{
		ID: "other-bytes", Severity: finding.Warning,
		Message: "an operation processes {new}, before {old}",
		Action:  "compare operations of the same size",
	}
)

// Audit are the kinds that -audit adds.
func Audit() []finding.Kind {
	return []finding.Kind{TestsChanged, TestsDiffer, TestAware, WorkInInit, StartsGoroutine, FirstCall, KeepsMemory, OtherBytes}
}
