package catalog

import "github.com/tarebench/tare/internal/finding"

// Running and comparing.
var (
	TooFewBlocks = finding.Kind{
		ID: "too-few-blocks", Severity: finding.Warning,
		Message: "{blocks}: an interval needs {needed}",
		Action:  "raise -budget or -blocks",
	}
	CPUsMissing = finding.Kind{
		ID: "cpus-missing", Severity: finding.Info,
		Message: "not measured with -cpu {left}: this machine has {cpus}",
		Action:  "measure on a machine with more CPUs, or with -cpu of this value alone",
	}
	TooFewFuncOrders = finding.Kind{
		ID: "too-few-layouts", Severity: finding.Warning,
		Message: "{blocks} share {layouts}: an interval needs {needed}",
		Action:  "raise -budget to link more function orders",
	}
	FuncOrdersAreTheUnit = finding.Kind{
		ID: "layouts-are-the-unit", Severity: finding.Info,
		Message: "{blocks} share {layouts}, and n counts the orders: the interval is up to {ratio} times as wide as with an order per block",
		Action:  "raise -budget to link more function orders",
	}
	OneLayout = finding.Kind{
		ID: "one-layout", Severity: finding.Warning,
		Message: "every block of the {side} variant ran one function order, which alone can change a benchmark by a few percent",
		Action:  "compare revisions instead of kept binaries",
	}
	PartOfStudy = finding.Kind{
		ID: "part-of-a-study", Severity: finding.Info,
		Message: "this is part {number} of {of}: verdicts need all parts",
		Action:  "tare show with all parts judges them together",
	}
	LongRunsDiffer = finding.Kind{
		ID: "long-runs-differ", Severity: finding.Warning,
		Message: "{side} takes {change} in long runs on all CPUs, compared with slices: {why}",
		Action:  "measure on a quieter machine, or in long slices (-benchtime {iterations}x)",
	}
	TooBusy = finding.Kind{
		ID: "too-busy", Severity: finding.Warning,
		Message: "it uses several CPUs, and other programs had them: how long it takes is not known",
		Action:  "measure on a quieter machine (tare doctor)",
	}
	WholeCalls = finding.Kind{
		ID: "whole-calls", Severity: finding.Info,
		Message: "measured in whole calls, as go test makes them: {side} takes {change} in them, compared with slices: {why}",
	}
	BlocksCorrelated = finding.Kind{
		ID: "blocks-correlated", Severity: finding.Warning,
		Message: "the changes of successive blocks are correlated (p = {p}): the interval is too narrow",
		Action:  "measure again, and rely on the change only if both runs show it",
	}
	NotAfterAdjustment = finding.Kind{
		ID: "not-after-adjustment", Severity: finding.Info,
		Message: "significant alone (p={p}), not after adjustment for {rows}",
		Action:  "measure fewer benchmarks or units at once",
	}
	Accepted = finding.Kind{
		ID: "accepted", Severity: finding.Warning,
		Message: "more {unit} passes the gate: a commit accepts up to +{limit}, because {because}",
	}
	AcceptUnread = finding.Kind{
		ID: "accept-unread", Severity: finding.Warning,
		Message: "the trailer Tare-Accept of a commit accepts nothing",
		Action:  "write Tare-Accept: NAME +3% because REASON",
	}
	LikelyCause = finding.Kind{
		ID: "likely-cause", Severity: finding.Info,
		Message: "{verdict} in {variant}: {cause}",
		Action:  "tare explain looks at profiles and at the compiler's reasons",
	}
	ProductionUnread = finding.Kind{
		ID: "production-unread", Severity: finding.Warning,
		Message: "changed functions are not weighed by production: {why}",
		Action:  "give -profile a CPU profile of a program that contains the code",
	}
	HotCode = finding.Kind{
		ID: "hot-code", Severity: finding.Info,
		Message: "{share} of the CPU time in {file}, and no benchmark reaches it",
		Action:  "{nearest}",
	}
	Failed = finding.Kind{
		ID: "failed", Severity: finding.Severe,
		Message: "failed in {variant}: {why}",
		Action:  "run go test -bench in the package, or the program, to see it fail, or leave it out with -skip",
	}
	NotBuilt = finding.Kind{
		ID: "not-built", Severity: finding.Severe,
		Message: "{variant}: {why}",
		Action:  "fix the build of that variant, or do not name the package",
	}
	NotRun = finding.Kind{
		ID: "not-run", Severity: finding.Severe,
		Message: "{variant}: {why}",
		Action:  "run go test -bench in the package, or the program, to see it fail",
	}
	NotReached = finding.Kind{
		ID: "not-reached", Severity: finding.Info,
		Message: "not reached: {why} before its first look, at {blocks}",
		Action:  "raise -total, or continue with -resume",
	}
	TotalTooShort = finding.Kind{
		ID: "total-too-short", Severity: finding.Warning,
		Message: "{left} of {benchmarks} were not reached in {total}; about {enough} would reach all",
		Action:  "raise -total, divide the run among machines with -shard, or choose benchmarks with -bench",
	}
	TotalReachesNone = finding.Kind{
		ID: "total-reaches-none", Severity: finding.Warning,
		Message: "none of {benchmarks} was reached in {total}",
		Action:  "raise -total, or choose benchmarks with -bench",
	}
	PackageNotReached = finding.Kind{
		ID: "package-not-reached", Severity: finding.Warning,
		Message: "not reached: half of -total was over before the package was built",
		Action:  "raise -total, or name fewer packages",
	}
	Missing = finding.Kind{
		ID: "missing", Severity: finding.Info,
		Message: "not in {variant}",
	}
	NotANumber = finding.Kind{
		ID: "not-a-number", Severity: finding.Warning,
		Message: "{unit} is NaN or infinite in {variant}",
		Action:  "report the metric only if it is a number",
	}
	IncompleteMetric = finding.Kind{
		ID: "incomplete-metric", Severity: finding.Warning,
		Message: "{unit} is not in every block of {variant}: it is not compared",
		Action:  "report it in every run",
	}
	Skipped = finding.Kind{
		ID: "skipped", Severity: finding.Info,
		Message: "skipped: {why}",
	}
	PlainProcesses = finding.Kind{
		ID: "plain-processes", Severity: finding.Warning,
		Message: "{variant} runs without the overlay of package testing ({why}): whole processes alternate, which is slower and noisier",
	}
	NoHandover = finding.Kind{
		ID: "no-handover", Severity: finding.Warning,
		Message: "the variants cannot hand over directly ({why}): each slice goes through tare, which costs precision",
		Action:  "set TMPDIR to a directory with room for 4 MB",
	}
	OneAtATime = finding.Kind{
		ID: "one-at-a-time", Severity: finding.Warning,
		Message: "two processes cannot coexist ({why}): the variants ran one at a time, which cancels less drift",
		Action:  "use a free port or a temporary file in the benchmark",
	}
	SiblingsFirst = finding.Kind{
		ID: "siblings-first", Severity: finding.Info,
		Message: "depends on the sub-benchmarks before it ({why}): one iteration of each runs first, untimed",
		Action:  "let each sub-benchmark set up its own data",
	}
	ProcsOverruled = finding.Kind{
		ID: "gomaxprocs-overruled", Severity: finding.Warning,
		Message: "-cpu is measured, not the variant's GOMAXPROCS={procs}",
		Action:  "omit -cpu to measure the variant's",
	}
	ProcsChanged = finding.Kind{
		ID: "gomaxprocs-changed", Severity: finding.Warning,
		Message: "GOMAXPROCS of {side} changed from {first} to {last}",
		Action:  "set it before the first iteration, or with -cpu",
	}
	DisturbedBlocks = finding.Kind{
		ID: "disturbed-blocks", Severity: finding.Warning,
		Message: "the machine disturbed {blocks} of {all}, mostly both variants alike (last: {why})",
		Action:  "{action}",
	}
	ProfileFailed = finding.Kind{
		ID: "profile-failed", Severity: finding.Warning,
		Message: "not profiled: {why}",
		Action:  "run the benchmark with go test and the same flag",
	}
)
