package objcode

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"go/token"
)

// match pairs the symbols of two programs. It follows reachable symbols as the
// linker's dead code elimination does.
//
// Each symbol of the old program has at most one partner in the new one and the
// reverse. A pair is compared by itself, and its relocations pair further
// symbols, until no pair remains or a difference is found.
type match struct {
	old, new *Program
	// linker makes the match follow exactly the references that the linker
	// follows, to find the parts of a program. The match is then between a
	// program and itself.
	linker bool
	// ends are variables whose content is not followed.
	ends map[string]bool
	// liveOld and liveNew mark the parts of the programs. A weak relocation to a
	// symbol outside them does not count.
	liveOld, liveNew []bool

	partner, reverse []int32
	inIface          []bool // by number in old
	interfaceMethods map[signature]bool
	namedMethods     map[string]bool
	methods          []method
	reflects         bool
	work             []int32

	// outside is the first function that calls the operating system directly,
	// past package os.
	outside string

	trail []change
	// diff is set once and ends the match.
	diff *Difference
}

// Difference is the first difference of two programs.
type Difference struct {
	// What names the part: "machine code", "data", "stack map", and others.
	What string
	// Symbol is its name in the old program, or in the new one if the old one
	// has none.
	Symbol string
}

type signature struct {
	name string
	typ  int32 // in old
}

// method is a method of a type that is converted to an interface.
type method struct {
	signature
	old, new [3]int32 // type, function for interfaces, function
}

type change struct {
	kind byte
	sym  int32
	sig  signature
}

const (
	paired byte = iota
	becameIface
	wantsMethod
	wantsName
	sawReflection
)

func newMatch(a, b *Program) *match {
	return &match{
		old: a, new: b,
		partner: make([]int32, len(a.symbols)), reverse: make([]int32, len(b.symbols)),
		inIface:          append([]bool(nil), a.inIface...),
		interfaceMethods: make(map[signature]bool), namedMethods: make(map[string]bool), ends: testTables,
	}
}

type state struct {
	trail   int
	methods []method
	outside string
}

func (m *match) state() state {
	return state{len(m.trail), append([]method(nil), m.methods...), m.outside}
}

func (m *match) undo(s state) {
	for _, c := range m.trail[s.trail:] {
		switch c.kind {
		case paired:
			m.reverse[m.partner[c.sym]] = 0
			m.partner[c.sym] = 0
		case becameIface:
			m.inIface[c.sym] = false
		case wantsMethod:
			delete(m.interfaceMethods, c.sig)
		case wantsName:
			delete(m.namedMethods, c.sig.name)
		case sawReflection:
			m.reflects = false
		}
	}
	m.trail = m.trail[:s.trail]
	m.methods = append(m.methods[:0], s.methods...)
	m.outside, m.work, m.diff = s.outside, m.work[:0], nil
}

func (m *match) differ(what string, x, y int32) {
	if m.diff != nil {
		return
	}
	m.diff = &Difference{What: what, Symbol: cmp.Or(m.old.name(x), m.new.name(y))}
}

// pair records that two symbols are the same one. owner, if not 0, is the
// symbol of old that refers to x, for the message.
func (m *match) pair(x, y, owner int32) {
	if x <= 0 || y <= 0 {
		if x != y {
			m.differ("reference", owner, 0)
		}
		return
	}
	if m.partner[x] == y {
		return
	}
	if m.partner[x] != 0 || m.reverse[y] != 0 {
		m.differ("reference to "+m.old.name(x), owner, 0)
		return
	}
	m.partner[x], m.reverse[y] = y, x
	m.trail = append(m.trail, change{kind: paired, sym: x})
	if m.new.inIface[y] && !m.inIface[x] {
		m.markIface(x)
	}
	m.work = append(m.work, x)
}

func (m *match) markIface(x int32) {
	m.inIface[x] = true
	m.trail = append(m.trail, change{kind: becameIface, sym: x})
}

// convert records that a type is converted to an interface: its methods can be
// called by name. A type that was followed before is followed again.
func (m *match) convert(x int32) {
	if x <= 0 || m.inIface[x] {
		return
	}
	m.markIface(x)
	if m.partner[x] != 0 {
		m.work = append(m.work, x)
	}
}

// run follows all pairs until nothing new is found or something differs.
func (m *match) run() *Difference {
	for m.diff == nil {
		for len(m.work) > 0 && m.diff == nil {
			x := m.work[len(m.work)-1]
			m.work = m.work[:len(m.work)-1]
			m.visit(x, m.partner[x])
		}
		kept := m.methods[:0]
		for _, f := range m.methods {
			if m.reflects && token.IsExported(f.name) || m.interfaceMethods[f.signature] || m.namedMethods[f.name] {
				for i := range f.old {
					m.pair(f.old[i], f.new[i], 0)
				}
				continue
			}
			kept = append(kept, f)
		}
		m.methods = kept
		if len(m.work) == 0 {
			break
		}
	}
	return m.diff
}

