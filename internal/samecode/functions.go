package samecode

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/arch/arm64/arm64asm"
	"golang.org/x/arch/x86/x86asm"
)

// FunctionChange is a function whose own code differs between two programs, or
// that only one of them has.
type FunctionChange struct {
	Name string
	// Old and New are nil where the function is not there: it was added or
	// removed, or is inlined into all its callers.
	Old, New *Function
}

// Function is the compiled code of a function.
type Function struct {
	// File and Line are where it begins in the source; empty and 0 where the
	// object does not say so.
	File string
	Line int
	// Bytes is the size of its code, Instructions their number; 0 where the
	// architecture is not decoded.
	Bytes, Instructions int
	// Frame is the size of its stack frame in bytes.
	Frame int
	// Calls counts the places from which it calls a function by name, and Refs
	// those where it takes the address of one or of a variable.
	Calls, Refs map[string]int
	// Indirect counts the calls of functions that are known only at run time:
	// of closures and through interfaces.
	Indirect int
	// Inlined counts the calls that the compiler replaced by the body.
	Inlined map[string]int
}

// Changes lists the functions that a benchmark can reach and that differ, by
// name. It looks at each function alone: a caller of a function that changed
// is no change. With the names of [Builtins], calls of the runtime have names.
func (c *Comparison) Changes(benchmark string, builtins []string) (changes []FunctionChange) {
	defer func() {
		if recover() != nil { // an object that is not understood
			changes = nil
		}
	}()
	if c.old == nil || c.new == nil {
		return nil
	}
	before, after := reachable(c.old, c.benchmarks[benchmark]), reachable(c.new, c.others[benchmark])
	for name, i := range before {
		j, both := after[name]
		switch {
		case !both:
			changes = append(changes, FunctionChange{Name: name, Old: c.old.function(i, builtins)})
		case !sameFunction(c.old, c.new, i, j):
			changes = append(changes, FunctionChange{Name: name, Old: c.old.function(i, builtins), New: c.new.function(j, builtins)})
		}
	}
	for name, j := range after {
		if _, both := before[name]; !both {
			changes = append(changes, FunctionChange{Name: name, New: c.new.function(j, builtins)})
		}
	}
	slices.SortFunc(changes, func(a, b FunctionChange) int { return strings.Compare(a.Name, b.Name) })
	return changes
}

// Builtins reads the names of the functions of the runtime that the compiler
// knows by number from the sources of a toolchain. It is empty where they are
// not there.
func Builtins(goroot string) []string {
	data, err := os.ReadFile(filepath.Join(goroot, "src", "cmd", "internal", "goobj", "builtinlist.go"))
	if err != nil {
		return nil
	}
	var names []string
	for _, found := range builtinEntry.FindAllSubmatch(data, -1) {
		names = append(names, string(found[1]))
	}
	return names
}

var builtinEntry = regexp.MustCompile(`(?m)^\t\{"([^"]+)", \d+\},$`)

// reachable lists the functions that a symbol leads to.
func reachable(p *Program, root int32) map[string]int32 {
	m := newMatch(p, p)
	m.linker = true
	m.pair(root, root, 0)
	m.run()
	functions := make(map[string]int32)
	for i, partner := range m.partner {
		at := p.symbols[i]
		if partner == 0 || at.object == nil || at.hashed() {
			continue
		}
		if kind := at.object.symbol(at.index).kind(); kind == kindText || kind == kindTextFIPS {
			functions[at.object.name(at.index)] = int32(i)
		}
	}
	return functions
}

// sameFunction compares two functions with what they refer to by name.
func sameFunction(old, new *Program, i, j int32) bool {
	a, b := old.symbols[i], new.symbols[j]
	if a.object.object == b.object.object && a.index == b.index {
		return true
	}
	before, after := a.object.relocs(a.index), b.object.relocs(b.index)
	if !bytes.Equal(a.object.data(a.index), b.object.data(b.index)) || before.count() != after.count() {
		return false
	}
	for k := range before.count() {
		r, s := before.at(k), after.at(k)
		if r.kind() == relocUseType {
			continue
		}
		x, y := old.target(a.object, r.target()), new.target(b.object, s.target())
		if !bytes.Equal(r.place(), s.place()) || old.name(x) != new.name(y) {
			return false
		}
		if x <= 0 || y <= 0 {
			continue
		}
		// What is known by its content has no name of its own.
		if p, q := old.symbols[x], new.symbols[y]; p.object != nil && q.object != nil && p.hashed() && q.hashed() &&
			!bytes.Equal(withoutZeros(p.object.data(p.index)), withoutZeros(q.object.data(q.index))) {
			return false
		}
	}
	return true
}

