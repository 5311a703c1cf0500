package lint

import (
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/tarebench/tare/internal/finding"
)

// Check is one analyzer with what a driver and the documentation need besides
// it. Its documentation is the file checks/NAME.md.
type Check struct {
	*analysis.Analyzer
	// Default reports whether the check runs unless it is asked for by name. A
	// check is on by default when at least 95% of its findings in real code
	// were true (docs/results/lint.md).
	Default bool
	// Severity is that of its findings.
	Severity finding.Severity
}

// Title is the mistake in a few words.
func (c Check) Title() string { return page(c.Name).title }

// Help is the documentation of the check in Markdown: the mistake, what is
// reported, and a wrong and a right example.
func (c Check) Help() string { return page(c.Name).text }

// Examples returns complete functions: one with the mistake, and one that is
// clean.
func (c Check) Examples() (wrong, right string) {
	p := page(c.Name)
	return p.wrong, p.right
}

// checks are those that look at benchmarks, in the order of the documentation.
var checks = []Check{
	sizeFromN,
	inputFromCounter,
	noLoop,
	twoLoops,
	loopExit,
	loopCondition,
	loopStep,
	deadResult,
	constantInput,
	errorPath,
	hotKey,
	loopNoise,
	missingReset,
	misplacedReset,
	pausedLoop,
	unbalancedTimer,
	erasedMetric,
	metricUnit,
	parallelBody,
	parallelFatal,
	goroutineFatal,
	loopGoroutine,
	loopDefer,
	growingState,
	spentInput,
	wrongBytes,
	capturedVariable,
	benchmarkName,
	outerB,
}

// Checks lists every check in the order of the documentation.
func Checks() []Check { return append(slices.Clone(checks), ignoreDirective) }

// Analyzers returns the analyzers of the checks: those that are on by default,
// or all of them.
func Analyzers(all bool) []*analysis.Analyzer {
	var list []*analysis.Analyzer
	for _, c := range Checks() {
		if all || c.Default {
			list = append(list, c.Analyzer)
		}
	}
	return list
}

// withFlag gives an analyzer a flag that is off by default.
func withFlag(a *analysis.Analyzer, name, usage string) *analysis.Analyzer {
	a.Flags.Bool(name, false, usage)
	return a
}

// flag reports whether a flag of the running analyzer is on.
func (r *reporter) flag(name string) bool {
	return r.Analyzer.Flags.Lookup(name).Value.String() == "true"
}

// documentation is where the checks are explained; an anchor per name.
const documentation = "https://github.com/tarebench/tare/blob/main/docs/lint.md#"

// analyzer makes the analyzer of a check: run is called once per benchmark
// function of the package.
func analyzer(name string, run func(*reporter, *scope)) *analysis.Analyzer {
	return packageAnalyzer(name, func(r *reporter) {
		for _, s := range r.sheet.scopes {
			run(r, s)
		}
	})
}

// packageAnalyzer makes the analyzer of a check that looks at a whole package.
func packageAnalyzer(name string, run func(*reporter), requires ...*analysis.Analyzer) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:     name,
		Doc:      page(name).doc,
		URL:      documentation + name,
		Requires: append(requires, sheetAnalyzer),
		Run: func(pass *analysis.Pass) (any, error) {
			run(&reporter{pass, pass.ResultOf[sheetAnalyzer].(*sheet)})
			return nil, nil
		},
	}
}