// testTables are the variables of the generated package main that list all
// tests. [Comparison.Benchmark] starts from the tests that run, and
// [Program.Digest] leaves out all tables except the one of benchmarks.
var (
	testTables  = map[string]bool{"main.tests": true, "main.benchmarks": true, "main.fuzzTargets": true, "main.examples": true}
	otherTables = map[string]bool{"main.tests": true, "main.fuzzTargets": true, "main.examples": true}
)

func (m *match) visit(x, y int32) {
	a, b := m.old.symbols[x], m.new.symbols[y]
	if a.object == nil || b.object == nil {
		if a.object != b.object || m.old.undefined[x] != m.new.undefined[y] {
			m.differ("definition", x, y)
		}
		return
	}
	if a.object.pkg == "main" && m.ends[a.object.name(a.index)] {
		if m.new.name(y) != a.object.name(a.index) {
			m.differ("reference", x, y)
		}
		return
	}
	same := a.object.object == b.object.object && a.index == b.index && m.old.size(x) == m.new.size(y)
	if !same {
		if what := m.compare(x, y); what != "" {
			m.differ(what, x, y)
			return
		}
	}
	s := a.object.symbol(a.index)
	if s.flag()&flagReflectMethod != 0 && !m.reflects {
		m.reflects = true
		m.trail = append(m.trail, change{kind: sawReflection})
	}
	m.follow(x, y, s)
	m.followAux(x, y)
	if !m.linker && m.outside == "" && !a.object.standard {
		m.outside = outside(m.old, a, s)
	}
}

// followAux pairs the symbols that belong to a pair: stack maps, unwinding
// tables, types.
func (m *match) followAux(x, y int32) {
	a, b := m.old.symbols[x], m.new.symbols[y]
	before, after := a.object.allAux(a.index), b.object.allAux(b.index)
	for {
		f, ok := before.next()
		g, also := after.next()
		if ok != also || ok && f.kind() != g.kind() {
			m.differ("function tables", x, y)
			return
		}
		if !ok {
			return
		}
		to, newTo := m.old.target(a.object, f.target()), m.new.target(b.object, g.target())
		switch {
		case f.kind() == auxGotype && m.linker:
			// A reachable variable does not make its type reachable.
		case f.kind() == auxFuncInfo && !m.linker:
			m.compareFuncInfo(x, y, to, newTo)
		default:
			m.pair(to, newTo, x)
		}
	}
}

// compare compares two symbols by themselves and returns the part that differs.
func (m *match) compare(x, y int32) string {
	a, b := m.old.symbols[x], m.new.symbols[y]
	s, t := a.object.symbol(a.index), b.object.symbol(b.index)
	what := relocated(s)
	if s.flag()&flagGoType != 0 {
		what = "type"
	}
	switch {
	case a.hashed() && b.hashed() && s.kind() == t.kind() && s.flag()&flagGoType == 0:
		// The linker's choice among several definitions depends on the whole
		// program, and size and alignment depend on it: see defineHashed.
		if !bytes.Equal(withoutZeros(a.object.data(a.index)), withoutZeros(b.object.data(b.index))) {
			return what
		}
	case s.kind() != t.kind() || s.abi() != t.abi() || s.flag() != t.flag() || s.flag2()&^flag2UsedInIface != t.flag2()&^flag2UsedInIface:
		return "kind or attributes"
	case m.old.size(x) != m.new.size(y) || s.align() != t.align():
		return what
	case !bytes.Equal(a.object.data(a.index), b.object.data(b.index)):
		return what
	}
	return ""
}

func withoutZeros(data []byte) []byte { return bytes.TrimRight(data, "\x00") }

// compareFuncInfo compares frame sizes, flags and the tree of inlined calls,
// without files and lines.
func (m *match) compareFuncInfo(x, y, i, j int32) {
	if i <= 0 || j <= 0 {
		if i != j {
			m.differ("function tables", x, y)
		}
		return
	}
	a, b := m.old.symbols[i], m.new.symbols[j]
	if a.object.object == b.object.object && a.index == b.index {
		return
	}
	if !bytes.Equal(withoutLines(a.object.data(a.index)), withoutLines(b.object.data(b.index))) {
		m.differ("function tables", x, y)
	}
}

// withoutLines removes lines, files and names from a record of
// cmd/internal/goobj.FuncInfo.
func withoutLines(info []byte) []byte {
	kept := append([]byte(nil), info[:12]...)
	files := binary.LittleEndian.Uint32(info[16:])
	rest := info[funcInfoMinSize+4*files:]
	for nodes := rest[4:]; len(nodes) >= inlineNodeSize; nodes = nodes[inlineNodeSize:] {
		kept = append(append(kept, nodes[:4]...), nodes[20:24]...)
	}
	return kept
}
