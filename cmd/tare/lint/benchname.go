package lint

import (
	"go/ast"
	"go/constant"
	"go/token"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/tools/go/analysis"

	"github.com/tarebench/tare/internal/finding"
)

var benchmarkName = Check{
	Analyzer: withFlag(withFlag(analyzer("benchname", runBenchmarkName), "keys", "also report names without key=value"), "spaces", "also report names with spaces"),
	Severity: finding.Info,
	Default:  false,
}

// procsSuffix matches what reads as GOMAXPROCS at the end of a name, in text
// or as a verb of a format.
var procsSuffix = regexp.MustCompile(`-(\d+|%d|%v)$`)

func runBenchmarkName(r *reporter, s *scope) {
	keys, spaces := r.flag("keys"), r.flag("spaces")
	s.calls(s.body, func(call *ast.CallExpr) {
		if !s.isMethod(call, "Run") || len(call.Args) != 2 {
			return
		}
		text, lit, format := s.nameText(call.Args[0])
		if text == "" {
			return
		}
		switch {
		case spaces && strings.ContainsFunc(text, unicode.IsSpace):
			r.report(call.Args[0], "the name has a space, which testing rewrites to _", "write the name as the results will show it", underscores(lit))
		case procsSuffix.MatchString(text) && !(format && strings.HasSuffix(text, "%v") && !s.integerLast(call.Args[0])):
			r.report(call.Args[0], "the name ends in -NUMBER, which reads as GOMAXPROCS where testing adds no suffix of its own", "write key=NUMBER", nil)
		case keys && !strings.Contains(text, "="):
			r.report(call.Args[0], "the name is not key=value", "name it key=value, so that tools can group by it", nil)
		}
	})
}

// nameText returns the constant text of a name, or the format of Sprintf, and
// the literal it stands in when there is exactly one.
func (s *scope) nameText(e ast.Expr) (text string, lit *ast.BasicLit, format bool) {
	e = ast.Unparen(e)
	if call, ok := e.(*ast.CallExpr); ok {
		if fn := s.callee(call); fn != nil && fn.FullName() == "fmt.Sprintf" && len(call.Args) > 0 {
			e, format = ast.Unparen(call.Args[0]), true
		}
	}
	if v := s.sheet.info.Types[e].Value; v != nil && v.Kind() == constant.String {
		text = constant.StringVal(v)
	}
	lit, _ = e.(*ast.BasicLit)
	return text, lit, format
}

// integerLast says whether the last argument of Sprintf is an integer.
func (s *scope) integerLast(e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || len(call.Args) < 2 {
		return false
	}
	return isNumber(s.typeOf(call.Args[len(call.Args)-1]))
}

// underscores writes a literal as testing would.
func underscores(lit *ast.BasicLit) *analysis.SuggestedFix {
	if lit == nil || lit.Kind != token.STRING || strings.ContainsAny(lit.Value, "\\\n\t") {
		return nil
	}
	return &analysis.SuggestedFix{
		Message:   "Replace spaces by underscores",
		TextEdits: []analysis.TextEdit{{Pos: lit.Pos(), End: lit.End(), NewText: []byte(strings.ReplaceAll(lit.Value, " ", "_"))}},
	}
}
