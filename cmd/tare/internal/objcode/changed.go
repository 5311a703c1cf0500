package objcode

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// A comparison of benchmarks shows nothing about code that no benchmark reaches.
// Changed and Running answer which code that is. They follow every call that the
// linker knows, also through interfaces. But a call that was inlined and folded
// into a constant leaves no trace in machine code: only the source has it.

// Changed is a function of the source whose machine code differs from the old
// program's, or that the old program does not have.
type Changed struct {
	Name string
	Site // of its first line, if known
	// Added are the functions that it calls in more places than before.
	Added []string
	// code are the symbols of the new program that contain its machine code: its
	// own, those of functions inside it, and those into which it was inlined.
	code []int32
}

// Changed lists the changed functions of the new program outside the standard
// library and test files, sorted by name. A function whose code differs only by
// what was inlined into it did not change. The list is empty if none changed, and
// nil for programs that are not understood.
func (c *Comparison) Changed(builtins []string) (all []Changed) {
	defer nilAfterPanic(&all)
	if c.old == nil || c.new == nil || c.Settings {
		return nil
	}
	before, after := textOf(c.old), textOf(c.new)
	a := &describer{p: c.old, builtins: builtins, functions: make(map[string]*Function)}
	b := &describer{p: c.new, builtins: builtins, functions: make(map[string]*Function), code: make(map[string][]int32)}
	differ := make(map[string]bool)
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if differ[name] = !sameFunctions(c.old, c.new, before[name], after[name]); differ[name] {
			a.describeAll(before[name], true)
			b.describeAll(after[name], true)
		}
	}
	all = []Changed{}
	found, literals := make(map[string]*Changed), make(map[Site]string)
	var copies []*Function
	var others []string // which differ in inlined code only
	add := func(name string) {
		f, old := b.functions[name], a.functions[name]
		top := closure.ReplaceAllString(name, "")
		if after[top] == nil && Bare(top) != "init" { // until Go 1.26, a.Caller.Inlined.func1
			copies = append(copies, f)
			return
		}
		literals[Site{f.File, f.Line}] = top
		if found[top] == nil {
			found[top] = &Changed{Name: top, Site: Site{f.File, f.Line}}
		}
		for callee, n := range f.Calls {
			if old == nil || n > old.Calls[callee] {
				found[top].Added = append(found[top].Added, callee)
			}
		}
		found[top].code = append(found[top].code, b.code[name]...)
	}
	for _, name := range slices.Sorted(maps.Keys(b.functions)) { // a function is before those inside it
		f, old := b.functions[name], a.functions[name]
		switch {
		case after[name] == nil || c.new.isStandard(name) || f.File == "" || strings.HasSuffix(f.File, "_test.go") || !strings.HasSuffix(f.File, ".go"):
		case before[name] != nil && !differ[name]: // it is only inlined into others that differ
		case old == nil || !old.SameOperands(f) || old.Instructions != f.Instructions || !maps.Equal(old.Calls, f.Calls) || !maps.Equal(old.Inlined, f.Inlined):
			add(name)
		default:
			others = append(others, name)
		}
	}
	// If no function that was inlined into it changed, its own arguments of one did.
	for _, name := range others {
		explained := false
		b.inlined(name, func(in string) {
			explained = explained || found[closure.ReplaceAllString(in, "")] != nil || slices.Contains(others, in)
		})
		if !explained {
			add(name)
		}
	}
	for _, f := range copies {
		if top := found[literals[Site{f.File, f.Line}]]; top != nil {
			top.code = append(top.code, b.code[f.Name]...)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		all = append(all, *found[name])
	}
	return all
}

// inlined visits the functions that were inlined into one, at any depth.
func (d *describer) inlined(name string, visit func(string)) {
	seen := map[string]bool{name: true}
	var in func(name string)
	in = func(name string) {
		f := d.functions[name]
		if f == nil {
			return
		}
		for callee := range f.Inlined {
			if !seen[callee] {
				seen[callee] = true
				visit(callee)
				in(callee)
			}
		}
	}
	in(name)
}

// nilAfterPanic is deferred: reading an object that is not understood panics.
func nilAfterPanic[T any](result *[]T) {
	if recover() != nil {
		*result = nil
	}
}

// Running names the functions outside the standard library in the machine code of
// the new program that run if only these benchmarks do: also those of init
// functions and TestMain, and the methods of types that these make. It is nil for
// programs that are not understood.
func (c *Comparison) Running(benchmarks []string) (names []string) {
	defer nilAfterPanic(&names)
	var roots []int32
	for _, name := range benchmarks {
		roots = append(roots, c.others[name])
	}
	alive := live(c.new, testTables, roots...)
	for name, symbols := range textOf(c.new) {
		if slices.ContainsFunc(symbols, func(i int32) bool { return alive[i] }) {
			names = append(names, name)
		}
	}
	return names
}

