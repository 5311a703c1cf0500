package lint

import (
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/tarebench/tare/internal/finding"
)

// Check is an analyzer with its severity and its documentation, the file
// checks/NAME.md. A check stays while at least 95% of its findings in real code
// are true (docs/results/lint.txt).
type Check struct {
	*analysis.Analyzer
	// Severity is the severity of its findings.
	Severity finding.Severity
}

// Title is the mistake in a few words.
func (c Check) Title() string { return page(c.Name).title }

// Help is the documentation of the check in Markdown: the mistake, the reported
// code, and a wrong and a right example.
func (c Check) Help() string { return page(c.Name).text }

var checks = []Check{
	sizeFromN,
	inputFromCounter,
	noLoop,
	loopCondition,
	loopControl,
	deadResult,
	loopNoise,
	missingReset,
	misplacedReset,
	parallelBody,
	loopGoroutine,
	spentInput,
}

// Checks lists every check in the order of the documentation.
func Checks() []Check { return append(slices.Clone(checks), ignoreDirective) }

// Analyzers returns the analyzers of the checks.
func Analyzers() []*analysis.Analyzer {
	var list []*analysis.Analyzer
	for _, c := range Checks() {
		list = append(list, c.Analyzer)
	}
	return list
}

const documentation = "https://github.com/tarebench/tare/blob/main/cmd/tare/lint/checks/"

// analyzer makes the analyzer of a check. run is called once per benchmark
// function of the package.
func analyzer(name string, run func(*reporter, *scope), requires ...*analysis.Analyzer) *analysis.Analyzer {
	return packageAnalyzer(name, func(r *reporter) {
		for _, s := range r.sheet.scopes {
			run(r, s)
		}
	}, requires...)
}

func packageAnalyzer(name string, run func(*reporter), requires ...*analysis.Analyzer) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:     name,
		Doc:      page(name).doc,
		URL:      documentation + name + ".md",
		Requires: append(requires, sheetAnalyzer),
		Run: func(pass *analysis.Pass) (any, error) {
			r := &reporter{Pass: pass, sheet: pass.ResultOf[sheetAnalyzer].(*sheet)}
			r.code, _ = pass.ResultOf[ssaAnalyzer].(*code)
			run(r)
			return nil, nil
		},
	}
}
