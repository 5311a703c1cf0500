package objcode

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Comparison is the comparison of two test binaries.
type Comparison struct {
	// Why is the reason why all benchmarks differ. It is empty if nothing
	// differs.
	Why string
	// Symbol is the first symbol that differs, if a symbol differs.
	Symbol string
	// Settings is true if toolchain, architecture or linker flags differ, except
	// the default of GODEBUG.
	Settings bool

	what     string
	old, new *Program
	match    *match
	base     state
	// benchmarks and others are the functions of the old and new program.
	benchmarks, others map[string]int32
}

// Verdict is the answer for one benchmark.
type Verdict struct {
	// Same is true if all code and data that the benchmark can reach is the same
	// in both programs.
	Same bool
	// Why names the difference: "machine code of pkg.F". It is empty for Same.
	Why string
	// What names the part of Symbol that differs: "machine code", "data",
	// "type", "function tables", and others. It is empty if the difference is
	// not in a symbol.
	What, Symbol string
	// Outside is a function that the benchmark can reach and that calls the
	// operating system directly, so that package os does not log it. It is empty
	// if there is none. The comparison does not cover the data that it reads.
	Outside string
}

// globalsLimit is the difference in bytes of global variables with pointers up
// to which the garbage collector costs the same in two programs: 0.1% of the
// smallest heap goal, 4 MiB.
const globalsLimit = 4 << 10

// Compare compares the common part of all benchmarks of two test binaries: the
// runtime, package testing, init functions and TestMain.
func Compare(old, new *Program) (c *Comparison) {
	c = &Comparison{old: old, new: new, benchmarks: old.table("main.benchmarks"), others: new.table("main.benchmarks")}
	defer func() {
		if caught := recover(); caught != nil {
			c.Why = fmt.Sprintf("an object that is not understood: %v", caught)
		}
	}()
	if c.differentSettings(old, new) {
		return c
	}
	m := newMatch(old, new)
	c.match = m
	var both sync.WaitGroup
	var failed any
	both.Go(func() {
		defer func() { failed = recover() }()
		m.liveNew = new.kept()
	})
	m.liveOld = old.kept()
	both.Wait()
	if failed != nil {
		panic(failed)
	}
	if a, b := globals(old, m.liveOld), globals(new, m.liveNew); max(a, b)-min(a, b) > globalsLimit {
		c.Why = fmt.Sprintf("global variables that the garbage collector scans: %d and %d bytes", a, b)
		return c
	}
	if !c.pairRoots(old, new) {
		return c
	}
	if diff := m.run(); diff != nil {
		c.Why, c.what, c.Symbol = diff.String()+", which every benchmark can reach", diff.What, diff.Symbol
		return c
	}
	if old.modinfo != new.modinfo && m.reaches("runtime/debug.ReadBuildInfo") {
		c.Why = "the program reads its build information, which differs"
		return c
	}
	c.base = m.state()
	return c
}

func (c *Comparison) differentSettings(old, new *Program) bool {
	switch pkg, same := sameForeign(old, new); {
	case old.header != new.header:
		c.Why, c.Settings = "toolchain or its settings", true
	case !slices.Equal(withoutDefaults(old.flags), withoutDefaults(new.flags)):
		c.Why, c.Settings = "arguments of the linker", true
	case !slices.Equal(old.flags, new.flags):
		c.Why = "default of GODEBUG, which the go line of go.mod sets"
	case !same:
		c.Why = "C code of " + pkg
	case len(old.tasks) != len(new.tasks):
		c.Why = "init functions"
	}
	return c.Why != ""
}

// withoutDefaults returns the linker's arguments without the default of
// GODEBUG. If only this default differs, the code of both programs can be
// compared.
func withoutDefaults(flags []string) []string {
	return slices.DeleteFunc(slices.Clone(flags), func(f string) bool { return strings.HasPrefix(f, "-X=runtime.godebugDefault=") })
}

