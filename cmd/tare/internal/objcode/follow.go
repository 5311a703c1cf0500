package objcode

import (
	"bytes"
	"encoding/binary"
	"strings"
)

func (m *match) follow(x, y int32, s symbol) {
	a, b := m.old.symbols[x], m.new.symbols[y]
	before, after := a.object.relocs(a.index), b.object.relocs(b.index)
	isType := s.flag()&flagGoType != 0
	iface := isType && m.inIface[x]
	task := s.kind() != kindText && strings.HasSuffix(a.object.name(a.index), "..inittask")
	// Some relocations are only for debuggers, and the order of initializations
	// was compared before.
	skip := func(r reloc) bool { return r.kind() == relocUseType || task && r.kind() != relocAddr }
	j := 0
	for i := 0; i < before.count() && m.diff == nil; i++ {
		r := before.at(i)
		if skip(r) {
			continue
		}
		for j < after.count() && skip(after.at(j)) {
			j++
		}
		if j == after.count() || !bytes.Equal(r.place(), after.at(j).place()) {
			m.differ(relocated(s), x, y)
			return
		}
		to, newTo := m.old.target(a.object, r.target()), m.new.target(b.object, after.at(j).target())
		if to == builtin || newTo == builtin {
			if r.target() != after.at(j).target() {
				m.differ(relocated(s), x, y)
			}
			j++
			continue
		}
		switch kind := r.kind(); {
		case r.weak():
			m.followWeak(x, y, to, newTo, s)
		case kind == relocMethodOff:
			m.addMethod(x, y, before, after, i, j, iface)
			i, j = i+2, j+2
		case kind == relocUseIface:
			m.use(to, newTo, x)
			m.convert(m.typeOf(to))
		case kind == relocUseIfaceMethod:
			m.use(to, newTo, x)
			m.wantMethod(to, r.add())
		case kind == relocUseNamedMethod:
			m.use(to, newTo, x)
			at := m.old.symbols[to]
			m.wantName(string(at.object.data(at.index)))
		default:
			if iface && to > 0 && m.isType(to) {
				m.convert(to)
			}
			m.pair(to, newTo, x)
		}
		j++
	}
	for j < after.count() && skip(after.at(j)) {
		j++
	}
	if m.diff == nil && j != after.count() {
		m.differ(relocated(s), x, y)
	}
}

func relocated(s symbol) string {
	if s.text() {
		return "machine code"
	}
	return "data"
}

// use pairs the target of a relocation that only marks it. The linker does not
// keep such a target, but an additional comparison does no harm.
func (m *match) use(to, newTo, owner int32) {
	if !m.linker {
		m.pair(to, newTo, owner)
	}
}

func (m *match) isType(x int32) bool {
	at := m.old.symbols[x]
	return at.object != nil && at.object.symbol(at.index).flag()&flagGoType != 0
}

// typeOf returns x if it is a type, or the concrete type of an itab.
func (m *match) typeOf(x int32) int32 {
	if x <= 0 {
		return 0
	}
	at := m.old.symbols[x]
	if at.object == nil {
		panic("no definition of " + m.old.name(x))
	}
	if at.object.symbol(at.index).flag2()&flag2Itab == 0 {
		return x
	}
	return m.relocAt(x, pointerSize)
}

func (m *match) relocAt(x int32, off int64) int32 {
	at := m.old.symbols[x]
	for r := range at.object.relocs(at.index).all() {
		if int64(r.off()) == off {
			return m.old.target(at.object, r.target())
		}
	}
	return 0
}

// methodName reads the name that the relocation at an offset leads to: a flag
// byte, the length, the name.
func (m *match) methodName(x int32, off int64) string {
	name := m.relocAt(x, off)
	if name <= 0 {
		panic("method without a name in " + m.old.name(x))
	}
	at := m.old.symbols[name]
	data := at.object.data(at.index)
	n, width := binary.Uvarint(data[1:])
	return string(data[1+width : 1+width+int(n)])
}

// addMethod notes a method of a type: three relocations, after one for the
// name. It counts once the type is converted to an interface.
func (m *match) addMethod(x, y int32, before, after relocs, i, j int, iface bool) {
	if i+2 >= before.count() || j+2 >= after.count() {
		panic("half a method in " + m.old.name(x))
	}
	a, b := m.old.symbols[x], m.new.symbols[y]
	var f method
	for k := range f.old {
		r, s := before.at(i+k), after.at(j+k)
		if !bytes.Equal(r.place(), s.place()) {
			m.differ("type", x, y)
			return
		}
		f.old[k], f.new[k] = m.old.target(a.object, r.target()), m.new.target(b.object, s.target())
	}
	if !iface {
		return
	}
	f.signature = signature{m.methodName(x, int64(before.at(i).off())-4), f.old[0]}
	m.methods = append(m.methods, f)
	// Reflection reaches the types of its arguments from the type of the
	// method.
	m.convert(f.old[0])
}

func (m *match) wantMethod(x int32, off int64) {
	sig := signature{m.methodName(x, off), m.relocAt(x, off+4)}
	if !m.interfaceMethods[sig] {
		m.interfaceMethods[sig] = true
		m.trail = append(m.trail, change{kind: wantsMethod, sig: sig})
	}
}

// wantName notes that methods of a name are called, whatever their type.
func (m *match) wantName(name string) {
	if !m.namedMethods[name] {
		m.namedMethods[name] = true
		m.trail = append(m.trail, change{kind: wantsName, sig: signature{name: name}})
	}
}

// followWeak follows a relocation that does not keep its target alive. If the
// target is alive for another reason, a type leads to it: from a type to the
// pointer to it, from an init function to the making of a map. The entries of
// an itab are called only if such a method is called.
func (m *match) followWeak(x, y, to, newTo int32, s symbol) {
	if m.linker || s.flag2()&flag2Itab != 0 {
		return
	}
	if to <= 0 || newTo <= 0 {
		m.pair(to, newTo, x)
		return
	}
	if m.liveOld[to] != m.liveNew[newTo] {
		m.differ("references", x, y)
		return
	}
	if !m.liveOld[to] {
		return
	}
	if s.flag()&flagGoType != 0 && m.inIface[x] && m.isType(to) {
		m.convert(to)
	}
	m.pair(to, newTo, x)
}
