package lintdriver

import (
	"cmp"
	"fmt"
	"go/format"
	"os"
	"slices"
)

// Fixed is a file before and after its fixes.
type Fixed struct {
	File     string
	Old, New []byte
}

// Fix applies the fixes of the diagnostics to the files they name, in memory.
// Fixes that overlap one already taken are left for the next run: left counts
// them. The new text is formatted.
func Fix(list []Diagnostic) (files []Fixed, left int, err error) {
	byFile := make(map[string][]Edit)
	var names []string
	for _, d := range list {
		if d.Fix == nil {
			continue
		}
		fits := true
		for _, e := range d.Fix.Edits {
			for _, taken := range byFile[e.File] {
				if e != taken && overlap(e, taken) {
					fits = false
				}
			}
		}
		if !fits {
			left++
			continue
		}
		for _, e := range d.Fix.Edits {
			if _, ok := byFile[e.File]; !ok {
				names = append(names, e.File)
			}
			if !slices.Contains(byFile[e.File], e) {
				byFile[e.File] = append(byFile[e.File], e)
			}
		}
	}
	slices.Sort(names)
	for _, name := range names {
		old, err := os.ReadFile(name)
		if err != nil {
			return nil, left, fmt.Errorf("fix source: %w", err)
		}
		text, err := apply(old, byFile[name])
		if err != nil {
			return nil, left, fmt.Errorf("fix %s: %w", name, err)
		}
		files = append(files, Fixed{name, old, text})
	}
	return files, left, nil
}

// overlap says whether two edits touch the same bytes; two insertions at one
// place do.
func overlap(a, b Edit) bool {
	if a.File != b.File {
		return false
	}
	return a.Start < b.End && b.Start < a.End || a.Start == b.Start
}

// apply makes the edits, last first, and formats the result.
func apply(text []byte, edits []Edit) ([]byte, error) {
	slices.SortFunc(edits, func(a, b Edit) int { return cmp.Compare(b.Start, a.Start) })
	text = slices.Clone(text)
	for _, e := range edits {
		if e.Start < 0 || e.End < e.Start || e.End > len(text) {
			return nil, fmt.Errorf("apply edit: bytes %d to %d of %d: the file has changed since it was read", e.Start, e.End, len(text))
		}
		text = slices.Concat(text[:e.Start], []byte(e.New), text[e.End:])
	}
	formatted, err := format.Source(text)
	if err != nil {
		return nil, fmt.Errorf("format the fixed text: %w", err)
	}
	return formatted, nil
}
