package lintdriver

import (
	"fmt"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/objcode"
	"github.com/tarebench/tare/cmd/tare/lint"
)

// LoopWork is one timed loop in the machine code.
type LoopWork struct {
	Source lint.TimedLoop
	// Found is false if the machine code has no loop there: the compiler has
	// unrolled or removed it, or the function is not linked in.
	Found bool
	// Instructions is the number of instructions in the loop's body, without
	// counting, comparing with b.N, jumping back, and padding. If the body is on
	// the line of its for, loads, counting by one and comparisons are excluded.
	// The lines do not show whether they belong to the loop's head.
	Instructions int
	// Calls are the calls of the source with their fate.
	Calls []CallWork
}

// CallWork is a call in the source and its fate in the machine code.
type CallWork struct {
	lint.TimedCall
	// Gone reports whether nothing of the call remains: no call, no inlined
	// body, and no instruction that the compiler writes instead.
	Gone bool
}

// Empty reports whether the loop only counts, though its source has a body.
func (l LoopWork) Empty() bool { return l.Found && l.Instructions == 0 && l.Source.Body > 0 }

// Gone returns the calls that the compiler has deleted or computed in
// advance.
func (l LoopWork) Gone() []CallWork {
	var list []CallWork
	for _, c := range l.Calls {
		if c.Gone {
			list = append(list, c)
		}
	}
	return list
}

// loop looks at one timed loop whose source is known.
func loop(pkg *objcode.Package, s lint.TimedLoop) (LoopWork, error) {
	l := LoopWork{Source: s}
	whole := span{s.File, s.Line, s.Last}
	candidates, err := pkg.Instructions(named(s.Package, s.Func))
	if err == nil && !strings.HasPrefix(s.Func, "Benchmark") {
		// A helper may exist only as inlined code.
		var more [][]objcode.Located
		more, err = pkg.Instructions(named(s.Package, "Benchmark*"))
		candidates = append(candidates, more...)
	}
	if err != nil {
		return l, err
	}
	for _, found := range candidates {
		list := make([]instruction, len(found))
		for i, in := range found {
			list[i] = instruction{in}
		}
		in := cycle(list, whole)
		if !headed(in, whole) {
			continue
		}
		l.Found = true
		l.Instructions = 0
		for _, x := range in {
			if line, ok := x.own(whole); ok && x.Kind != objcode.Filler && s.Body > 0 && line >= s.Body && (s.Body > s.Line || x.work()) {
				l.Instructions++
			}
		}
		l.Calls = nil
		for _, c := range s.Calls {
			l.Calls = append(l.Calls, CallWork{c, gone(c, s, list)})
		}
		return l, nil
	}
	return l, nil
}

// named selects the function of a package and the closures inside it. A star at
// the end of the name matches the rest of it.
func named(pkg, name string) func(symbol string) bool {
	name, open := strings.CutSuffix(name, "*")
	return func(symbol string) bool {
		rest, ok := strings.CutPrefix(symbol, escape(pkg)+"."+name)
		return ok && (open || rest == "" || rest[0] == '.' || rest[0] == '[' || rest[0] == '-')
	}
}

// escape writes an import path as symbols contain it: a dot in its last element
// becomes %2e.
func escape(pkg string) string {
	slash := strings.LastIndexByte(pkg, '/') + 1
	return pkg[:slash] + strings.ReplaceAll(pkg[slash:], ".", "%2e")
}

// headed reports whether a cycle has instructions of the loop's first line: its
// counting or its condition. An inner loop alone is not the loop.
func headed(in []*instruction, whole span) bool {
	for _, x := range in {
		if line, ok := x.own(whole); ok && line == whole.first {
			return true
		}
	}
	return false
}

// gone reports whether nothing of a call remains in the instructions of its
// function. It looks at all of them, because a call before a return or a panic
// is not in the cycle. A call whose target is not known may be this call.
// Compiler intrinsics (math.Sqrt) and function values that were resolved are
// instructions of its line.
func gone(c lint.TimedCall, s lint.TimedLoop, list []instruction) bool {
	lines := span{s.File, c.Line, c.Last}
	for k := range list {
		x := &list[k]
		if x.Kind == objcode.Filler || !x.from(lines) {
			continue
		}
		if c.Dynamic || intrinsic[c.Package] {
			return false
		}
		if x.Kind == objcode.Call && (x.Calls == "" || sameName(x.Calls, c.Name)) {
			return false
		}
		for i, name := range x.Inlined {
			if sameName(name, c.Name) && lines.holds(x.Places[i+1]) {
				return false
			}
		}
	}
	return true
}

// intrinsic names packages whose functions the compiler writes as instructions.
var intrinsic = map[string]bool{"math": true, "bits": true, "atomic": true, "unsafe": true, "runtime": true, "sys": true}

// sameName compares a symbol, "math/bits.OnesCount64", "pkg.(*T).Method",
// "pkg.f[...]", with the last word of a call.
func sameName(symbol, name string) bool {
	if i := strings.IndexByte(symbol, '['); i >= 0 {
		symbol = symbol[:i]
	}
	symbol = strings.TrimSuffix(symbol, "-fm")
	return symbol[strings.LastIndexByte(symbol, '.')+1:] == name
}

// String describes the work in words: "the call to popcount is gone: the loop
// body is empty".
func (l LoopWork) String() string {
	if !l.Found {
		return "the machine code has no loop for line " + fmt.Sprint(l.Source.Line)
	}
	rest := fmt.Sprintf("%d instructions are left in the loop body", l.Instructions)
	switch l.Instructions {
	case 0:
		rest = "the loop body is empty"
	case 1:
		rest = "1 instruction is left in the loop body"
	}
	gone := l.Gone()
	if len(gone) == 0 {
		if l.Instructions == 0 {
			return rest
		}
		return "kept: " + rest
	}
	var names []string
	for _, c := range gone {
		names = append(names, c.Name)
	}
	if len(names) == 1 {
		return "the call to " + names[0] + " is gone: " + rest
	}
	return "the calls to " + strings.Join(names, ", ") + " are gone: " + rest
}