func (c *Comparison) pairRoots(old, new *Program) bool {
	m := c.match
	for i, task := range old.tasks {
		if old.name(task) != new.name(new.tasks[i]) {
			c.Why, c.Symbol = "order of init functions", old.name(task)
			return false
		}
		m.pair(task, new.tasks[i], 0)
	}
	for _, name := range []string{"main.main", "runtime.unreachableMethod"} {
		for abi := range old.byName {
			m.pair(old.byName[abi][name], new.byName[abi][name], 0)
		}
	}
	// The whole runtime counts: the compiler refers to its functions by number,
	// and the entry point is in it. A whole package with C code counts too,
	// because the C code may call its exported functions.
	before, after := wholeObjects(old), wholeObjects(new)
	if len(before) != len(after) {
		c.Why = "objects of the runtime"
		return false
	}
	for i, o := range before {
		if o.object != after[i].object {
			c.Why = "package " + o.pkg
			return false
		}
		for j := range o.allDefs() {
			s := o.symbol(j)
			if !isTable(s, o.name(j)) && m.liveOld[o.global[j]] {
				if !m.liveNew[after[i].global[j]] {
					c.Why, c.Symbol = "used symbols of package "+o.pkg, o.name(j)
					return false
				}
				m.pair(o.global[j], after[i].global[j], 0)
			}
		}
	}
	for _, name := range runtimeNames(old) {
		for abi := range old.byName {
			if x, y := old.byName[abi][name], new.byName[abi][name]; x != 0 && m.liveOld[x] {
				m.pair(x, y, 0)
			}
		}
	}
	return true
}

// runtimeNames lists the functions of the runtime that other packages define.
// The compiler refers to them by numbers too.
func runtimeNames(p *Program) []string {
	var names []string
	for _, o := range p.objects {
		for i := o.defs + o.hashed64 + o.hashed; i < o.allDefs(); i++ {
			if name := o.name(i); strings.HasPrefix(name, "runtime.") && !strings.Contains(name, "[") {
				names = append(names, name)
			}
		}
	}
	return names
}

func isTable(s symbol, name string) bool {
	return name == "" || s.kind() > kindNoPtrBSS+1
}

func wholeObjects(p *Program) []*loaded {
	foreign := make(map[string]bool)
	for _, pkg := range p.packages {
		foreign[pkg.path] = len(pkg.archive.foreign) > 0
	}
	var all []*loaded
	for _, o := range p.objects {
		if o.pkg == "runtime" || o.pkg == "runtime/cgo" || foreign[o.pkg] {
			all = append(all, o)
		}
	}
	return all
}

func (p *Program) kept() []bool {
	p.once.Do(func() { p.alive = live(p, nil) })
	if p.alive == nil {
		panic("the linker may keep any symbol")
	}
	return p.alive
}

// live marks the symbols of a program that the linker keeps, if some tables of
// tests are empty, and those that further roots lead to.
func live(p *Program, empty map[string]bool, further ...int32) []bool {
	alive := make([]bool, len(p.symbols))
	for i, partner := range rooted(p, empty, further...).partner {
		alive[i] = partner != 0
	}
	return alive
}

func rooted(p *Program, empty map[string]bool, further ...int32) *match {
	roots := slices.Concat(p.tasks, further)
	for _, name := range append(runtimeNames(p), "main.main", "runtime.unreachableMethod") {
		for abi := range p.byName {
			roots = append(roots, p.byName[abi][name])
		}
	}
	for _, o := range wholeObjects(p) {
		for j := range o.allDefs() {
			if s := o.symbol(j); !isTable(s, o.name(j)) && s.flag()&flagDupok == 0 {
				roots = append(roots, o.global[j])
			}
		}
	}
	return reached(p, empty, roots...)
}

