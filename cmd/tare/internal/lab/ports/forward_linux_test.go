//go:build lab

package ports

import (
	"bytes"
	"encoding/binary"
)

// forwarder is a Windows DLL for amd64 that has no code: its only function is one
// of another DLL ("advapi32.SystemFunction036").
func forwarder(dll, function, to string) []byte {
	const (
		align, rva = 0x200, 0x1000
		headers    = 0x200
	)
	le := binary.LittleEndian
	// The section: the export directory, its tables, and the names.
	section := make([]byte, align)
	const directory, functions, names, ordinals = 0, 40, 44, 48
	at := 52
	put := func(s string) uint32 {
		from := at
		at += copy(section[at:], s+"\x00")
		return rva + uint32(from)
	}
	dllName, functionName, target := put(dll), put(function), put(to)
	le.PutUint32(section[directory+12:], dllName)
	le.PutUint32(section[directory+16:], 1) // ordinal base
	le.PutUint32(section[directory+20:], 1)
	le.PutUint32(section[directory+24:], 1)
	le.PutUint32(section[directory+28:], rva+functions)
	le.PutUint32(section[directory+32:], rva+names)
	le.PutUint32(section[directory+36:], rva+ordinals)
	le.PutUint32(section[functions:], target) // inside the directory: a forwarder
	le.PutUint32(section[names:], functionName)
	exports := uint32(at)

	var file bytes.Buffer
	write := func(values ...any) {
		for _, v := range values {
			binary.Write(&file, le, v) // to memory
		}
	}
	dos := make([]byte, 64)
	copy(dos, "MZ")
	le.PutUint32(dos[60:], 64)
	write(dos, []byte("PE\x00\x00"))
	const amd64, executable, largeAddresses, isDLL = 0x8664, 0x2, 0x20, 0x2000
	const optional = 112 + 16*8
	write(uint16(amd64), uint16(1), uint32(0), uint32(0), uint32(0), uint16(optional), uint16(executable|largeAddresses|isDLL))
	const pe32plus, noSEH, dynamicBase, nx, gui = 0x20b, 0x400, 0x40, 0x100, 2
	write(uint16(pe32plus), uint16(0), uint32(0), uint32(align), uint32(0), uint32(0), uint32(rva))
	write(uint64(0x180000000), uint32(0x1000), uint32(align), uint16(6), uint16(0), uint16(0), uint16(0), uint16(6), uint16(0), uint32(0))
	write(uint32(2*rva), uint32(headers), uint32(0), uint16(gui), uint16(noSEH|dynamicBase|nx))
	write(uint64(0x100000), uint64(0x1000), uint64(0x100000), uint64(0x1000), uint32(0), uint32(16))
	write(uint32(rva), exports, [15]uint64{})
	const readable, data = 0x40000000, 0x40
	write([8]byte{'.', 'e', 'd', 'a', 't', 'a'}, uint32(align), uint32(rva), uint32(align), uint32(headers), uint32(0), uint32(0), uint32(0), uint32(readable|data))
	file.Write(make([]byte, headers-file.Len()))
	file.Write(section)
	return file.Bytes()
}
