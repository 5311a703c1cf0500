package objcode

import (
	"bytes"
	"encoding/binary"
	"errors"
	"iter"
	"slices"
	"unsafe"
)

// The format of Go objects, from cmd/internal/goobj/objfile.go.

const objectMagic = "\x00go120ld"

// Blocks of an object.
const (
	blockAutolib = iota
	blockPackages
	blockFiles
	blockDefs
	blockHashed64
	blockHashed
	blockNamedDefs
	blockNamedRefs
	blockRefFlags
	blockHashes64
	blockHashes
	blockRelocIndex
	blockAuxIndex
	blockDataIndex
	blockRelocs
	blockAux
	blockData
	blockRefNames
	blockEnd
	blockCount
)

// Indexes that do not name a package.
const (
	refNamed    = 1<<31 - 1
	refHashed64 = refNamed - 1
	refHashed   = refNamed - 2
	refBuiltin  = refNamed - 3
	refSelf     = refNamed - 4
)

const (
	symbolSize   = 21
	relocSize    = 23
	auxSize      = 9
	refFlagsSize = 10
	autolibSize  = 16
	headerSize   = len(objectMagic) + 8 + 4 + 4*blockCount
)

// Flags of an object.
const (
	objectFromAssembly = 1 << 2
	objectStandard     = 1 << 4
)

// Flags of a symbol.
const (
	flagDupok         = 1 << 0
	flagReflectMethod = 1 << 5
	flagGoType        = 1 << 6

	flag2UsedInIface = 1 << 0
	flag2Itab        = 1 << 1
)

// Kinds of symbols (cmd/internal/objabi.SymKind).
const (
	kindText     = 1
	kindTextFIPS = 2
	kindData     = 7
	kindDataFIPS = 8
	kindBSS      = 9
	kindNoPtrBSS = 10
)

// Relocations that only instruct the linker (cmd/internal/objabi.RelocType). Go
// 1.24 to 1.27 have these numbers.
const (
	relocUseType        = 22
	relocUseIface       = 23
	relocUseIfaceMethod = 24
	relocUseNamedMethod = 25
	relocMethodOff      = 26
	relocWeak           = 1 << 15

	relocAddr = 1
)

// Kinds of auxiliary symbols (cmd/internal/goobj.Aux).
const (
	auxGotype       = 0
	auxFuncInfo     = 1
	auxDwarfInfo    = 3
	auxDwarfLines   = 6
	auxPcfile       = 8
	auxPcline       = 9
	auxPcinline     = 10
	staticABI       = 0xffff
	internalABI     = 1
	inlineNodeSize  = 24
	funcInfoMinSize = 20
)

// object is one Go object. Its methods read the bytes of the file.
type object struct {
	b       []byte
	block   [blockCount]uint32
	flags   uint32
	quantum uint32 // the unit of addresses in tables

	defs, hashed64, hashed, namedDefs, namedRefs uint32
	packages, autolib                            []string
}

func readObject(b []byte) (*object, error) {
	if len(b) < headerSize || !bytes.HasPrefix(b, []byte(objectMagic)) {
		return nil, errors.New("unknown object format")
	}
	o := &object{b: b}
	at := len(objectMagic) + 8
	o.flags = binary.LittleEndian.Uint32(b[at:])
	for i := range o.block {
		o.block[i] = binary.LittleEndian.Uint32(b[at+4+4*i:])
		if int(o.block[i]) > len(b) || i > 0 && o.block[i] < o.block[i-1] {
			return nil, errors.New("object is cut short")
		}
	}
	count := func(block int, size uint32) uint32 { return (o.block[block+1] - o.block[block]) / size }
	o.defs, o.hashed64, o.hashed = count(blockDefs, symbolSize), count(blockHashed64, symbolSize), count(blockHashed, symbolSize)
	o.namedDefs, o.namedRefs = count(blockNamedDefs, symbolSize), count(blockNamedRefs, symbolSize)
	for i := range count(blockPackages, 8) {
		o.packages = append(o.packages, o.text(o.block[blockPackages]+8*i))
	}
	for i := range count(blockAutolib, autolibSize) {
		o.autolib = append(o.autolib, o.text(o.block[blockAutolib]+autolibSize*i))
	}
	return o, nil
}

func (o *object) u32(at uint32) uint32 { return binary.LittleEndian.Uint32(o.b[at:]) }

func (o *object) text(at uint32) string {
	n, off := o.u32(at), o.u32(at+4)
	if n == 0 {
		return ""
	}
	return unsafe.String(&o.b[off : off+n][0], n)
}

