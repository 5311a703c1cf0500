package objcode

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"slices"
	"strings"
)

// Digest returns a hash of the machine code and data that the linker keeps for
// the benchmarks of a test binary, or for a program, without files and lines.
// Programs with the same digest run alike.
func (p *Program) Digest() (digest string, err error) {
	defer func() {
		if caught := recover(); caught != nil {
			digest, err = "", fmt.Errorf("digest program: %v: %w", caught, errForm)
		}
	}()
	var all [][sha256.Size]byte
	infos := p.funcInfos()
	for i, kept := range live(p, otherTables) {
		if kept && p.symbols[i].object != nil && !infos[int32(i)] && !otherTables[p.name(int32(i))] {
			all = append(all, p.sum(int32(i)))
		}
	}
	// The numbers of symbols depend on an order without meaning.
	slices.SortFunc(all, func(a, b [sha256.Size]byte) int { return slices.Compare(a[:], b[:]) })
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q\n", p.header, p.flags, p.modinfo)
	for _, task := range p.tasks {
		fmt.Fprintf(h, "%q ", p.name(task))
	}
	for _, sum := range all {
		h.Write(sum[:])
	}
	for _, l := range p.packages {
		for _, compiled := range l.archive.foreign {
			fmt.Fprintf(h, "\n%q %x", l.path, sha256.Sum256(compiled))
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}

// funcInfos marks the records of functions. They contain lines, and the sums of
// the functions cover the rest.
func (p *Program) funcInfos() map[int32]bool {
	infos := make(map[int32]bool)
	for i, at := range p.symbols {
		if at.object == nil || !p.kept()[i] {
			continue
		}
		for a := range at.object.allAux(at.index).all() {
			if a.kind() == auxFuncInfo {
				infos[p.target(at.object, a.target())] = true
			}
		}
	}
	return infos
}

// sum returns the sum of one symbol: its name, its content, and the names that
// it refers to.
func (p *Program) sum(i int32) (sum [sha256.Size]byte) {
	at := p.symbols[i]
	o, s := at.object, at.object.symbol(at.index)
	h := sha256.New()
	fmt.Fprintf(h, "%q %d %d %d %d %d %d\n", unnumbered(o.name(at.index)), s.abi(), s.kind(), s.flag(), s.flag2(), p.size(i), s.align())
	h.Write(o.data(at.index))
	for r := range o.relocs(at.index).all() {
		h.Write(r.place())
		p.writeTarget(h, o, r.target())
	}
	for a := range o.allAux(at.index).all() {
		if !a.kept() {
			continue
		}
		fmt.Fprintf(h, "\naux %d ", a.kind())
		if to := p.target(o, a.target()); a.kind() == auxFuncInfo && to > 0 {
			info := p.symbols[to]
			h.Write(withoutLines(info.object.data(info.index)))
			continue
		}
		p.writeTarget(h, o, a.target())
	}
	h.Sum(sum[:0])
	return sum
}

// writeTarget writes the meaning of a reference: a name, or the content of a
// symbol without a name.
func (p *Program) writeTarget(h hash.Hash, o *loaded, ref reference) {
	to := p.target(o, ref)
	if to == builtin {
		_ = binary.Write(h, binary.LittleEndian, ref)
		return
	}
	name := p.name(to)
	fmt.Fprintf(h, " %q", unnumbered(name))
	if name == "" {
		h.Write(p.data(to))
	}
}

// unnumbered is the name of a symbol without the number that the compiler gives
// to the tables of tests, which depends on how many of them are empty.
func unnumbered(name string) string {
	if strings.HasPrefix(name, "main..stmp_") {
		return "main..stmp_"
	}
	return name
}
