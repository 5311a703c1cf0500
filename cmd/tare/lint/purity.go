package lint

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/types/typeutil"
)

// The compiler can delete a call only after inlining it, and only when what
// is left is arithmetic and loads: no loop, no call, no store, no allocation.
// What follows errs on the side of "cannot".

const (
	inlineBudget = 80      // cmd/compile/internal/inline: inlineMaxBudget
	cannotDelete = 1 << 20 // above every budget
	pending      = -1      // being computed: a recursive function is not inlined
)

// callee returns the function or method that a call names statically.
func (s *scope) callee(call *ast.CallExpr) *types.Func {
	return typeutil.StaticCallee(s.sheet.info, call)
}

func (sh *sheet) callee(call *ast.CallExpr) *types.Func {
	return typeutil.StaticCallee(sh.info, call)
}

// deletable says whether a call of fn may vanish when its result is unused,
// and be folded when its arguments are constant.
func (sh *sheet) deletable(fn *types.Func) bool {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	return fn != nil && sh.cost(fn) <= inlineBudget
}

func (sh *sheet) cost(fn *types.Func) int {
	fn = fn.Origin()
	if c, ok := sh.costs[fn]; ok {
		if c == pending {
			return cannotDelete
		}
		return c
	}
	decl := sh.functions[fn]
	if decl == nil {
		if foldedByCompiler(fn) {
			return 1
		}
		return cannotDelete
	}
	if noInline(decl) {
		return cannotDelete
	}
	sh.costs[fn] = pending
	c := sh.blockCost(decl.Body)
	sh.costs[fn] = c
	return c
}

func noInline(decl *ast.FuncDecl) bool {
	if decl.Doc == nil {
		return false
	}
	for _, c := range decl.Doc.List {
		if strings.HasPrefix(c.Text, "//go:noinline") || strings.HasPrefix(c.Text, "//go:norace") {
			return true
		}
	}
	return false
}

// blockCost counts nodes much as the compiler's inliner does, and gives up on
// whatever it could not delete.
func (sh *sheet) blockCost(body *ast.BlockStmt) int {
	cost := 0
	ast.Inspect(body, func(n ast.Node) bool {
		if cost >= cannotDelete {
			return false
		}
		switch n := n.(type) {
		case nil, *ast.BlockStmt, *ast.ParenExpr, *ast.ExprStmt, *ast.DeclStmt, *ast.GenDecl:
			return true
		case *ast.ReturnStmt, *ast.IfStmt, *ast.SwitchStmt, *ast.CaseClause, *ast.BasicLit,
			*ast.SelectorExpr, *ast.IndexExpr, *ast.StarExpr, *ast.KeyValueExpr:
			cost++
		case *ast.BinaryExpr:
			cost++
			if t := sh.info.TypeOf(n); t == nil || isString(t) || isInterface(sh.info.TypeOf(n.X)) {
				cost = cannotDelete // a call of the runtime
			}
		case *ast.UnaryExpr:
			cost++
			if n.Op == token.AND || n.Op == token.ARROW {
				cost = cannotDelete
			}
		case *ast.Ident:
			cost++
		case *ast.ValueSpec:
			cost++
		case *ast.IncDecStmt:
			cost++
			if !sh.isLocal(n.X) {
				cost = cannotDelete
			}
		case *ast.AssignStmt:
			cost++
			for _, l := range n.Lhs {
				if !sh.isLocal(l) {
					cost = cannotDelete
				}
			}
		case *ast.CompositeLit:
			if _, ok := sh.info.TypeOf(n).Underlying().(*types.Struct); !ok {
				cost = cannotDelete
			}
			cost++
		case *ast.CallExpr:
			cost += sh.callCost(n)
		case *ast.ArrayType, *ast.StructType, *ast.FuncType, *ast.MapType:
			return false
		default:
			cost = cannotDelete // loops, closures, defer, go, select, slicing, assertions
		}
		if i, ok := n.(*ast.IndexExpr); ok {
			if _, isArray := under(sh.info.TypeOf(i.X)).(*types.Array); !isArray {
				cost = cannotDelete // a map, or a bounds check that stays
			}
		}
		return true
	})
	return cost
}

func (sh *sheet) callCost(call *ast.CallExpr) int {
	if tv := sh.info.Types[call.Fun]; tv.IsType() {
		from := sh.info.TypeOf(call.Args[0])
		if isNumber(tv.Type) && isNumber(from) || types.Identical(under(tv.Type), under(from)) {
			return 1
		}
		return cannotDelete // string conversions allocate
	} else if tv.IsBuiltin() {
		if id, ok := ast.Unparen(call.Fun).(*ast.Ident); ok {
			switch id.Name {
			case "len", "cap", "min", "max", "real", "imag", "complex":
				return 1
			}
		}
		return cannotDelete
	}
	fn := typeutil.StaticCallee(sh.info, call)
	if fn == nil {
		return cannotDelete
	}
	return sh.cost(fn)
}

func (sh *sheet) isLocal(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return false
	}
	if id.Name == "_" {
		return true
	}
	v, ok := sh.info.ObjectOf(id).(*types.Var)
	return ok && v.Pkg() != nil && v.Parent() != v.Pkg().Scope()
}

func under(t types.Type) types.Type {
	if t == nil {
		return types.Typ[types.Invalid]
	}
	return t.Underlying()
}

func isNumber(t types.Type) bool {
	b, ok := under(t).(*types.Basic)
	return ok && b.Info()&(types.IsNumeric|types.IsBoolean) != 0
}

func isString(t types.Type) bool {
	b, ok := under(t).(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

func isInterface(t types.Type) bool { return t != nil && types.IsInterface(t) }

// foldedByCompiler lists functions of the standard library that are small
// arithmetic or compiler intrinsics; their bodies are not at hand.
func foldedByCompiler(fn *types.Func) bool {
	if fn.Pkg() == nil {
		return false
	}
	name := fn.Name()
	switch fn.Pkg().Path() {
	case "math/bits":
		return !strings.HasPrefix(name, "Div") && !strings.HasPrefix(name, "Rem")
	case "math":
		switch name {
		case "Abs", "Sqrt", "Copysign", "Float64bits", "Float32bits", "Float64frombits", "Float32frombits", "IsNaN", "IsInf", "Signbit", "NaN", "Inf":
			return true
		}
	case "unicode/utf8":
		switch name {
		case "RuneLen", "ValidRune", "RuneStart":
			return true
		}
	case "cmp":
		return name == "Less"
	case "time":
		switch fn.FullName() {
		case "(time.Duration).Seconds", "(time.Duration).Minutes", "(time.Duration).Hours",
			"(time.Duration).Milliseconds", "(time.Duration).Microseconds", "(time.Duration).Nanoseconds":
			return true
		}
	}
	return false
}
