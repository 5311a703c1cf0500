package lint

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"go/ast"
	"go/token"
	"go/types"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"time"

	"github.com/tarebench/tare/internal/finding"
)

var errorPath = Check{
	Analyzer: analyzer("errorpath", runErrorPath),
	Severity: finding.Warning,
	Default:  true,
}

// parser is a function of the standard library that reads a text, its argument
// text, and fails when that is malformed.
type parser struct {
	text int
	fail func(text string, other func(i int) string) error
}

func reads(f func(string) error) parser {
	return parser{0, func(text string, _ func(int) string) error { return f(text) }}
}

// parsers call what the benchmark calls: whether a constant is malformed is
// then no opinion.
var parsers = map[string]parser{
	"strconv.Atoi":              reads(func(s string) error { _, err := strconv.Atoi(s); return err }),
	"strconv.ParseBool":         reads(func(s string) error { _, err := strconv.ParseBool(s); return err }),
	"strconv.ParseFloat":        reads(func(s string) error { _, err := strconv.ParseFloat(s, 64); return err }),
	"strconv.Unquote":           reads(func(s string) error { _, err := strconv.Unquote(s); return err }),
	"time.ParseDuration":        reads(func(s string) error { _, err := time.ParseDuration(s); return err }),
	"net/url.Parse":             reads(func(s string) error { _, err := url.Parse(s); return err }),
	"net/url.ParseRequestURI":   reads(func(s string) error { _, err := url.ParseRequestURI(s); return err }),
	"net/url.ParseQuery":        reads(func(s string) error { _, err := url.ParseQuery(s); return err }),
	"net/url.QueryUnescape":     reads(func(s string) error { _, err := url.QueryUnescape(s); return err }),
	"net/netip.ParseAddr":       reads(func(s string) error { _, err := netip.ParseAddr(s); return err }),
	"net/netip.ParsePrefix":     reads(func(s string) error { _, err := netip.ParsePrefix(s); return err }),
	"net/netip.ParseAddrPort":   reads(func(s string) error { _, err := netip.ParseAddrPort(s); return err }),
	"encoding/hex.DecodeString": reads(func(s string) error { _, err := hex.DecodeString(s); return err }),
	"regexp.Compile":            reads(func(s string) error { _, err := regexp.Compile(s); return err }),
	"encoding/json.Unmarshal":   reads(validJSON),
	"strconv.ParseInt":          {0, func(s string, other func(int) string) error { return parseInt(s, other(1), true) }},
	"strconv.ParseUint":         {0, func(s string, other func(int) string) error { return parseInt(s, other(1), false) }},
	"time.Parse":                {1, func(s string, other func(int) string) error { return parseTime(other(0), s) }},
}

func validJSON(s string) error {
	if !json.Valid([]byte(s)) {
		return errors.New("invalid JSON")
	}
	return nil
}

func parseInt(s, base string, signed bool) error {
	b, err := strconv.Atoi(base)
	if err != nil || b != 0 && (b < 2 || b > 36) {
		return nil // not known
	}
	if signed {
		_, err = strconv.ParseInt(s, b, 64)
	} else {
		_, err = strconv.ParseUint(s, b, 64)
	}
	return err
}

func parseTime(layout, s string) error {
	if layout == "" {
		return nil // not known
	}
	_, err := time.Parse(layout, s)
	return err
}

func runErrorPath(r *reporter, s *scope) {
	if s.named("err", "invalid", "fail", "bad", "malformed", "wrong", "reject", "broken", "corrupt", "illegal", "syntax") {
		return // the error path is what is measured
	}
	for _, l := range s.loops {
		s.calls(l.body, func(call *ast.CallExpr) {
			fn := s.callee(call)
			if fn == nil || s.loopAround(call) != l || s.paused(l, call) || !s.ignoresError(call, l) {
				return
			}
			p, ok := parsers[fn.FullName()]
			if !ok || p.text >= len(call.Args) {
				return
			}
			text, ok := s.text(call.Args[p.text])
			if !ok {
				return
			}
			err := p.fail(text, func(i int) string {
				if v := s.sheet.info.Types[call.Args[i]].Value; v != nil && !isString(s.typeOf(call.Args[i])) {
					return v.ExactString()
				}
				other, _ := s.text(call.Args[i])
				return other
			})
			if err != nil {
				r.report(call, fn.Name()+" fails on this input, and nothing reads its error: the error path is measured", "fix the input, and call b.Fatal on an error", nil)
			}
		})
	}
}

// ignoresError reports whether a benchmark goes on after a call has failed: it
// drops the error, or all that it does with it is to continue with the next
// iteration.
func (s *scope) ignoresError(call *ast.CallExpr, l *loop) bool {
	if s.dropsError(call) {
		return true
	}
	a, ok := s.parents[call].(*ast.AssignStmt)
	if !ok || len(a.Rhs) != 1 {
		return false
	}
	err := s.local(a.Lhs[len(a.Lhs)-1])
	if err == nil {
		return false
	}
	continues, others := false, false
	s.walk(l.body, func(n, parent ast.Node) {
		id, ok := n.(*ast.Ident)
		if !ok || s.sheet.info.Uses[id] != err {
			return
		}
		if i, ok := s.parents[parent].(*ast.IfStmt); ok && types.ExprString(i.Cond) == id.Name+" != nil" && len(i.Body.List) == 1 {
			if br, ok := i.Body.List[0].(*ast.BranchStmt); ok && br.Tok == token.CONTINUE {
				continues = true
				return
			}
		}
		others = true
	})
	return continues && !others
}

// dropsError reports whether nothing gets the last result of a call.
func (s *scope) dropsError(call *ast.CallExpr) bool {
	switch p := s.parents[call].(type) {
	case *ast.ExprStmt:
		return true
	case *ast.AssignStmt:
		return len(p.Rhs) == 1 && isBlank(p.Lhs[len(p.Lhs)-1])
	}
	return false
}