// Reach is what leads to the machine code of a changed function.
type Reach struct {
	// Benchmarks are the benchmark functions that do.
	Benchmarks []string
	// Start is true for init functions, variables and TestMain, Binary for anything
	// in the test binary, tests included.
	Start, Binary bool
}

// Reaches follows the calls of the new program to each changed function. It is nil
// for programs that are not understood.
func (c *Comparison) Reaches(changed []Changed) (all []Reach) {
	defer nilAfterPanic(&all)
	found := make([]Reach, len(changed))
	mark := func(partner []int32, do func(*Reach)) {
		for i, f := range changed {
			if slices.ContainsFunc(f.code, func(symbol int32) bool { return partner[symbol] != 0 }) {
				do(&found[i])
			}
		}
	}
	m := rooted(c.new, nil)
	mark(m.partner, func(r *Reach) { r.Binary = true })
	m = rooted(c.new, testTables)
	mark(m.partner, func(r *Reach) { r.Start = true })
	start := m.state()
	for _, name := range slices.Sorted(maps.Keys(c.others)) {
		root := c.others[name]
		m.pair(root, root, 0)
		m.run()
		add := func(r *Reach) { r.Benchmarks = append(r.Benchmarks, name) }
		mark(m.partner, func(r *Reach) {
			if !r.Start {
				add(r)
			}
		})
		m.undo(start)
		if !slices.ContainsFunc(found, func(r Reach) bool { return r.Start }) {
			continue
		}
		// What the start reaches too is followed from the benchmark alone.
		mark(reached(c.new, nil, root).partner, func(r *Reach) {
			if r.Start {
				add(r)
			}
		})
	}
	return found
}

// Find lists functions of the new program by their names in the source, as if they
// had changed.
func (c *Comparison) Find(is func(name string) bool) (all []Changed) {
	defer nilAfterPanic(&all)
	if c.new == nil {
		return nil
	}
	d := &describer{p: c.new, functions: make(map[string]*Function), code: make(map[string][]int32)}
	for _, symbols := range textOf(c.new) {
		d.describeAll(symbols, false)
	}
	found := make(map[string]*Changed)
	for _, symbol := range slices.Sorted(maps.Keys(d.code)) {
		name, f := Source(symbol), d.functions[symbol]
		if !is(name) {
			continue
		}
		if found[name] == nil {
			found[name] = &Changed{Name: name, Site: Site{f.File, f.Line}}
		}
		found[name].code = append(found[name].code, d.code[symbol]...)
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		all = append(all, *found[name])
	}
	return all
}

// Names adds the functions of the new program outside the standard library by
// their names in the source.
func (c *Comparison) Names(to map[string]bool) {
	if c.new != nil {
		for name := range textOf(c.new) {
			to[Source(name)] = true
		}
	}
}

// Contains reports whether a package is in the new program.
func (c *Comparison) Contains(pkg string) bool {
	return c.new != nil && slices.ContainsFunc(c.new.objects, func(o *loaded) bool { return o.pkg == pkg })
}

// Source is the name of a function in the source: without type arguments, and for
// a function literal the name of the function around it.
func Source(symbol string) string {
	for inner := typeArguments.FindStringIndex(symbol); inner != nil; inner = typeArguments.FindStringIndex(symbol) {
		symbol = symbol[:inner[0]] + symbol[inner[1]:]
	}
	return closure.ReplaceAllString(strings.TrimSuffix(symbol, "-fm"), "")
}

// Bare is the name of a function in its declaration: [Source] without package and
// receiver.
func Bare(symbol string) string {
	symbol = Source(symbol)
	return symbol[strings.LastIndexByte(symbol, '.')+1:]
}

// typeArguments have no others inside.
var typeArguments = regexp.MustCompile(`\[[^\[\]]*\]`)

// closure is the end of the name of a function inside another one.
var closure = regexp.MustCompile(`(\.(func|gowrap|deferwrap)\d+|\.\d+|-range\d+)+$`)

// textOf are the Go functions that a program defines outside the standard library
// and package main, by name. Since Go 1.27 a function literal is known by its
// content: it has a symbol for each way in which the code around it was inlined.
func textOf(p *Program) map[string][]int32 {
	all := make(map[string][]int32)
	for _, o := range p.objects {
		if o.standard || o.pkg == "main" {
			continue
		}
		for k := range o.allDefs() {
			if i := o.global[k]; i > 0 && p.symbols[i].object == o && o.symbol(k).text() {
				all[o.name(k)] = append(all[o.name(k)], i)
			}
		}
	}
	return all
}

// isStandard reports whether a symbol is of the standard library, also in the object
// of a package that instantiates or inlines it.
func (p *Program) isStandard(symbol string) bool {
	symbol, _, _ = strings.Cut(symbol, "[")
	slash := strings.LastIndexByte(symbol, '/') + 1
	name, _, _ := strings.Cut(symbol[slash:], ".")
	return slices.ContainsFunc(p.objects, func(o *loaded) bool { return o.standard && o.pkg == symbol[:slash]+name })
}
