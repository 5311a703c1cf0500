//go:build lab

package objcode

import (
	"debug/elf"
	"fmt"
	"sort"
	"strings"
	"testing"

	"golang.org/x/arch/x86/x86asm"
)

// linkedBinary is a linked test binary as a disassembler sees it: another way
// to the question than the objects, for checking the answer.
type linkedBinary struct {
	symbols []elf.Symbol // sorted by address
	byName  map[string]elf.Symbol
	text    []byte
	base    uint64
	known   map[string]disassembled
}

// disassembled is the normalized code of a function, and the functions that it
// refers to.
type disassembled struct {
	code string
	refs []string
}

func readLinked(t *testing.T, path string) *linkedBinary {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := &linkedBinary{byName: make(map[string]elf.Symbol), known: make(map[string]disassembled)}
	if b.symbols, err = f.Symbols(); err != nil {
		t.Fatal(err)
	}
	sort.SliceStable(b.symbols, func(i, j int) bool { return b.symbols[i].Value < b.symbols[j].Value })
	twice := make(map[string]bool)
	for _, s := range b.symbols {
		_, known := b.byName[s.Name]
		twice[s.Name] = twice[s.Name] || known
		b.byName[s.Name] = s
	}
	for name, more := range twice {
		if more { // static functions of assembly: the name does not identify it
			delete(b.byName, name)
		}
	}
	section := f.Section(".text")
	b.base = section.Addr
	if b.text, err = section.Data(); err != nil {
		t.Fatal(err)
	}
	return b
}

// at names an address: a function and an offset in it, or data.
func (b *linkedBinary) at(addr uint64) (function, name string) {
	if addr < b.base || addr >= b.base+uint64(len(b.text)) {
		return "", "data"
	}
	i := sort.Search(len(b.symbols), func(i int) bool { return b.symbols[i].Value > addr })
	for i--; i >= 0; i-- {
		s := b.symbols[i]
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Size > 0 && addr < s.Value+s.Size {
			return s.Name, fmt.Sprintf("%s+%d", s.Name, addr-s.Value)
		}
		if b.symbols[i].Value+1<<20 < addr {
			break
		}
	}
	return "", "unknown"
}

// function disassembles a function, once.
func (b *linkedBinary) function(name string) disassembled {
	f, known := b.known[name]
	if !known {
		code, refs := b.disassemble(name)
		f = disassembled{strings.Join(code, "\n"), refs}
		b.known[name] = f
	}
	return f
}

func (b *linkedBinary) disassemble(name string) (code []string, refs []string) {
	s, ok := b.byName[name]
	if !ok || s.Value < b.base || s.Value+s.Size > b.base+uint64(len(b.text)) {
		return nil, nil
	}
	data := b.text[s.Value-b.base : s.Value-b.base+s.Size]
	for off := 0; off < len(data); {
		x, err := x86asm.Decode(data[off:], 64)
		if err != nil {
			code = append(code, fmt.Sprint(data[off]))
			off++
			continue
		}
		next := s.Value + uint64(off+x.Len)
		words := []string{x.Op.String()}
		for _, arg := range x.Args {
			switch arg := arg.(type) {
			case nil:
			case x86asm.Rel:
				function, where := b.at(next + uint64(int64(arg)))
				refs = append(refs, function)
				words = append(words, where)
			case x86asm.Mem:
				if arg.Base == x86asm.RIP {
					function, where := b.at(next + uint64(arg.Disp))
					refs = append(refs, function)
					words = append(words, where)
					break
				}
				words = append(words, arg.String())
			default:
				words = append(words, arg.String())
			}
		}
		code = append(code, strings.Join(words, " "))
		off += max(x.Len, 1)
	}
	return code, refs
}

// differs follows direct calls from a function in both binaries and returns the
// first function whose code is not the same.
func differs(old, new *linkedBinary, root string) string {
	seen := map[string]bool{"": true}
	for queue := []string{root}; len(queue) > 0; {
		name := queue[0]
		queue = queue[1:]
		if seen[name] {
			continue
		}
		seen[name] = true
		a, b := old.function(name), new.function(name)
		// The standard library is one on both sides, and the disassembler does
		// not know all the instructions in it.
		if first, _, _ := strings.Cut(name, "/"); strings.Contains(first, ".") && strings.Contains(name, "/") && a.code != b.code {
			return name
		}
		queue = append(queue, a.refs...)
	}
	return ""
}
