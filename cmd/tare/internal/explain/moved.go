package explain

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/objcode"
)

// withNamesOf renames functions that are generic in only one of the programs,
// so that they are compared: "Sum" is "Sum[go.shape.int]". It also renames
// functions that are methods in only one, in the same file: "parse" is
// "(*Parser).parse". A function that only one of the sources has, and that has the
// callers of the only one that the other has, is the same with another name if
// their lengths allow it. It skips ambiguous names. The functions keep their old names as Name.
func withNamesOf(there, here map[string]*objcode.Function) map[string]*objcode.Function {
	alone := func(these, others map[string]*objcode.Function) map[string][]string {
		all := make(map[string][]string)
		for name := range these {
			if others[name] == nil && !isStandard(name) {
				plain := withoutTypes(name)
				all[plain] = append(all[plain], name)
			}
		}
		return all
	}
	theirs, ours := alone(there, here), alone(here, there)
	renamed := make(map[string]string)
	for plain, names := range ours {
		if len(names) == 1 && len(theirs[plain]) == 1 {
			renamed[names[0]] = theirs[plain][0]
		}
	}
	methods := func(these map[string][]string, functions map[string]*objcode.Function) map[string][]string {
		all := make(map[string][]string)
		for plain, names := range these {
			at := functions[names[0]]
			if len(theirs[plain]) > 0 && len(ours[plain]) > 0 || at.File == "" || strings.Contains(plain, ".func") {
				continue
			}
			id := packageOf(plain) + " " + filepath.Base(at.File) + " " + plain[strings.LastIndexByte(plain, '.')+1:]
			all[id] = append(all[id], names...)
		}
		return all
	}
	became := methods(theirs, there)
	for id, names := range methods(ours, here) {
		if len(names) == 1 && len(became[id]) == 1 {
			renamed[names[0]] = became[id][0]
		}
	}
	// The callers of functions without a partner, by the names of the new program.
	callers := func(these map[string]*objcode.Function, of map[string][]string, known func(string) bool) map[string][]string {
		all := make(map[string][]string)
		for _, names := range of {
			for _, name := range names {
				if known(name) || !these[name].Gone {
					continue
				}
				var id []string
				for caller, f := range these {
					if calls, inlined := uses(f, name); calls+inlined > 0 && caller != name {
						id = append(id, cmp.Or(renamed[caller], caller))
					}
				}
				slices.Sort(id)
				key := packageOf(name) + " " + strings.Join(id, " ")
				all[key] = append(all[key], name)
			}
		}
		return all
	}
	taken := make(map[string]bool)
	for _, name := range renamed {
		taken[name] = true
	}
	became = callers(there, theirs, func(name string) bool { return taken[name] })
	for id, names := range callers(here, ours, func(name string) bool { return renamed[name] != "" }) {
		if len(names) == 1 && len(became[id]) == 1 && alike(here[names[0]], there[became[id][0]]) {
			renamed[names[0]] = became[id][0]
		}
	}
	if len(renamed) == 0 {
		return here
	}
	rename := func(counts map[string]int) map[string]int {
		all := make(map[string]int)
		for name, n := range counts {
			all[cmp.Or(renamed[name], name)] += n
		}
		return all
	}
	all := make(map[string]*objcode.Function)
	for name, f := range here {
		g := *f
		g.Calls, g.Inlined, g.Sites, g.Loops = rename(f.Calls), rename(f.Inlined), maps.Clone(f.Sites), maps.Clone(f.Loops)
		for callee, deep := range f.Loops {
			g.Loops[cmp.Or(renamed[callee], callee)] = deep
		}
		for callee, site := range f.Sites {
			g.Sites[cmp.Or(renamed[callee], callee)] = site
		}
		all[cmp.Or(renamed[name], name)] = &g
	}
	return all
}

// alike reports whether the length of two functions allows that one is the other
// with changes, not another one in its place.
func alike(f, g *objcode.Function) bool {
	return max(f.Instructions, g.Instructions) <= 2*min(f.Instructions, g.Instructions)
}

// withoutTypes is the name of a function without its type arguments.
func withoutTypes(symbol string) string {
	open, end := strings.IndexByte(symbol, '['), strings.LastIndexByte(symbol, ']')
	if open < 0 || end < open {
		return symbol
	}
	return symbol[:open] + symbol[end+1:]
}

// withoutMoved drops causes that are moved code. They are in a function of one
// variant alone, and another function has as much less, or more, of the same.
func withoutMoved(causes []Cause) []Cause {
	causes = slices.Clone(causes)
	for i := range causes {
		c := &causes[i]
		if !c.alone || c.Instead != "" {
			continue
		}
		for k := range causes {
			other := &causes[k]
			if k == i || other.Kind != c.Kind || other.Instead != "" || !counts(c.Kind) {
				continue
			}
			switch {
			case c.New > c.Old && other.Old > other.New: // it moved here from there
				n := min(c.New-c.Old, other.Old-other.New)
				c.Old, other.New = c.Old+n, other.New+n
			case c.Old > c.New && other.New > other.Old:
				n := min(c.Old-c.New, other.New-other.Old)
				c.New, other.Old = c.New+n, other.Old+n
			}
		}
	}
	return slices.DeleteFunc(causes, func(c Cause) bool { return counts(c.Kind) && c.Instead == "" && c.Old == c.New })
}

// counts reports whether causes of a kind count places that are alike in any
// function.
func counts(k Kind) bool {
	return slices.ContainsFunc(marks, func(m mark) bool { return m.kind == k }) || k == Dynamic
}
