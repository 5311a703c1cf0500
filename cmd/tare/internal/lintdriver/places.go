package lintdriver

import (
	"debug/dwarf"
	"errors"
	"fmt"
	"io"
	"sort"
)

// place is a line of the source.
type place struct {
	file string
	line int
}

// inlining is a call that the compiler replaced by the body of the called
// function.
type inlining struct {
	name   string
	call   place
	ranges [][2]uint64
	depth  int
}

// instructions decodes a function and finds the source place of each
// instruction.
func (b *binary) instructions(f *function) ([]instruction, error) {
	list := decode(b.arch, b.code(f), f.low)
	lines, files, err := b.lines(f)
	if err != nil {
		return nil, err
	}
	tree, err := b.inlinings(f, files)
	if err != nil {
		return nil, err
	}
	for i := range list {
		in := &list[i]
		k := sort.Search(len(lines), func(k int) bool { return lines[k].addr > in.addr }) - 1
		if k < 0 {
			continue
		}
		in.places = []place{lines[k].place}
		for _, t := range tree { // deepest first
			for _, r := range t.ranges {
				if r[0] <= in.addr && in.addr < r[1] {
					in.inlined = append(in.inlined, t.name)
					in.places = append(in.places, t.call)
					break
				}
			}
		}
	}
	return list, nil
}

type addressedLine struct {
	addr uint64
	place
}

// lines reads the part of the line table that covers a function.
func (b *binary) lines(f *function) ([]addressedLine, []*dwarf.LineFile, error) {
	r, err := b.dwarf.LineReader(f.unit)
	if err != nil {
		return nil, nil, fmt.Errorf("read line table of %s: %w", f.name, err)
	}
	if r == nil {
		return nil, nil, fmt.Errorf("read line table of %s: %w", f.name, errNoDWARF)
	}
	var list []addressedLine
	var e dwarf.LineEntry
	for {
		if err := r.Next(&e); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, nil, fmt.Errorf("read line table of %s: %w", f.name, err)
		}
		if e.Address < f.low || e.Address >= f.high || e.EndSequence || e.File == nil {
			continue
		}
		list = append(list, addressedLine{e.Address, place{e.File.Name, e.Line}})
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].addr < list[j].addr })
	return list, r.Files(), nil
}

// inlinings reads the inlining tree of a function, deepest first.
func (b *binary) inlinings(f *function, files []*dwarf.LineFile) ([]inlining, error) {
	r := b.dwarf.Reader()
	r.Seek(f.entry)
	root, err := r.Next()
	if err != nil || root == nil || !root.Children {
		return nil, err
	}
	var list []inlining
	var inlined []bool // of the open entries: is it an inlined call?
	for depth := 0; ; {
		e, err := r.Next()
		if err != nil {
			return nil, fmt.Errorf("read inlining of %s: %w", f.name, err)
		}
		if e == nil {
			break
		}
		if e.Tag == 0 {
			if len(inlined) == 0 {
				break
			}
			if inlined[len(inlined)-1] {
				depth--
			}
			inlined = inlined[:len(inlined)-1]
			continue
		}
		isInlined := e.Tag == dwarf.TagInlinedSubroutine
		if isInlined {
			ranges, err := b.dwarf.Ranges(e)
			if err != nil {
				return nil, fmt.Errorf("read inlining of %s: %w", f.name, err)
			}
			origin, _ := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset)
			t := inlining{name: b.originName(origin), ranges: ranges, depth: depth}
			if i, ok := e.Val(dwarf.AttrCallFile).(int64); ok && i >= 0 && int(i) < len(files) && files[i] != nil {
				t.call.file = files[i].Name
			}
			if line, ok := e.Val(dwarf.AttrCallLine).(int64); ok {
				t.call.line = int(line)
			}
			list = append(list, t)
		}
		if e.Children {
			inlined = append(inlined, isInlined)
			if isInlined {
				depth++
			}
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].depth > list[j].depth })
	return list, nil
}