func (o *object) allDefs() uint32 { return o.defs + o.hashed64 + o.hashed + o.namedDefs }

type symbol []byte

func (o *object) symbol(i uint32) symbol {
	at := o.block[blockDefs] + i*symbolSize
	return o.b[at : at+symbolSize]
}

func (o *object) name(i uint32) string { return o.text(o.block[blockDefs] + i*symbolSize) }

func (s symbol) abi() uint16   { return binary.LittleEndian.Uint16(s[8:]) }
func (s symbol) kind() byte    { return s[10] }
func (s symbol) flag() byte    { return s[11] }
func (s symbol) flag2() byte   { return s[12] }
func (s symbol) size() uint32  { return binary.LittleEndian.Uint32(s[13:]) }
func (s symbol) align() uint32 { return binary.LittleEndian.Uint32(s[17:]) }
func (s symbol) text() bool    { return s.kind() == kindText || s.kind() == kindTextFIPS }

func (o *object) hash64(i uint32) uint64 {
	return binary.LittleEndian.Uint64(o.b[o.block[blockHashes64]+8*i:])
}

func (o *object) hash(i uint32) [16]byte {
	at := o.block[blockHashes] + 16*i
	return [16]byte(o.b[at : at+16])
}

type reference struct{ pkg, sym uint32 }

type reloc []byte

func (r reloc) off() int32    { return int32(binary.LittleEndian.Uint32(r)) }
func (r reloc) width() byte   { return r[4] }
func (r reloc) kind() uint16  { return binary.LittleEndian.Uint16(r[5:]) }
func (r reloc) add() int64    { return int64(binary.LittleEndian.Uint64(r[7:])) }
func (r reloc) weak() bool    { return r.kind()&relocWeak != 0 }
func (r reloc) place() []byte { return r[:15] } // all but the target
func (r reloc) target() reference {
	return reference{binary.LittleEndian.Uint32(r[15:]), binary.LittleEndian.Uint32(r[19:])}
}

type relocs []byte

// part returns what belongs to a symbol in a block of entries of one size. Block
// index has the numbers of its first entry and of the one after its last.
func (o *object) part(index, block int, size, symbol uint32) []byte {
	at, base := o.block[index]+4*symbol, o.block[block]
	return o.b[base+o.u32(at)*size : base+o.u32(at+4)*size]
}

func (o *object) relocs(i uint32) relocs { return o.part(blockRelocIndex, blockRelocs, relocSize, i) }
func (o *object) allAux(i uint32) auxes  { return o.part(blockAuxIndex, blockAux, auxSize, i) }
func (o *object) data(i uint32) []byte   { return o.part(blockDataIndex, blockData, 1, i) }

func (r relocs) count() int           { return len(r) / relocSize }
func (r relocs) at(i int) reloc       { return reloc(r[i*relocSize : (i+1)*relocSize]) }
func (r relocs) all() iter.Seq[reloc] { return slices.Chunk(reloc(r), relocSize) }

type aux []byte

func (a aux) kind() byte { return a[0] }
func (a aux) target() reference {
	return reference{binary.LittleEndian.Uint32(a[1:]), binary.LittleEndian.Uint32(a[5:])}
}

// kept reports whether an aux symbol can matter to a running program. Debug
// information, file and line tables cannot.
func (a aux) kept() bool {
	switch k := a.kind(); k {
	case auxPcfile, auxPcline:
		return false
	default:
		return k < auxDwarfInfo || k > auxDwarfLines
	}
}

type auxes []byte

func (a auxes) all() iter.Seq[aux] { return slices.Chunk(aux(a), auxSize) }

// next cuts the first kept aux symbol off the list. ok is false at the end.
func (a *auxes) next() (first aux, ok bool) {
	for len(*a) >= auxSize {
		first, *a = aux((*a)[:auxSize]), (*a)[auxSize:]
		if first.kept() {
			return first, true
		}
	}
	return nil, false
}

// refFlags lists the symbols of other packages that this object marks as
// converted to an interface.
func (o *object) refFlags() []reference {
	var marked []reference
	for at := o.block[blockRefFlags]; at+refFlagsSize <= o.block[blockRefFlags+1]; at += refFlagsSize {
		if o.b[at+9]&flag2UsedInIface != 0 {
			marked = append(marked, reference{o.u32(at), o.u32(at + 4)})
		}
	}
	return marked
}
