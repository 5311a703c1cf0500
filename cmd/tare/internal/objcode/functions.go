package objcode

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/file"
)

// Function describes a function of the source, whether the compiler inlined it
// or not. Counts are from the copy of its body that has the most.
type Function struct {
	Name string
	// File and Line are its position in the source, if known.
	File string
	Line int
	// Body is the first line of its code, even if it is only inlined. It is
	// unknown in the same cases as Instructions.
	Body Site
	// Calls counts the calls of each function that remain calls, Inlined the
	// calls that were replaced by the body.
	Calls, Inlined map[string]int
	// Loops counts the places of Calls and Inlined in at least one loop of the
	// function, in at least two, and so on. It is empty if the code did not change
	// or the architecture is not decoded.
	Loops map[string][]int
	// Indirect counts calls of closures and through interfaces. Instructions is
	// the length of the code without inlined code. Both are 0 if the code did
	// not change or the architecture is not decoded.
	Indirect, Instructions int
	// Frame is the size of its stack frame in bytes. It is 0 if the function is
	// only inlined.
	Frame int
	// Moves counts the loads of 16 bytes that copies are made of, MovesInLoops those
	// in loops: a copy of much is a loop.
	Moves, MovesInLoops int
	// Types are the sizes in bytes of the named types that its code uses.
	Types map[string]int
	// Gone is true if the other program does not define the function.
	Gone bool
	// Sites are the first places in the source of each called function, inlined
	// or not.
	Sites map[string]Site
	// Changed is true if machine code that contains a copy of the body differs
	// from the other program's.
	Changed bool

	// operands is a hash of the operations, constants and offsets of the code,
	// without registers, addresses and stack offsets.
	operands uint64
}

// SameOperands reports whether two functions have the same operations with the
// same constants and offsets of fields, in any registers and any order.
func (f *Function) SameOperands(g *Function) bool { return f.operands == g.operands }

// Site is a line of the source.
type Site struct {
	File string
	Line int
}

// Functions describes the functions outside the standard library that a
// benchmark can reach, by name, in the old and the new program. The names of
// [Builtins] are for functions of the runtime to which the compiler refers by
// number. Both maps are empty for programs that are not understood.
func (c *Comparison) Functions(benchmark string, builtins []string) (old, new map[string]*Function) {
	defer func() {
		if recover() != nil { // an object that is not understood
			old, new = nil, nil
		}
	}()
	if c.old == nil || c.new == nil || c.Settings {
		return nil, nil
	}
	before, after := reachable(c.old, c.benchmarks[benchmark]), reachable(c.new, c.others[benchmark])
	a := &describer{p: c.old, builtins: builtins, functions: make(map[string]*Function)}
	b := &describer{p: c.new, builtins: builtins, functions: make(map[string]*Function)}
	for name, symbols := range before {
		changed := !sameFunctions(c.old, c.new, symbols, after[name])
		a.describeAll(symbols, changed)
		b.describeAll(after[name], changed)
	}
	for name, symbols := range after {
		if before[name] == nil {
			b.describeAll(symbols, true)
		}
	}
	a.markGone(c.new)
	b.markGone(c.old)
	return a.functions, b.functions
}

// markGone marks the functions that the other program does not define.
func (d *describer) markGone(other *Program) {
	defined := textOf(other)
	for name, f := range d.functions {
		f.Gone = defined[name] == nil
	}
}

// Builtins reads the names of the runtime functions to which the compiler
// refers by number, from the sources of a toolchain. It is empty if the sources
// are missing.
func Builtins(goroot string) []string {
	data, err := file.ReadNamed(filepath.Join(goroot, "src", "cmd", "internal", "goobj", "builtinlist.go"))
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

func reachable(p *Program, root int32) map[string][]int32 {
	functions := make(map[string][]int32)
	for i, partner := range reached(p, nil, root).partner {
		at := p.symbols[i]
		if partner == 0 || at.object == nil || at.object.standard {
			continue
		}
		if at.object.symbol(at.index).text() {
			name := at.object.name(at.index)
			functions[name] = append(functions[name], int32(i))
		}
	}
	return functions
}

// sameFunctions compares the functions of one name in two programs ([textOf]). It
// reports whether each of them is the same as one in the other program.
func sameFunctions(old, new *Program, before, after []int32) bool {
	return !slices.ContainsFunc(before, func(i int32) bool {
		return !slices.ContainsFunc(after, func(j int32) bool { return sameFunction(old, new, i, j) })
	}) && !slices.ContainsFunc(after, func(j int32) bool {
		return !slices.ContainsFunc(before, func(i int32) bool { return sameFunction(old, new, i, j) })
	})
}

// sameFunction compares two functions, and by name the symbols that they refer
// to.
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
		unnamed := temporary.MatchString(old.name(x)) && temporary.MatchString(new.name(y))
		if !bytes.Equal(r.place(), s.place()) || old.name(x) != new.name(y) && !unnamed {
			return false
		}
		if x <= 0 || y <= 0 {
			continue
		}
		// A symbol that is known by its content has no name.
		if p, q := old.symbols[x], new.symbols[y]; p.object != nil && q.object != nil && (unnamed || p.hashed() && q.hashed()) &&
			!bytes.Equal(withoutZeros(p.object.data(p.index)), withoutZeros(q.object.data(q.index))) {
			return false
		}
	}
	return true
}

