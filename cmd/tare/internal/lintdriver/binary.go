package lintdriver

import (
	"debug/dwarf"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"errors"
	"fmt"
	"os"
	"sort"
	"strings"
)

// binary is an opened test binary.
type binary struct {
	file  *os.File
	arch  string // "amd64" or "arm64"
	dwarf *dwarf.Data
	text  []segment
	// functions are sorted by address.
	functions []*function
	// abstract names of inlined functions, by their DWARF offset.
	abstract map[dwarf.Offset]string
}

// segment is a piece of machine code in memory.
type segment struct {
	addr uint64
	data []byte
}

// function is one compiled function.
type function struct {
	name      string
	low, high uint64
	entry     dwarf.Offset
	unit      *dwarf.Entry
}

// errNoDWARF is returned for a binary without debug information.
var errNoDWARF = errors.New("no debug information: build with go test -c and without -ldflags=-w")

// openBinary reads a test binary. Close it after use.
func openBinary(path string) (*binary, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open test binary: %w", err)
	}
	b := &binary{file: f, abstract: make(map[dwarf.Offset]string)}
	if err := errors.Join(b.readFormat(), b.readFunctions()); err != nil {
		f.Close()
		return nil, fmt.Errorf("read test binary %s: %w", path, err)
	}
	return b, nil
}

// close closes the file.
func (b *binary) close() error { return b.file.Close() }

// readFormat reads the machine code and the debug information of an ELF, Mach-O
// or PE file.
func (b *binary) readFormat() error {
	var machine fmt.Stringer
	var data func() (*dwarf.Data, error)
	if f, err := elf.NewFile(b.file); err == nil {
		machine, data = f.Machine, f.DWARF
		for _, s := range f.Sections {
			if s.Type == elf.SHT_PROGBITS && s.Flags&elf.SHF_EXECINSTR != 0 {
				b.addText(s.Addr, s.Data)
			}
		}
	} else if f, err := macho.NewFile(b.file); err == nil {
		machine, data = f.Cpu, f.DWARF
		if s := f.Section("__text"); s != nil {
			b.addText(s.Addr, s.Data)
		}
	} else if f, err := pe.NewFile(b.file); err == nil {
		machine, data = peMachine(f.Machine), f.DWARF
		base := uint64(0)
		if h, ok := f.OptionalHeader.(*pe.OptionalHeader64); ok {
			base = h.ImageBase
		}
		if s := f.Section(".text"); s != nil {
			b.addText(base+uint64(s.VirtualAddress), s.Data)
		}
	} else {
		return errors.New("not an ELF, Mach-O or PE file")
	}
	switch machine {
	case elf.EM_X86_64, macho.CpuAmd64, peMachine(pe.IMAGE_FILE_MACHINE_AMD64):
		b.arch = "amd64"
	case elf.EM_AARCH64, macho.CpuArm64, peMachine(pe.IMAGE_FILE_MACHINE_ARM64):
		b.arch = "arm64"
	default:
		return fmt.Errorf("machine %v: only amd64 and arm64 are read", machine)
	}
	var err error
	if b.dwarf, err = data(); err != nil {
		return errNoDWARF
	}
	return nil
}

type peMachine uint16

func (m peMachine) String() string { return fmt.Sprintf("%#x", uint16(m)) }

func (b *binary) addText(addr uint64, read func() ([]byte, error)) {
	if data, err := read(); err == nil {
		b.text = append(b.text, segment{addr, data})
	}
}

// readFunctions lists the functions of the binary.
func (b *binary) readFunctions() error {
	if b.dwarf == nil {
		return nil // readFormat has reported why
	}
	r := b.dwarf.Reader()
	var unit *dwarf.Entry
	for {
		e, err := r.Next()
		if err != nil {
			return fmt.Errorf("read debug information: %w", err)
		}
		if e == nil {
			break
		}
		switch e.Tag {
		case dwarf.TagCompileUnit:
			unit = e
			continue // its children follow
		case dwarf.TagSubprogram:
			b.addFunction(e, unit)
		}
		if e.Children {
			r.SkipChildren()
		}
	}
	if len(b.functions) == 0 {
		return errNoDWARF
	}
	sort.Slice(b.functions, func(i, j int) bool { return b.functions[i].low < b.functions[j].low })
	return nil
}

func (b *binary) addFunction(e, unit *dwarf.Entry) {
	name, _ := e.Val(dwarf.AttrName).(string)
	low, compiled := e.Val(dwarf.AttrLowpc).(uint64)
	if !compiled {
		b.abstract[e.Offset] = name
		return
	}
	f := &function{name: name, low: low, entry: e.Offset, unit: unit}
	switch high := e.Val(dwarf.AttrHighpc).(type) {
	case uint64:
		f.high = high
	case int64:
		f.high = low + uint64(high)
	}
	if f.name == "" { // the compiled copy of a function that is also inlined
		if origin, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset); ok {
			f.name = b.originName(origin)
		}
	}
	b.functions = append(b.functions, f)
}

// originName returns the name of an inlined function.
func (b *binary) originName(at dwarf.Offset) string {
	if name, ok := b.abstract[at]; ok {
		return name
	}
	r := b.dwarf.Reader()
	r.Seek(at)
	name := ""
	if e, err := r.Next(); err == nil && e != nil {
		name, _ = e.Val(dwarf.AttrName).(string)
	}
	b.abstract[at] = name
	return name
}

// named returns the function of a package and the closures inside it. A star at
// the end of the name matches the rest of it.
func (b *binary) named(pkg, name string) []*function {
	var list []*function
	name, open := strings.CutSuffix(name, "*")
	for _, f := range b.functions {
		rest, ok := strings.CutPrefix(f.name, escape(pkg)+"."+name)
		if ok && (open || rest == "" || rest[0] == '.' || rest[0] == '[' || rest[0] == '-') {
			list = append(list, f)
		}
	}
	return list
}

// escape writes an import path as symbols contain it: a dot in its last element
// becomes %2e.
func escape(pkg string) string {
	slash := strings.LastIndexByte(pkg, '/') + 1
	return pkg[:slash] + strings.ReplaceAll(pkg[slash:], ".", "%2e")
}

// at returns the function at an address.
func (b *binary) at(addr uint64) *function {
	i := sort.Search(len(b.functions), func(i int) bool { return b.functions[i].high > addr })
	if i < len(b.functions) && b.functions[i].low <= addr {
		return b.functions[i]
	}
	return nil
}

// code returns the bytes of a function.
func (b *binary) code(f *function) []byte {
	for _, s := range b.text {
		if f.low >= s.addr && f.high <= s.addr+uint64(len(s.data)) {
			return s.data[f.low-s.addr : f.high-s.addr]
		}
	}
	return nil
}
