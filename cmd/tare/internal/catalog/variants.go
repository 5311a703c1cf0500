package catalog

import "github.com/tarebench/tare/internal/finding"

// Building variants.
var (
	KeptFolder = finding.Kind{
		ID: "kept-folder", Severity: finding.Warning,
		Message: "its directory, {folder}, no longer exists, so it runs in {now}",
		Action:  "run tare in the package's directory, if benchmarks read testdata",
	}
	AbsoluteReplace = finding.Kind{
		ID: "absolute-replace", Severity: finding.Warning,
		Message: "{directive} names the checkout by its absolute path: {revision} is built with it as it is now",
		Action:  "use a relative path, which leads into the revision",
	}
	OutsideReplace = finding.Kind{
		ID: "outside-replace", Severity: finding.Info,
		Message: "{folder} {why}: revision {revision} is built with it as it is now",
	}
	UnreachableReplace = finding.Kind{
		ID: "unreachable-replace", Severity: finding.Warning,
		Message: "the worktree cannot reach {folder}: {why}",
		Action:  "allow symbolic links (Windows: developer mode), or write an absolute path in go.mod",
	}
	Workspace = finding.Kind{
		ID: "workspace", Severity: finding.Info,
		Message: "git does not track this go.work in revision {revision}: both variants use it as it is now",
	}
	SubmoduleMissing = finding.Kind{
		ID: "submodule-missing", Severity: finding.Warning,
		Message: "the submodule stays empty in revision {revision}: {why}",
		Action:  "git submodule update --init --recursive, and git fetch in the submodule, bring it",
	}
	ModUnused = finding.Kind{
		ID: "mod-unused", Severity: finding.Warning,
		Message: "no package of {variant} is of this module: mod= changes nothing",
		Action:  "name a module of go list -m all, from v2 on with its version: example.com/m/v2",
	}
	NewTests = finding.Kind{
		ID: "new-tests", Severity: finding.Info,
		Message: "rows with new tests: {variant} was measured with the tests of {from}, since the tests differ{without}",
		Action:  "-split measures the change of the tests, and OLD,tests=OLD keeps each variant's tests",
	}
	OwnTests = finding.Kind{
		ID: "own-tests", Severity: finding.Warning,
		Message: "{variant} {does} the tests of {from}, so each variant keeps its tests: {why}",
		Action:  "add the new benchmarks in a commit that also builds with the old code, and compare from there; -split shows tests and code apart",
	}
	NoFuncOrders = finding.Kind{
		ID: "no-layouts", Severity: finding.Warning,
		Message: "{why}",
		Action:  "use Go 1.22 or newer, which links function orders",
	}
)
