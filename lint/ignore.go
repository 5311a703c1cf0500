package lint

import (
	"go/ast"
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/tarebench/tare/finding"
)

const ignorePrefix = "//tare:ignore"

// ignored is one //tare:ignore comment.
type ignored struct {
	pos, end token.Pos
	file     string
	line     int
	id       string
	reason   string
}

// ignores reads the //tare:ignore comments of a file. A comment silences one
// check on its own line, or on the next line when it stands alone.
func ignores(fset *token.FileSet, file *ast.File) []ignored {
	var list []ignored
	for _, group := range file.Comments {
		for _, c := range group.List {
			rest, ok := strings.CutPrefix(c.Text, ignorePrefix)
			if !ok || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
				continue
			}
			// In a fixture the expectation follows in the same comment.
			rest, _, _ = strings.Cut(rest, "// want")
			id, reason, _ := strings.Cut(strings.TrimSpace(rest), " ")
			p := fset.Position(c.Pos())
			list = append(list, ignored{c.Pos(), c.End(), p.Filename, p.Line, id, strings.TrimSpace(reason)})
		}
	}
	return list
}

// reporter reports for one analyzer, less what //tare:ignore silences.
type reporter struct {
	*analysis.Pass
	sheet *sheet
}

func (r *reporter) silenced(pos token.Pos) bool { return r.ignored(r.Analyzer.Name, pos) }

// ignored says whether a comment silences a check at a place.
func (r *reporter) ignored(id string, pos token.Pos) bool {
	if len(r.sheet.ignores) == 0 {
		return false
	}
	p := r.Fset.Position(pos)
	for _, i := range r.sheet.ignores {
		if i.id == id && i.reason != "" && i.file == p.Filename && (i.line == p.Line || i.line == p.Line-1) {
			return true
		}
	}
	return false
}

// report reports at a node; fix may be nil.
func (r *reporter) report(at ast.Node, message string, fix *analysis.SuggestedFix) {
	if r.silenced(at.Pos()) {
		return
	}
	d := analysis.Diagnostic{Pos: at.Pos(), End: at.End(), Message: message, URL: r.Analyzer.URL}
	if fix != nil && len(fix.TextEdits) > 0 {
		d.SuggestedFixes = []analysis.SuggestedFix{*fix}
	}
	// A statement with a body would underline all of it: its first line will do.
	switch n := at.(type) {
	case *ast.ForStmt:
		d.End = n.Body.Lbrace
	case *ast.RangeStmt:
		d.End = n.Body.Lbrace
	case *ast.FuncDecl:
		d.Pos, d.End = n.Name.Pos(), n.Name.End()
	}
	r.Report(d)
}

var ignoreDirective = Check{
	Title:    "a //tare:ignore that silences nothing",
	Default:  true,
	Severity: finding.Warning,
	Wrong: `
func BenchmarkHash(b *testing.B) {
	for b.Loop() {
		time.Sleep(time.Millisecond) //tare:ignore loopnoise
	}
}`,
	Right: `
func BenchmarkHash(b *testing.B) {
	for b.Loop() {
		time.Sleep(time.Millisecond) //tare:ignore loopnoise the wait stands for the network
	}
}`,
	Analyzer: &analysis.Analyzer{
		Name:     "ignore",
		Doc:      "report //tare:ignore comments without a known check or without a reason\n\nThe form is `//tare:ignore ID REASON`, on the line of the finding or alone on the line above it. One comment silences one check; the reason is for the next reader. Without an id or a reason it silences nothing.",
		URL:      documentation + "ignore",
		Requires: []*analysis.Analyzer{sheetAnalyzer},
		Run:      runIgnore,
	},
}

func runIgnore(pass *analysis.Pass) (any, error) {
	known := checkNames()
	for _, i := range pass.ResultOf[sheetAnalyzer].(*sheet).ignores {
		switch {
		case !known[i.id]:
			pass.ReportRangef(span{i.pos, i.end}, "no check is called %q: write //tare:ignore ID REASON with an id of tare lint -list", i.id)
		case i.reason == "":
			pass.ReportRangef(span{i.pos, i.end}, "//tare:ignore %s has no reason and silences nothing: say why after the id", i.id)
		}
	}
	return nil, nil
}

// checkNames is a table of its own because [Checks] cannot be called from an
// analyzer that it lists: the initialization would be a circle. A test
// compares the two.
func checkNames() map[string]bool {
	names := make(map[string]bool)
	for _, n := range []string{
		"bnsize", "bninput", "noloop", "twoloops", "loopexit", "loopcond", "deadresult",
		"constinput", "loopnoise", "missingreset", "resetplace", "pausedloop",
		"unbalancedtimer", "erasedmetric", "parallelbody", "parallelfatal", "growingstate",
		"spentinput", "setbytes", "capturedvar", "benchname", "outerb", "ignore",
	} {
		names[n] = true
	}
	return names
}

type span struct{ pos, end token.Pos }

func (s span) Pos() token.Pos { return s.pos }
func (s span) End() token.Pos { return s.end }