// reached follows a program from some symbols, as the linker does.
func reached(p *Program, ends map[string]bool, roots ...int32) *match {
	m := newMatch(p, p)
	m.linker, m.ends = true, ends
	for _, root := range roots {
		m.pair(root, root, 0)
	}
	m.run()
	return m
}

// globals returns the size in bytes of the live global variables with pointers.
func globals(p *Program, alive []bool) (size int64) {
	for i, at := range p.symbols {
		if at.object == nil || !alive[i] {
			continue
		}
		switch at.object.symbol(at.index).kind() {
		case kindData, kindDataFIPS, kindBSS:
			size += int64(p.size(int32(i)))
		}
	}
	return size
}

func (m *match) reaches(name string) bool {
	i := m.old.byName[internalABI][name]
	return i != 0 && m.partner[i] != 0
}

func (p *Program) table(name string) map[string]int32 {
	functions := make(map[string]int32)
	header, ok := p.byName[0][name]
	if !ok || p.symbols[header].object == nil {
		return functions
	}
	at := p.symbols[header]
	slice := at.object.relocs(at.index)
	if slice.count() == 0 {
		return functions
	}
	at = p.symbols[p.target(at.object, slice.at(0).target())]
	if at.object == nil {
		return functions
	}
	// An entry is a string and a function: three words, two relocations.
	entries := at.object.relocs(at.index)
	data := at.object.data(at.index)
	for i := 0; i+1 < entries.count(); i++ {
		r, f := entries.at(i), entries.at(i+1)
		if r.off()%(3*pointerSize) != 0 || f.off() != r.off()+2*pointerSize {
			continue
		}
		content := p.data(p.target(at.object, r.target()))
		if content == nil {
			continue
		}
		n := int(data[r.off()+pointerSize]) | int(data[r.off()+pointerSize+1])<<8
		if n > len(content) {
			continue
		}
		functions[string(content[:n])] = p.target(at.object, f.target())
	}
	return functions
}

// Benchmark compares the code that one benchmark function ("BenchmarkDecode")
// reaches beyond the common part of all benchmarks.
func (c *Comparison) Benchmark(name string) (v Verdict) {
	if c.Why != "" {
		return Verdict{Why: c.Why, What: c.what, Symbol: c.Symbol}
	}
	defer func() {
		if caught := recover(); caught != nil {
			v = Verdict{Why: fmt.Sprintf("an object that is not understood: %v", caught)}
			c.Why = v.Why
		}
	}()
	x, y := c.benchmarks[name], c.others[name]
	if x <= 0 || y <= 0 {
		return Verdict{Why: "not in both programs"}
	}
	// Equal code of one benchmark stays paired for the next, because most
	// benchmarks share it. All benchmarks together reach the union of their
	// code, so code that is equal for all is equal for each. If something
	// differs, the benchmark is compared alone.
	if c.base.outside == "" {
		if v := c.further(x, y); v.Same && v.Outside == "" {
			return v
		}
	}
	c.match.undo(c.base)
	defer c.match.undo(c.base)
	return c.further(x, y)
}

// further compares the code that a pair reaches beyond the paired symbols.
func (c *Comparison) further(x, y int32) Verdict {
	m := c.match
	m.pair(x, y, 0)
	if diff := m.run(); diff != nil {
		return Verdict{Why: diff.String(), What: diff.What, Symbol: diff.Symbol}
	}
	if m.old.modinfo != m.new.modinfo && m.reaches("runtime/debug.ReadBuildInfo") {
		return Verdict{Why: "it reads the build information, which differs"}
	}
	return Verdict{Same: true, Outside: m.outside}
}

// Benchmarks lists the benchmark functions that both programs have, sorted.
func (c *Comparison) Benchmarks() []string {
	var names []string
	for name := range c.benchmarks {
		if _, ok := c.others[name]; ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (d *Difference) String() string {
	if d.Symbol == "" {
		return d.What
	}
	return d.What + " of " + strings.TrimSuffix(d.Symbol, "·f")
}
