package objcode

import (
	"fmt"
	"strings"
)

// Package is the compiled form of one package, for a look at its instructions.
type Package struct {
	archive *archive
	// files are the archives of the packages that it refers to, others those read.
	files  map[string]string
	others map[string]*archive
}

// OpenPackage reads the archive of a package. files has the archives of all
// packages that it needs, by import path.
func OpenPackage(path string, files map[string]string) (p *Package, err error) {
	defer func() {
		if caught := recover(); caught != nil {
			p, err = nil, fmt.Errorf("read package: %v: %w", caught, ErrForm)
		}
	}()
	a, err := readArchive(files[path])
	if err != nil {
		return nil, err
	}
	if err := checkHeader(a.header); err != nil {
		return nil, err
	}
	p = &Package{archive: a, files: make(map[string]string), others: make(map[string]*archive)}
	for path, file := range files {
		p.files[inSymbols(path)] = file
	}
	return p, nil
}

// Located is an instruction with its places in the source.
type Located struct {
	Instruction
	// Calls is the name of the function that a direct call calls.
	Calls string
	// Places are its places in the source, from the innermost inlined function
	// outwards.
	Places []Site
	// Inlined are the names of its inlined functions, from the innermost
	// outwards. Places has one element more.
	Inlined []string
}

// Instructions are the instructions of each function whose name is wanted.
func (p *Package) Instructions(wanted func(name string) bool) (all [][]Located, err error) {
	defer func() {
		if caught := recover(); caught != nil {
			all, err = nil, fmt.Errorf("read package: %v: %w", caught, ErrForm)
		}
	}()
	for _, o := range p.archive.objects {
		for i := range o.allDefs() {
			if k := o.symbol(i).kind(); (k == kindText || k == kindTextFIPS) && wanted(o.name(i)) {
				all = append(all, p.located(o, i, strings.Fields(p.archive.header)[3]))
			}
		}
	}
	return all, nil
}

// located are the instructions of a function.
func (p *Package) located(o *object, i uint32, arch string) (list []Located) {
	t := o.tables(i, func(ref reference) []byte {
		if own, ok := o.own(ref); ok {
			return o.data(own)
		}
		return nil
	})
	var nodes []inlineNode
	if t.info != nil {
		_, _, nodes = o.funcInfo(t.info, func(ref reference) string { return p.nameOf(o, ref) })
	}
	relocs := o.relocs(i)
	next := 0
	decode(arch, o.data(i), func(in Instruction) {
		x := Located{Instruction: in, Places: []Site{t.site(o, in.Off)}}
		for n := t.node(in.Off); n >= 0 && n < len(nodes); n = nodes[n].parent {
			x.Inlined = append(x.Inlined, nodes[n].name)
			x.Places = append(x.Places, nodes[n].call)
		}
		for ; next < relocs.count() && int(relocs.at(next).off()) < int(in.Off+in.Size); next++ {
			r := relocs.at(next)
			if k := r.kind(); k == relocCallIndirect || k >= relocUseType && k <= relocUseNamedMethod || int(r.off()) < int(in.Off) {
				continue
			}
			x.Target = -1
			if x.Kind == Call {
				x.Calls = p.nameOf(o, r.target())
			}
		}
		list = append(list, x)
	})
	return list
}

// own is the number of a symbol that the object itself defines.
func (o *object) own(ref reference) (i uint32, ok bool) {
	switch ref.pkg {
	case refSelf:
		i = ref.sym
	case refHashed64:
		i = o.defs + ref.sym
	case refHashed:
		i = o.defs + o.hashed64 + ref.sym
	case refNamed:
		i = o.defs + o.hashed64 + o.hashed + ref.sym
	default:
		return 0, false
	}
	return i, i < o.allDefs()
}

// nameOf is the name of a symbol that an object refers to; empty if it is not
// known.
func (p *Package) nameOf(o *object, ref reference) string {
	if ref.pkg == refBuiltin {
		return "runtime"
	}
	if ref.pkg == refNamed {
		return o.name(o.defs + o.hashed64 + o.hashed + ref.sym)
	}
	if i, ok := o.own(ref); ok {
		return o.name(i)
	}
	if int(ref.pkg) >= len(o.packages) {
		return ""
	}
	pkg := o.packages[ref.pkg]
	a, known := p.others[pkg]
	if !known {
		a, _ = readArchive(p.files[pkg])
		p.others[pkg] = a
	}
	if a == nil || len(a.objects) == 0 || ref.sym >= a.objects[0].defs {
		return ""
	}
	return a.objects[0].name(ref.sym)
}
