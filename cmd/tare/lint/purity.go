package lint

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"
)

// The compiler can delete a call only after inlining it, and only if the rest
// is arithmetic and loads: no loop, no call, no store, no allocation. In doubt,
// the following rules decide for "cannot".

const (
	inlineBudget = 80      // cmd/compile/internal/inline: inlineMaxBudget
	cannotDelete = 1 << 20 // above every budget
	pending      = -1      // being computed: a recursive function is not inlined
)

func (s *scope) callee(call *ast.CallExpr) *types.Func {
	return typeutil.StaticCallee(s.sheet.info, call)
}

// deletable reports whether a call of fn may vanish if its result is unused,
// and be folded if its arguments are constant.
func (c *code) deletable(fn *types.Func) bool {
	if c == nil || fn == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cost(fn) <= inlineBudget
}

func (c *code) cost(fn *types.Func) int {
	fn = fn.Origin()
	if does(fn, "folded") {
		return 1
	}
	f := c.pkg.Prog.FuncValue(fn)
	if f == nil || len(f.Blocks) == 0 {
		return cannotDelete
	}
	cost, known := c.costs[f]
	switch {
	case cost == pending:
		return cannotDelete
	case known:
		return cost
	}
	c.costs[f] = pending
	c.costs[f] = c.bodyCost(f)
	return c.costs[f]
}

// bodyCost counts the nodes of the source much as the compiler's inliner does:
// an instruction, and its operands that no instruction computes. It is rather
// too high.
func (c *code) bodyCost(f *ssa.Function) int {
	if d, ok := f.Syntax().(*ast.FuncDecl); ok && noInline(d) {
		return cannotDelete
	}
	cost := 0
	for _, b := range f.Blocks {
		for _, next := range b.Succs {
			if next.Dominates(b) {
				return cannotDelete // a loop
			}
		}
		for _, instr := range b.Instrs {
			cost += c.instructionCost(instr)
		}
	}
	return cost
}

func (c *code) instructionCost(instr ssa.Instruction) int {
	cost := 3 // with the variable that most results are assigned to
	switch n := instr.(type) {
	case *ssa.DebugRef, *ssa.Jump:
		return 0
	case *ssa.Phi:
		return len(n.Edges) // one assignment each
	case *ssa.BinOp:
		if isString(n.X.Type()) || isInterface(n.X.Type()) {
			return cannotDelete // a call of the runtime
		}
	case *ssa.UnOp:
		if n.Op == token.ARROW {
			return cannotDelete
		}
	case *ssa.Convert:
		if isString(n.Type()) || isString(n.X.Type()) {
			return cannotDelete // it allocates
		}
	case *ssa.MakeInterface:
		_, pointer := under(n.X.Type()).(*types.Pointer)
		if _, constant := n.X.(*ssa.Const); !constant && !pointer {
			return cannotDelete // it allocates
		}
	case *ssa.Alloc:
		if n.Heap {
			return cannotDelete
		}
	case *ssa.Store:
		if !inLocal(n.Addr) {
			return cannotDelete
		}
	case *ssa.IndexAddr:
		if _, slice := under(n.X.Type()).(*types.Slice); slice {
			return cannotDelete // its bounds check stays
		}
	case *ssa.Call:
		if _, builtin := n.Call.Value.(*ssa.Builtin); builtin {
			switch n.Call.Value.Name() {
			case "len", "cap", "min", "max", "real", "imag", "complex":
				return 1
			}
			return cannotDelete
		}
		f := n.Call.StaticCallee()
		if f == nil {
			return cannotDelete
		}
		fn, ok := f.Object().(*types.Func)
		if !ok {
			return cannotDelete
		}
		cost += c.cost(fn)
	case *ssa.ChangeType, *ssa.Field, *ssa.FieldAddr, *ssa.Index, *ssa.If, *ssa.Return, *ssa.Extract:
	default:
		return cannotDelete // closures, defer, go, select, slicing, assertions, maps
	}
	for _, operand := range instr.Operands(nil) {
		if _, computed := (*operand).(ssa.Instruction); *operand != nil && !computed {
			cost++
		}
	}
	return cost
}

func inLocal(at ssa.Value) bool {
	switch v := at.(type) {
	case *ssa.Alloc:
		return !v.Heap
	case *ssa.FieldAddr:
		return inLocal(v.X)
	}
	return false
}

func noInline(decl *ast.FuncDecl) bool {
	return decl.Doc != nil && slices.ContainsFunc(decl.Doc.List, func(c *ast.Comment) bool {
		return strings.HasPrefix(c.Text, "//go:noinline") || strings.HasPrefix(c.Text, "//go:norace")
	})
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
