package catalog

import "github.com/tarebench/tare/internal/finding"

// Findings of -audit: do both variants do the same work?
var (
	TestsChanged = finding.Kind{
		ID: "tests-changed", Severity: finding.Warning,
		Message: "the tests changed ({files}): the change is {fixed} with the old tests, {own} with each variant's tests",
		Action:  "quote the change with the same tests",
	}
	TestsDiffer = finding.Kind{
		ID: "tests-differ", Severity: finding.Warning,
		Message: "the tests differ ({files}), and the new code does not build with the old ones: {why}",
		Action:  "commit the tests separately, and compare from there",
	}
	TestAware = finding.Kind{
		ID: "test-aware", Severity: finding.Warning,
		Message: "{what} is new at {place}, which detects a test or sets a value that a test measures",
		Action:  "compare without it",
	}
	WorkInInit = finding.Kind{
		ID: "work-in-init", Severity: finding.Warning,
		Message: "its init takes {new} and {bytes}, before {old} and {before}, not in the timed operations",
		Action:  "count it in the start of the program, or do it on first use",
	}
	StartsGoroutine = finding.Kind{
		ID: "starts-goroutine", Severity: finding.Info,
		Message: "a go statement is new at {place}: its work after the operation is not in the time",
		Action:  "wait for it in the benchmark, or report its CPU time too",
	}
	WorkOutside = finding.Kind{
		ID: "work-outside", Severity: finding.Warning,
		Message: "its process uses {new} of CPU per operation outside of the timed part, before {old}; the timed part saves {saved}",
		Action:  "wait for that work in the benchmark, or report the CPU time of the process",
	}
	KnowsInput = finding.Kind{
		ID: "knows-input", Severity: finding.Warning,
		Message: "{place} compares with {text}, which is in {test}: other inputs may take longer",
		Action:  "measure with inputs that the code does not name",
	}
	LittleWork = finding.Kind{
		ID: "little-work", Severity: finding.Warning,
		Message: "an operation takes {new}, before {old}: an empty loop takes {empty}, so little work remains",
		Action:  "check its result, and keep the result in a package variable",
	}
	TestsFail = finding.Kind{
		ID: "tests-fail", Severity: finding.Warning,
		Message: "{test} fails with the new code and passes with the old: {why}",
		Action:  "fix the code first",
	}
	FirstCall = finding.Kind{
		ID: "first-call", Severity: finding.Warning,
		Message: "the first call in a process takes {new} of CPU time, before {old}: later calls save {saved} each, a gain after {calls} with the same input",
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
	return []finding.Kind{TestsChanged, TestsDiffer, TestsFail, TestAware, KnowsInput, WorkInInit, StartsGoroutine, WorkOutside, FirstCall,
		LittleWork, KeepsMemory, OtherBytes}
}
