package objcode

import (
	"encoding/binary"
	"strings"
)

// funcInfo reads a record of cmd/internal/goobj.FuncInfo.
func (o *object) funcInfo(info []byte, nameOf func(reference) string) (frame, line int, nodes []inlineNode) {
	word := func(at int) uint32 { return binary.LittleEndian.Uint32(info[at:]) }
	frame, line = int(word(4)), int(word(12))
	at := funcInfoMinSize + 4*int(word(16))
	for n := int(word(at)); n > 0; n-- {
		node := inlineNode{parent: int(int32(word(at + 4))), call: Site{o.file(word(at + 8)), int(word(at + 12))}}
		node.name = nameOf(reference{word(at + 16), word(at + 20)})
		nodes = append(nodes, node)
		at += inlineNodeSize
	}
	return frame, line, nodes
}

func (o *object) file(i uint32) string {
	at := o.block[blockFiles] + 8*i
	if at+8 > o.block[blockFiles+1] {
		return ""
	}
	return strings.TrimPrefix(o.text(at), "gofile..")
}

type tables struct {
	info                   []byte
	inlining, lines, files pcTable
	quantum                uint32 // of addresses
}

func (o *object) tables(i uint32, data func(reference) []byte) tables {
	t := tables{quantum: o.quantum}
	for aux := range o.allAux(i).all() {
		switch aux.kind() {
		case auxFuncInfo:
			t.info = data(aux.target())
		case auxPcfile:
			t.files = readTable(data(aux.target()))
		case auxPcline:
			t.lines = readTable(data(aux.target()))
		case auxPcinline:
			t.inlining = readTable(data(aux.target()))
		}
	}
	return t
}

// node is the number of the inlined call that an offset belongs to, or -1.
func (t tables) node(off uint32) int { return int(t.inlining.at(off / t.quantum)) }

// line is the line of an offset in the source, site its place.
func (t tables) line(off uint32) int { return int(t.lines.at(off / t.quantum)) }

func (t tables) site(o *object, off uint32) Site {
	return Site{o.file(uint32(max(0, t.files.at(off/t.quantum)))), t.line(off)}
}

// pcTable is a table of values by address, in units of the shortest
// instruction. Each value applies from its address to the next one.
type pcTable []struct {
	until uint32
	value int32
}

// readTable reads the pairs of differences of value and address. The values
// begin with −1 (cmd/internal/obj/pcln.go).
func readTable(data []byte) (t pcTable) {
	value, pc := int32(-1), uint32(0)
	for len(data) > 0 {
		delta, n := binary.Varint(data)
		if n <= 0 || delta == 0 && len(t) > 0 {
			break
		}
		data = data[n:]
		step, n := binary.Uvarint(data)
		if n <= 0 {
			break
		}
		data = data[n:]
		value += int32(delta)
		pc += uint32(step)
		t = append(t, struct {
			until uint32
			value int32
		}{pc, value})
	}
	return t
}

func (t pcTable) at(pc uint32) int32 {
	for _, e := range t {
		if pc < e.until {
			return e.value
		}
	}
	return -1
}
