package catalog

import "github.com/tarebench/tare/internal/finding"

// Reading benchmark files.
var (
	MalformedLine = finding.Kind{
		ID: "malformed-line", Severity: finding.Warning,
		Message: "{why}",
		Action:  "it was skipped: fix or remove it, or a gate stays undecided",
	}
	FailedRun = finding.Kind{
		ID: "failed-run", Severity: finding.Warning,
		Message: "the file contains {line}: a test or benchmark failed while it was made",
		Action:  "fix it and measure again: results may be missing",
	}
	TooFewRuns = finding.Kind{
		ID: "too-few-runs", Severity: finding.Warning,
		Message: "{runs} cannot show any difference at alpha {alpha}: each variant needs {needed}",
		Action:  "measure with -count 10 or more",
	}
	AllEqual = finding.Kind{
		ID: "all-equal", Severity: finding.Info,
		Message: "every run has {value}: the printed digits are too few to show the spread",
		Action:  "measure more work per operation, or use tare compare",
	}
	NotPositive = finding.Kind{
		ID: "not-positive", Severity: finding.Info,
		Message: "a value is zero or negative: the change is a difference",
	}
	NotExact = finding.Kind{
		ID: "not-exact", Severity: finding.Warning,
		Message: "the unit {unit} is declared exact, but values range from {least} to {most}",
		Action:  "find out why, or remove assume=exact from its Unit line",
	}
	MixedResults = finding.Kind{
		ID: "mixed-results", Severity: finding.Warning,
		Message: "joined results differ in {keys}",
		Action:  "name the key in -row or -table to keep them apart, or in -ignore",
	}
	NoMedianInterval = finding.Kind{
		ID: "no-median-interval", Severity: finding.Info,
		Message: "{runs} are too few for a {confidence} interval of the median: it needs {needed}",
		Action:  "measure with -count 10 or more",
	}
	SmallestChange = finding.Kind{
		ID: "smallest-change", Severity: finding.Info,
		Message: "with 80% power these runs can detect a change of {share}{noisiest}",
		Action:  "half of that needs four times as many runs",
	}
	OneSideOnly = finding.Kind{
		ID: "one-side-only", Severity: finding.Warning,
		Message: "only {variant} has {names}: nothing to compare",
		Action:  "if only the configuration differs, name its key in -ignore",
	}
	SequentialBlocks = finding.Kind{
		ID: "sequential-blocks", Severity: finding.Warning,
		Message: "all runs of one variant came before those of the other: every p here assumes that the machine did not change in between",
		Action:  "use tare compare, which alternates, or alternate the runs yourself",
	}
	DifferentMachines = finding.Kind{
		ID: "different-machines", Severity: finding.Severe,
		Message: "{difference}: two machines were compared",
		Action:  "measure both on one machine",
	}
	DifferentGo = finding.Kind{
		ID: "different-go", Severity: finding.Warning,
		Message: "{difference}: the change includes the change of the toolchain",
		Action:  "build both with one Go, unless that is the question",
	}
	ConfigDiffers = finding.Kind{
		ID: "config-differs", Severity: finding.Info,
		Message: "{difference}: these results are compared",
		Action:  "give -table .config to keep such results apart",
	}
	UnitContradiction = finding.Kind{
		ID: "unit-contradiction", Severity: finding.Warning,
		Message: "Unit {setting}, but an earlier file has {earlier}",
		Action:  "make them agree: the earlier one is used",
	}
)