// Relocations of calls whose target is known only at run time.
const relocCallIndirect = 10

func (p *Program) function(i int32, builtins []string) *Function {
	at := p.symbols[i]
	code := at.object.data(at.index)
	f := &Function{Bytes: len(code), Calls: make(map[string]int), Refs: make(map[string]int), Inlined: make(map[string]int)}
	arch := strings.Fields(p.header)[3]
	f.Instructions, f.Indirect = decode(arch, code)
	all := at.object.relocs(at.index)
	for k := range all.count() {
		r := all.at(k)
		switch r.kind() {
		case relocUseType, relocUseIface, relocUseIfaceMethod, relocUseNamedMethod, relocCallIndirect:
			continue
		}
		to := p.target(at.object, r.target())
		name := p.name(to)
		if to == builtin {
			if sym := int(r.target().sym); sym < len(builtins) {
				name = builtins[sym]
			}
		}
		if name == "" {
			continue
		}
		if p.calls(arch, code, r, to) {
			f.Calls[name]++
		} else {
			f.Refs[name]++
		}
	}
	for _, aux := range at.object.allAux(at.index) {
		to := p.target(at.object, aux.target())
		if to <= 0 || p.symbols[to].object == nil {
			continue
		}
		data := p.symbols[to].object.data(p.symbols[to].index)
		switch aux.kind() {
		case auxFuncInfo:
			p.readFuncInfo(f, at.object, data)
		case auxPcfile:
			// A table of values by address begins with the difference of
			// the first value from -1.
			if first, n := binary.Varint(data); n > 0 && first > 0 {
				f.File = at.object.file(uint32(first - 1))
			}
		}
	}
	return f
}

// calls says whether a relocation is a call or a jump to a function.
func (p *Program) calls(arch string, code []byte, r reloc, to int32) bool {
	if to > 0 {
		at := p.symbols[to]
		if at.object == nil {
			return false
		}
		if kind := at.object.symbol(at.index).kind(); kind != kindText && kind != kindTextFIPS {
			return false
		}
	}
	if arch != "amd64" {
		return r.width() == 4
	}
	off := int(r.off())
	return off > 0 && off <= len(code) && (code[off-1] == 0xe8 || code[off-1] == 0xe9)
}

// readFuncInfo reads a record of cmd/internal/goobj.FuncInfo.
func (p *Program) readFuncInfo(f *Function, o *loaded, info []byte) {
	word := func(at int) uint32 { return binary.LittleEndian.Uint32(info[at:]) }
	f.Frame, f.Line = int(word(4)), int(word(12))
	files := int(word(16))
	at := funcInfoMinSize + 4*files
	for nodes := int(word(at)); nodes > 0; nodes-- {
		ref := reference{word(at + 4 + 12), word(at + 4 + 16)}
		if to := p.target(o, ref); to > 0 {
			f.Inlined[p.name(to)]++
		}
		at += inlineNodeSize
	}
}

// file is the name of a file by its number in the object.
func (o *object) file(i uint32) string {
	at := o.block[blockFiles] + 8*i
	if at+8 > o.block[blockFiles+1] {
		return ""
	}
	return strings.TrimPrefix(o.text(at), "gofile..")
}

// decode counts the instructions of a function and its indirect calls.
func decode(arch string, code []byte) (instructions, indirect int) {
	switch arch {
	case "amd64":
		for len(code) > 0 {
			x, err := x86asm.Decode(code, 64)
			n := max(x.Len, 1)
			if err != nil {
				n = 1
			}
			instructions++
			if err == nil && x.Op == x86asm.CALL {
				if _, direct := x.Args[0].(x86asm.Rel); !direct {
					indirect++
				}
			}
			code = code[min(n, len(code)):]
		}
	case "arm64":
		for ; len(code) >= 4; code = code[4:] {
			instructions++
			if x, err := arm64asm.Decode(code); err == nil && x.Op == arm64asm.BLR {
				indirect++
			}
		}
	}
	return instructions, indirect
}
