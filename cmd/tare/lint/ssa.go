package lint

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// code is a package in SSA form. It is nil without benchmarks or with type errors.
type code struct {
	pkg *ssa.Package
	// functions are the functions of the package and the literals in them.
	functions map[ast.Node]*ssa.Function
	// mu guards costs: checks run in parallel.
	mu    sync.Mutex
	costs map[*ssa.Function]int
}

// ssaAnalyzer builds the package itself. Package buildssa needs facts about all
// dependencies, which takes longer than the checks.
var ssaAnalyzer = &analysis.Analyzer{
	Name:       "benchmarkssa",
	Doc:        "build the SSA form of a package with benchmarks",
	Requires:   []*analysis.Analyzer{sheetAnalyzer},
	ResultType: reflect.TypeFor[*code](),
	Run: func(pass *analysis.Pass) (any, error) {
		if len(pass.ResultOf[sheetAnalyzer].(*sheet).scopes) == 0 || len(pass.TypeErrors) > 0 {
			return (*code)(nil), nil
		}
		return buildCode(pass), nil
	},
}

func buildCode(pass *analysis.Pass) *code {
	prog := ssa.NewProgram(pass.Fset, ssa.GlobalDebug)
	for _, p := range pass.Pkg.Imports() {
		prog.CreatePackage(p, nil, nil, true)
	}
	c := &code{
		pkg:       prog.CreatePackage(pass.Pkg, pass.Files, pass.TypesInfo, false),
		functions: make(map[ast.Node]*ssa.Function), costs: make(map[*ssa.Function]int),
	}
	c.pkg.Build()
	var add func(f *ssa.Function)
	add = func(f *ssa.Function) {
		c.functions[f.Syntax()] = f
		for _, anonymous := range f.AnonFuncs {
			add(anonymous)
		}
	}
	for _, file := range pass.Files {
		for _, d := range file.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				if f := prog.FuncValue(pass.TypesInfo.Defs[d.Name].(*types.Func)); f != nil {
					add(f)
				}
			}
		}
	}
	return c
}

// unused reports whether only other unused values depend on a value.
func unused(v ssa.Value) bool {
	seen := make(map[ssa.Value]bool)
	var dead func(v ssa.Value) bool
	dead = func(v ssa.Value) bool {
		if seen[v] {
			return true
		}
		seen[v] = true
		for _, user := range *v.Referrers() {
			switch user := user.(type) {
			case *ssa.DebugRef:
			case *ssa.Store:
				if user.Val != v || !neverRead(user.Addr) {
					return false
				}
			case *ssa.BinOp:
				if user.Op == token.QUO || user.Op == token.REM || !dead(user) {
					return false // a division may panic
				}
			case *ssa.Convert, *ssa.ChangeType, *ssa.Extract, *ssa.Phi, *ssa.Field:
				if !dead(user.(ssa.Value)) {
					return false
				}
			case *ssa.UnOp:
				if user.Op == token.ARROW || user.Op == token.MUL || !dead(user) {
					return false
				}
			default:
				return false
			}
		}
		return true
	}
	return v.Referrers() != nil && dead(v)
}

// accesses returns the loads of and the stores to a local variable, in its
// function and in the literals that capture it. ok is false if its address is
// used elsewhere.
func accesses(at ssa.Value) (loads []*ssa.UnOp, stores []*ssa.Store, ok bool) {
	switch v := at.(type) {
	case *ssa.FreeVar:
		return accesses(binding(v))
	case *ssa.Alloc:
	default:
		return nil, nil, false
	}
	ok = true
	var visit func(v ssa.Value)
	visit = func(v ssa.Value) {
		for _, user := range *v.Referrers() {
			switch user := user.(type) {
			case *ssa.DebugRef:
			case *ssa.UnOp:
				loads = append(loads, user)
			case *ssa.Store:
				ok = ok && user.Addr == v && user.Val != v
				stores = append(stores, user)
			case *ssa.MakeClosure:
				for i, b := range user.Bindings {
					if b == v {
						visit(user.Fn.(*ssa.Function).FreeVars[i])
					}
				}
			default:
				ok = false
			}
		}
	}
	visit(at)
	return loads, stores, ok
}

func binding(v *ssa.FreeVar) ssa.Value {
	f := v.Parent()
	for i, free := range f.FreeVars {
		if free == v {
			for _, user := range *f.Referrers() {
				if made, ok := user.(*ssa.MakeClosure); ok {
					return made.Bindings[i]
				}
			}
		}
	}
	return nil
}

// neverRead reports whether a local variable is stored to and never read,
// except to compute a value stored to it.
func neverRead(at ssa.Value) bool {
	loads, _, ok := accesses(at)
	for _, l := range loads {
		ok = ok && feedsOnly(l, at)
	}
	return ok
}

// feedsOnly reports whether a value is used only for values stored to one
// variable: sum = sum + x.
func feedsOnly(v ssa.Value, at ssa.Value) bool {
	for _, user := range *v.Referrers() {
		switch user := user.(type) {
		case *ssa.DebugRef:
		case *ssa.BinOp:
			if !feedsOnly(user, at) {
				return false
			}
		case *ssa.Store:
			if user.Addr != at {
				return false
			}
		default:
			return false
		}
	}
	return true
}