// temporary is the name of a value of a package, by its number.
var temporary = regexp.MustCompile(`\.\.stmp_\d+$`)

type describer struct {
	p         *Program
	builtins  []string
	functions map[string]*Function
	code      map[string][]int32 // the symbols with code of a function, or nil
}

// inlineNode is a call that was replaced by a body.
type inlineNode struct {
	parent int
	name   string
	call   Site
}

func (d *describer) describeAll(symbols []int32, changed bool) {
	for _, i := range symbols {
		d.describe(i, changed)
	}
}

func (d *describer) describe(i int32, changed bool) {
	at := d.p.symbols[i]
	o := at.object
	t := o.tables(at.index, func(ref reference) []byte { return d.p.data(d.p.target(o, ref)) })
	var frame, line int
	var nodes []inlineNode
	if t.info != nil {
		frame, line, nodes = o.funcInfo(t.info, func(ref reference) string { return d.p.name(d.p.target(o, ref)) })
	}
	arch := strings.Fields(d.p.header)[3]
	// copies are the bodies in this code: the function's own, -1, and the bodies
	// of the nodes.
	copies := map[int]*Function{-1: newFunction(o.name(at.index))}
	self := copies[-1]
	self.Frame, self.Line, self.Changed = frame, line, changed
	self.File = t.site(o.object, 0).File
	for n, node := range nodes {
		copies[n] = newFunction(node.name)
		copies[n].Changed = changed
	}
	for _, node := range nodes {
		copies[node.parent].Inlined[node.name]++
		copies[node.parent].site(node.name, node.call)
	}
	code := o.data(at.index)
	calls := make(map[uint32]string) // by offset
	types := make(map[string]int)
	for r := range o.relocs(at.index).all() {
		name, isCall := d.use(o, arch, code, r)
		if name == "" {
			continue
		}
		if !isCall {
			if changed {
				d.typesOf(types, d.p.target(o, r.target()))
			}
			continue
		}
		off := uint32(max(0, r.off()))
		if arch == "amd64" && off > 0 {
			off-- // the instruction begins before its operand
		}
		f := cmp.Or(copies[t.node(off)], self)
		f.Calls[name]++
		f.site(name, t.site(o.object, off))
		calls[off] = name
	}
	if changed {
		d.typesOf(types, i)
		instructions := decode(arch, code)
		countLoops(instructions, t, nodes, copies, calls)
		var last instruction
		for _, in := range instructions {
			if in.scaled && last.scaled { // a chain: 11n is 2·5n + n, 13n is 4·3n + n
				in.operands = mix(last.operands, in.operands)
			}
			last = in
			f := cmp.Or(copies[t.node(in.off)], self)
			f.Instructions++
			if line := t.line(in.off); line > 0 && (f.Body.Line == 0 || line < f.Body.Line) {
				f.Body = t.site(o.object, in.off)
			}
			f.operands += in.operands
			if in.indirect {
				f.Indirect++
			}
		}
	}
	for _, f := range copies {
		f.Types = types
		d.add(f)
		if symbols := d.code[f.Name]; d.code != nil && !slices.Contains(symbols, i) {
			d.code[f.Name] = append(symbols, i)
		}
	}
}

func newFunction(name string) *Function {
	return &Function{Name: name, Calls: map[string]int{}, Inlined: map[string]int{}, Loops: map[string][]int{}, Sites: map[string]Site{}}
}

func (f *Function) site(callee string, s Site) {
	if old, ok := f.Sites[callee]; s.Line > 0 && (!ok || s.Line < old.Line) {
		f.Sites[callee] = s
	}
}

// inLoops raises the number of places of a callee in more than n loops.
func (f *Function) inLoops(callee string, n, places int) {
	for len(f.Loops[callee]) <= n {
		f.Loops[callee] = append(f.Loops[callee], 0)
	}
	f.Loops[callee][n] = max(f.Loops[callee][n], places)
}

