package lint

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/tarebench/tare/internal/finding"
)

const ignorePrefix = "//tare:ignore"

type ignored struct {
	*ast.Comment
	file   string
	line   int
	id     string
	reason string
}

// ignores reads the //tare:ignore comments of a file. A comment silences one
// check on its own line. If it is the only text of its line, it silences the
// check on the next line.
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
			list = append(list, ignored{c, p.Filename, p.Line, id, strings.TrimSpace(reason)})
		}
	}
	return list
}

type reporter struct {
	*analysis.Pass
	sheet *sheet
	// code is nil for the checks that do not require it.
	code *code
}

func (r *reporter) silenced(pos token.Pos) bool {
	if len(r.sheet.ignores) == 0 {
		return false
	}
	p := r.Fset.Position(pos)
	return slices.ContainsFunc(r.sheet.ignores, func(i ignored) bool {
		return i.id == r.Analyzer.Name && i.reason != "" && i.file == p.Filename && (i.line == p.Line || i.line == p.Line-1)
	})
}

// report reports an observation at a node, and the next action.
// Drivers that show one text get both, joined by a semicolon. The action alone
// is the related information, for drivers that show it separately.
func (r *reporter) report(at ast.Node, message, action string, fixes ...analysis.SuggestedFix) {
	if r.silenced(at.Pos()) {
		return
	}
	d := analysis.Diagnostic{Pos: at.Pos(), End: at.End(), Message: message + "; " + action, URL: r.Analyzer.URL, SuggestedFixes: fixes}
	// For a statement with a body, underline only the first line.
	switch n := at.(type) {
	case *ast.ForStmt:
		d.End = n.Body.Lbrace
	case *ast.RangeStmt:
		d.End = n.Body.Lbrace
	case *ast.FuncDecl:
		d.Pos, d.End = n.Name.Pos(), n.Name.End()
	}
	d.Related = []analysis.RelatedInformation{{Pos: d.Pos, End: d.End, Message: action}}
	r.Report(d)
}

var ignoreDirective = Check{
	Analyzer: packageAnalyzer("ignore", runIgnore),
	Severity: finding.Warning,
}

func runIgnore(r *reporter) {
	for _, i := range r.sheet.ignores {
		known := i.id == "ignore" || slices.ContainsFunc(checks, func(c Check) bool { return c.Name == i.id })
		switch {
		case !known:
			r.report(i, fmt.Sprintf("no check is called %q", i.id), "write //tare:ignore ID REASON with an id of tare lint -checks list")
		case i.reason == "":
			r.report(i, "//tare:ignore "+i.id+" has no reason and silences nothing", "give the reason after the id")
		}
	}
}
