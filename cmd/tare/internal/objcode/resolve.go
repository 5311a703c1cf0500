package objcode

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// resolve gives each symbol of each object its number, by the rules of
// cmd/link/internal/loader.
func (p *Program) resolve() {
	p.symbols = make([]location, 1, 1<<17)
	p.byName = [2]map[string]int32{make(map[string]int32, 1<<16), make(map[string]int32, 1<<15)}
	byPackage := make(map[string]*loaded)
	for _, o := range p.objects {
		if pkg := inSymbols(o.pkg); byPackage[pkg] == nil {
			byPackage[pkg] = o
		}
		o.global = make([]int32, o.allDefs()+o.namedRefs)
		for i := range o.defs {
			p.define(o, i)
		}
	}
	var shorts, longs uint32
	for _, o := range p.objects {
		shorts, longs = shorts+o.hashed64, longs+o.hashed
	}
	short, long := make(map[uint64]int32, shorts/2), make(map[[16]byte]int32, longs/2)
	for _, o := range p.objects {
		for i := o.defs; i < o.defs+o.hashed64; i++ {
			defineHashed(p, short, o.hash64(i-o.defs), o, i)
		}
		for i := o.defs + o.hashed64; i < o.defs+o.hashed64+o.hashed; i++ {
			defineHashed(p, long, o.hash(i-o.defs-o.hashed64), o, i)
		}
		for i := o.defs + o.hashed64 + o.hashed; i < o.allDefs(); i++ {
			p.define(o, i)
		}
	}
	for _, o := range p.objects {
		for i := o.allDefs(); i < o.allDefs()+o.namedRefs; i++ {
			o.global[i] = p.lookup(o.name(i), o.symbol(i).abi())
		}
		o.refs = make([]*loaded, len(o.packages))
		for i, pkg := range o.packages {
			if o.refs[i] = byPackage[pkg]; o.refs[i] == nil && i > 0 {
				panic("reference to package " + pkg)
			}
		}
	}
	p.inIface = make([]bool, len(p.symbols))
	for _, o := range p.objects {
		for i := range o.allDefs() + o.namedRefs {
			if o.symbol(i).flag2()&flag2UsedInIface != 0 {
				p.inIface[o.global[i]] = true
			}
		}
		for _, ref := range o.refFlags() {
			p.inIface[p.target(o, ref)] = true
		}
	}
}

