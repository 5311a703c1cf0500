package lint

import (
	"golang.org/x/tools/go/analysis"

	"github.com/tarebench/tare/finding"
)

// Check is one analyzer and what a driver and the documentation need beside
// it.
type Check struct {
	*analysis.Analyzer
	// Title is the mistake in a few words.
	Title string
	// Default says whether the check runs unless it is asked for by name. A
	// check stands on by default when at least 95 % of what it found in real
	// code was true (docs/results/lint.md).
	Default bool
	// Severity is the weight of its findings.
	Severity finding.Severity
	// Wrong and Right are examples: complete functions, the second clean.
	Wrong, Right string
}

// Checks lists every check in the order of the documentation.
func Checks() []Check {
	return []Check{
		sizeFromN,
		inputFromCounter,
		noLoop,
		twoLoops,
		loopExit,
		loopCondition,
		deadResult,
		constantInput,
		loopNoise,
		missingReset,
		misplacedReset,
		pausedLoop,
		unbalancedTimer,
		erasedMetric,
		parallelBody,
		parallelFatal,
		growingState,
		spentInput,
		wrongBytes,
		capturedVariable,
		benchmarkName,
		outerB,
		ignoreDirective,
	}
}

// Analyzers returns the analyzers of the checks: those that stand on by
// default, or all of them.
func Analyzers(all bool) []*analysis.Analyzer {
	var list []*analysis.Analyzer
	for _, c := range Checks() {
		if all || c.Default {
			list = append(list, c.Analyzer)
		}
	}
	return list
}

// withFlag gives an analyzer a flag that is off unless asked for.
func withFlag(a *analysis.Analyzer, name, usage string) *analysis.Analyzer {
	a.Flags.Bool(name, false, usage)
	return a
}

// flag says whether a flag of the running analyzer is on.
func (r *reporter) flag(name string) bool {
	return r.Analyzer.Flags.Lookup(name).Value.String() == "true"
}

// documentation is where the checks are explained; an anchor per name.
const documentation = "https://github.com/tarebench/tare/blob/main/docs/lint.md#"

// analyzer makes the analyzer of a check: run is called once per benchmark
// function of the package.
func analyzer(name, doc string, run func(*reporter, *scope)) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:     name,
		Doc:      doc,
		URL:      documentation + name,
		Requires: []*analysis.Analyzer{sheetAnalyzer},
		Run: func(pass *analysis.Pass) (any, error) {
			r := &reporter{pass, pass.ResultOf[sheetAnalyzer].(*sheet)}
			for _, s := range r.sheet.scopes {
				run(r, s)
			}
			return nil, nil
		},
	}
}