// countLoops counts the places in loops of each function in code.
func countLoops(code []instruction, t tables, nodes []inlineNode, copies map[int]*Function, calls map[uint32]string) {
	above := func(n int) int { // the call around an inlined call
		if n < 0 || n >= len(nodes) || nodes[n].parent >= n { // an inlined call comes after the call around it
			return -1
		}
		return nodes[n].parent
	}
	called := func(in instruction) string {
		for off := in.off; off < in.off+in.size; off++ {
			if name := calls[off]; name != "" {
				return name
			}
		}
		return ""
	}
	l := newLoops(code, func(in instruction) bool {
		name := called(in)
		return slices.ContainsFunc(doesNotReturn, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
	}, func(a, b uint32) int {
		var line []int
		for n := t.node(a); ; n = above(n) {
			if line = append(line, n); n < 0 {
				break
			}
		}
		n := t.node(b)
		for !slices.Contains(line, n) {
			n = above(n)
		}
		return n
	})
	place := func(f *Function, callee string, deep int) {
		for n := range deep {
			f.inLoops(callee, n, 0)
			f.Loops[callee][n]++
		}
	}
	seen := make(map[int]bool)
	for _, in := range code {
		n := t.node(in.off)
		if name := called(in); name != "" && copies[n] != nil {
			place(copies[n], name, l.around(in.off, n))
		}
		if f := copies[n]; f != nil && in.wide > 0 {
			if f.Moves += in.wide; l.around(in.off, n) > 0 {
				f.MovesInLoops += in.wide
			}
		}
		for ; n >= 0 && n < len(nodes) && !seen[n]; n = above(n) {
			seen[n] = true
			place(copies[above(n)], nodes[n].name, l.around(in.off, above(n)))
		}
	}
}

// typesOf adds the sizes of the types of a symbol: of a variable, or of the variables
// of a function, to which its debugging information refers.
func (d *describer) typesOf(sizes map[string]int, i int32) {
	if i <= 0 || d.p.symbols[i].object == nil {
		return
	}
	at := d.p.symbols[i]
	for a := range at.object.allAux(at.index).all() {
		to := d.p.target(at.object, a.target())
		switch {
		case a.kind() == auxGotype:
			d.sizeOf(sizes, d.p.name(to))
		case a.kind() == auxDwarfInfo && to > 0 && d.p.symbols[to].object != nil:
			info := d.p.symbols[to]
			for r := range info.object.relocs(info.index).all() {
				d.sizeOf(sizes, d.p.name(d.p.target(info.object, r.target())))
			}
		}
	}
}

// sizeOf adds the size of the named type to which the name of a symbol leads, by
// pointers, slices and arrays. The descriptor of a type begins with its size.
func (d *describer) sizeOf(sizes map[string]int, symbol string) {
	name, found := strings.CutPrefix(symbol, "type:")
	if !found {
		name, found = strings.CutPrefix(symbol, "go:info.")
	}
	for strings.HasPrefix(name, "*") || strings.HasPrefix(name, "[") {
		if name[0] == '[' {
			_, name, _ = strings.Cut(name, "]")
		} else {
			name = name[1:]
		}
	}
	if !found || !strings.Contains(name, ".") {
		return
	}
	if data := d.p.data(d.p.byName[0]["type:"+name]); len(data) >= 8 {
		sizes[name] = int(binary.LittleEndian.Uint64(data))
	}
}

func (d *describer) add(f *Function) {
	g := d.functions[f.Name]
	if g == nil {
		d.functions[f.Name] = f
		return
	}
	raise := func(to, from map[string]int) {
		for name, n := range from {
			to[name] = max(to[name], n)
		}
	}
	raise(g.Calls, f.Calls)
	raise(g.Inlined, f.Inlined)
	for name, s := range f.Sites {
		g.site(name, s)
	}
	for name, deep := range f.Loops {
		for n, places := range deep {
			g.inLoops(name, n, places)
		}
	}
	g.Moves, g.MovesInLoops = max(g.Moves, f.Moves), max(g.MovesInLoops, f.MovesInLoops)
	if f.Types != nil {
		g.Types = f.Types
	}
	if f.Instructions > g.Instructions {
		g.operands = f.operands
	}
	g.Indirect, g.Instructions = max(g.Indirect, f.Indirect), max(g.Instructions, f.Instructions)
	g.Frame, g.Changed = max(g.Frame, f.Frame), g.Changed || f.Changed
	if f.File != "" {
		g.File, g.Line = f.File, f.Line
	}
	if g.Body.Line == 0 || f.Body.Line > 0 && f.Body.Line < g.Body.Line {
		g.Body = f.Body
	}
}

func (d *describer) use(o *loaded, arch string, code []byte, r reloc) (name string, isCall bool) {
	switch r.kind() {
	case relocUseType, relocUseIface, relocUseIfaceMethod, relocUseNamedMethod, relocCallIndirect:
		return "", false
	}
	to := d.p.target(o, r.target())
	name = d.p.name(to)
	if to == builtin {
		if sym := int(r.target().sym); sym < len(d.builtins) {
			name = d.builtins[sym]
		}
	}
	if to > 0 {
		at := d.p.symbols[to]
		if at.object == nil || !at.object.symbol(at.index).text() {
			return name, false
		}
	}
	if arch != "amd64" {
		return name, r.width() == 4
	}
	off := int(r.off())
	return name, off > 0 && off <= len(code) && (code[off-1] == 0xe8 || code[off-1] == 0xe9)
}

// relocCallIndirect marks a call whose target is known only at run time.
const relocCallIndirect = 10
