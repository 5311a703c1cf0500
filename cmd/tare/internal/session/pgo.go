package session

import (
	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/kind"
	"github.com/tarebench/tare/internal/finding"
)

// profiled lists the packages that only some variants build with a
// default.pgo.
func profiled(pkgs [][]build.Package, labels []string) (found []finding.Finding) {
	with := make(map[string][]int) // variants by package
	sides := make(map[string]int)
	var order []string
	for v, list := range pkgs {
		for _, p := range list {
			if !p.Benchmarks {
				continue
			}
			if sides[p.Path]++; sides[p.Path] == 1 {
				order = append(order, p.Path)
			}
			if p.Profile != "" {
				with[p.Path] = append(with[p.Path], v)
			}
		}
	}
	for _, path := range order {
		if n := len(with[path]); n > 0 && n < sides[path] {
			found = append(found, kind.PGOOneSide.Of(path, finding.Text("variant", labels[with[path][0]])))
		}
	}
	return found
}
