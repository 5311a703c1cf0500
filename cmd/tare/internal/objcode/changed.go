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
}

// Changed lists the changed functions of the new program outside the standard
// library and test files, sorted by name. A function whose code differs only by
// what was inlined into it did not change. The list is nil for programs that are
// not understood.
func (c *Comparison) Changed(builtins []string) (all []Changed) {
	defer func() {
		if recover() != nil { // an object that is not understood
			all = nil
		}
	}()
	if c.old == nil || c.new == nil || c.Settings {
		return nil
	}
	before, after := textOf(c.old), textOf(c.new)
	a := &describer{p: c.old, builtins: builtins, functions: make(map[string]*Function)}
	b := &describer{p: c.new, builtins: builtins, functions: make(map[string]*Function)}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		j := after[name]
		i, both := before[name]
		if both && sameFunction(c.old, c.new, i, j) {
			continue
		}
		if both {
			a.describe(i, true)
		}
		b.describe(j, true)
	}
	found := make(map[string]Site)
	for _, name := range slices.Sorted(maps.Keys(b.functions)) { // a function is before those inside it
		f := b.functions[name]
		old, both := a.functions[name]
		if _, own := after[name]; !own || f.File == "" || strings.HasSuffix(f.File, "_test.go") || !strings.HasSuffix(f.File, ".go") ||
			both && old.SameOperands(f) && old.Instructions == f.Instructions && maps.Equal(old.Calls, f.Calls) {
			continue
		}
		top := closure.ReplaceAllString(name, "")
		if _, known := found[top]; !known {
			found[top] = Site{f.File, f.Line}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		all = append(all, Changed{name, found[name]})
	}
	return all
}

// Running names the functions outside the standard library in the machine code of
// the new program that run if only these benchmarks do: also those of init
// functions and TestMain, and the methods of types that these make. It is nil for
// programs that are not understood.
func (c *Comparison) Running(benchmarks []string) (names []string) {
	defer func() {
		if recover() != nil { // an object that is not understood
			names = nil
		}
	}()
	var roots []int32
	for _, name := range benchmarks {
		roots = append(roots, c.others[name])
	}
	alive := live(c.new, testTables, roots...)
	for name, i := range textOf(c.new) {
		if alive[i] {
			names = append(names, name)
		}
	}
	return names
}

// Bare is the name of a function in its declaration, without package, receiver
// and type arguments. For a function literal it is the name of the function
// around it.
func Bare(symbol string) string {
	for inner := typeArguments.FindStringIndex(symbol); inner != nil; inner = typeArguments.FindStringIndex(symbol) {
		symbol = symbol[:inner[0]] + symbol[inner[1]:]
	}
	symbol = closure.ReplaceAllString(strings.TrimSuffix(symbol, "-fm"), "")
	return symbol[strings.LastIndexByte(symbol, '.')+1:]
}

// typeArguments have no others inside.
var typeArguments = regexp.MustCompile(`\[[^\[\]]*\]`)

// closure is the end of the name of a function inside another one.
var closure = regexp.MustCompile(`(\.(func|gowrap|deferwrap)\d+|\.\d+|-range\d+)+$`)

// textOf are the Go functions that a program defines outside the standard library
// and package main, by name.
func textOf(p *Program) map[string]int32 {
	all := make(map[string]int32)
	for _, o := range p.objects {
		if o.standard || o.pkg == "main" {
			continue
		}
		for k := range o.allDefs() {
			if i := o.global[k]; i > 0 && p.symbols[i].object == o && !p.symbols[i].hashed() {
				if kind := o.symbol(k).kind(); kind == kindText || kind == kindTextFIPS {
					all[o.name(k)] = i
				}
			}
		}
	}
	return all
}