// inSymbols returns an import path as symbols contain it
// (cmd/internal/objabi.PathToPrefix).
func inSymbols(path string) string {
	slash := strings.LastIndex(path, "/")
	var b strings.Builder
	for i := range len(path) {
		if c := path[i]; c <= ' ' || c == '.' && i > slash || c == '%' || c == '"' || c >= 0x7f {
			fmt.Fprintf(&b, "%%%02x", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// lookup finds a symbol that an object names without defining it. If no object
// defines it, the linker does.
func (p *Program) lookup(name string, abi uint16) int32 {
	if abi == staticABI { // a symbol of this object alone, which it lacks
		i := p.number(location{})
		p.undefined[i] = name
		return i
	}
	if abi > internalABI {
		panic("unknown calling convention of " + name)
	}
	i, ok := p.byName[abi][name]
	if !ok {
		i = p.number(location{})
		p.undefined[i] = name
		p.byName[abi][name] = i
	}
	return i
}

func (p *Program) number(at location) int32 {
	p.symbols = append(p.symbols, at)
	return int32(len(p.symbols) - 1)
}

// define numbers a symbol of the object's package, or a named symbol that
// several objects may define.
func (p *Program) define(o *loaded, i uint32) {
	s := o.symbol(i)
	abi, name := s.abi(), o.name(i)
	if name == "" || abi == staticABI {
		o.global[i] = p.number(location{o, i})
		return
	}
	if abi > internalABI {
		panic("unknown calling convention of " + name)
	}
	old, exists := p.byName[abi][name]
	if !exists || i < o.defs {
		o.global[i] = p.number(location{o, i})
		p.byName[abi][name] = o.global[i]
		return
	}
	o.global[i] = old
	if p.replaces(o, i, old) {
		p.symbols[old] = location{o, i}
	}
}

// replaces reports whether a further definition of a name replaces the earlier
// one (loader.addSym).
func (p *Program) replaces(o *loaded, i uint32, old int32) bool {
	before := p.symbols[old]
	oldSymbol, newSymbol := before.object.symbol(before.index), o.symbol(i)
	oldSize, newSize := p.size(old), newSymbol.size()
	if newSymbol.flag()&flagDupok != 0 {
		return oldSize < newSize
	}
	if oldSymbol.flag()&flagDupok != 0 {
		return false
	}
	oldHas, newHas := len(before.object.data(before.index)) != 0, len(o.data(i)) != 0
	oldBSS, newBSS := !oldSymbol.text() && !oldHas, !newSymbol.text() && !newHas
	switch {
	case newSymbol.text() && oldBSS, newHas && oldBSS, newBSS && oldBSS && newSize > oldSize:
		if oldSize > newSize {
			p.sizes[old] = oldSize
		}
		return true
	case newBSS:
		if newSize > oldSize {
			p.sizes[old] = newSize
		}
		return false
	}
	panic("two definitions of " + o.name(i))
}

// defineHashed numbers a symbol that is known by its content. Trailing zeros
// are not part of the hash. Of equal symbols it takes the longest.
func defineHashed[H comparable](p *Program, known map[H]int32, hash H, o *loaded, i uint32) {
	old, ok := known[hash]
	if !ok {
		o.global[i] = p.number(location{o, i})
		known[hash] = o.global[i]
		return
	}
	o.global[i] = old
	if o.symbol(i).size() > p.size(old) {
		p.symbols[old] = location{o, i}
	}
}

func (p *Program) size(i int32) uint32 {
	if size, ok := p.sizes[i]; ok {
		return size
	}
	at := p.symbols[i]
	return at.object.symbol(at.index).size()
}

// target returns the number of the symbol of a reference in an object, or 0.
// Method builtin resolves references by number.
func (p *Program) target(o *loaded, ref reference) int32 {
	switch ref.pkg {
	case 0:
		return 0
	case refSelf:
		return o.global[ref.sym]
	case refHashed64:
		return o.global[o.defs+ref.sym]
	case refHashed:
		return o.global[o.defs+o.hashed64+ref.sym]
	case refNamed:
		return o.global[o.defs+o.hashed64+o.hashed+ref.sym]
	case refBuiltin:
		return builtin
	}
	return o.refs[ref.pkg].global[ref.sym]
}

// builtin represents the functions of package runtime to which the compiler
// refers by number (cmd/internal/goobj/builtinlist.go). All of package runtime
// is part of every match, so the match needs no exact function.
const builtin = -1

func (p *Program) name(i int32) string {
	if i <= 0 {
		return ""
	}
	at := p.symbols[i]
	if at.object == nil {
		return p.undefined[i]
	}
	return at.object.name(at.index)
}

// data is the content of a symbol. It is nil if no object defines it.
func (p *Program) data(i int32) []byte {
	if i <= 0 || p.symbols[i].object == nil {
		return nil
	}
	return p.symbols[i].object.data(p.symbols[i].index)
}

func sameForeign(a, b *Program) (string, bool) {
	old := make(map[string][][]byte)
	for _, pkg := range a.packages {
		if len(pkg.archive.foreign) > 0 {
			old[pkg.path] = pkg.archive.foreign
		}
	}
	for _, pkg := range b.packages {
		if len(pkg.archive.foreign) == 0 {
			continue
		}
		if !slices.EqualFunc(old[pkg.path], pkg.archive.foreign, bytes.Equal) {
			return pkg.path, false
		}
		delete(old, pkg.path)
	}
	for pkg := range old {
		return pkg, false
	}
	return "", true
}
