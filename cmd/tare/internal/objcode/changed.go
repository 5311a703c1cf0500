package objcode

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// A comparison of benchmarks shows nothing about code that no benchmark reaches.
// Changed answers which code that is. It errs on one side: what it calls unreached
// no benchmark can execute, because reachability follows every call that the
// linker knows, also through interfaces.

// Changed is a function of the source whose machine code differs from the old
// program's, or that the old program does not have.
type Changed struct {
	Name string
	Site // of its first line, if known
	// Benchmarks are the benchmark functions of the new program that can reach it,
	// sorted. Inlined copies count.
	Benchmarks []string
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
	// hosts are the symbols that contain the body of a function: its own, and
	// those that it was inlined into.
	hosts := make(map[string][]int32)
	for _, name := range slices.Sorted(maps.Keys(after)) {
		j := after[name]
		i, both := before[name]
		if both && sameFunction(c.old, c.new, i, j) {
			continue
		}
		if both {
			a.describe(i, true)
		}
		inside := &describer{p: c.new, builtins: builtins, functions: make(map[string]*Function)}
		inside.describe(j, true)
		b.describe(j, true)
		for body := range inside.functions {
			hosts[body] = append(hosts[body], j)
		}
	}
	reached := make(map[string]map[int32]bool)
	for name, root := range c.others {
		set := make(map[int32]bool)
		for _, i := range reachable(c.new, root) {
			set[i] = true
		}
		reached[name] = set
	}
	found := make(map[string]*Changed)
	for name, f := range b.functions {
		old, both := a.functions[name]
		if _, own := after[name]; !own || f.File == "" || strings.HasSuffix(f.File, "_test.go") || !strings.HasSuffix(f.File, ".go") ||
			both && old.SameOperands(f) && old.Instructions == f.Instructions && maps.Equal(old.Calls, f.Calls) {
			continue
		}
		top := closure.ReplaceAllString(name, "")
		one := found[top]
		if one == nil {
			one = &Changed{Name: top, Site: Site{f.File, f.Line}}
			found[top] = one
		}
		for benchmark, set := range reached {
			if !slices.Contains(one.Benchmarks, benchmark) && slices.ContainsFunc(hosts[name], func(i int32) bool { return set[i] }) {
				one.Benchmarks = append(one.Benchmarks, benchmark)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		slices.Sort(found[name].Benchmarks)
		all = append(all, *found[name])
	}
	return all
}

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
