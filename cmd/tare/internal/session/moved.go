package session

import (
	"regexp"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/internal/finding"
)

// A package is compared with the package of the same import path. A module that
// became example.com/m/v2, or a package that moved, would leave two packages
// with nothing to compare. So a package that only one variant has is compared
// with the one that only the last variant has, if their paths differ in the
// major version, or if they alone declare the same benchmarks.

var majorVersion = regexp.MustCompile(`/v[0-9]+(/|$)`)

func (v *sides) findMoved(all []*packageList) {
	last := all[len(all)-1]
	for _, l := range all[:len(all)-1] {
		gone, came := onlyIn(l, last), onlyIn(last, l)
		for _, p := range gone {
			q, ok := only(came, func(q build.Package) bool {
				return majorVersion.ReplaceAllString(p.Path, "$1") == majorVersion.ReplaceAllString(q.Path, "$1")
			})
			if same := sameFunctions(p); !ok && len(p.Functions) > 0 {
				if _, alone := only(gone, same); alone {
					q, ok = only(came, same)
				}
			}
			if !ok {
				continue
			}
			for i := range l.packages {
				if l.packages[i].Path == p.Path {
					l.packages[i] = l.Rename(p, q.Path)
				}
			}
			l.side.packages = l.packages
			v.findings = append(v.findings, catalog.Moved.Of(q.Path, finding.Text("variant", l.label), finding.Text("path", p.Path)))
		}
	}
}

func onlyIn(l, other *packageList) (some []build.Package) {
	for _, p := range l.packages {
		if p.Benchmarks && !slices.ContainsFunc(other.packages, func(q build.Package) bool { return q.Path == p.Path }) {
			some = append(some, p)
		}
	}
	return some
}

func only(all []build.Package, is func(build.Package) bool) (p build.Package, ok bool) {
	for _, one := range all {
		if is(one) {
			if ok {
				return build.Package{}, false
			}
			p, ok = one, true
		}
	}
	return p, ok
}

func sameFunctions(p build.Package) func(build.Package) bool {
	return func(q build.Package) bool { return slices.Equal(p.Functions, q.Functions) }
}
