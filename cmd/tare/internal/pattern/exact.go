package pattern

import (
	"regexp"
	"slices"
	"strings"
)

// Exact returns the -test.bench pattern that selects the benchmarks with the
// given full names. Package testing matches patterns element by element between
// slashes. With several names the pattern may select others that share their
// elements.
func Exact(names ...string) string {
	var levels [][]string
	for _, name := range names {
		for i, e := range strings.Split(name, "/") {
			if i == len(levels) {
				levels = append(levels, nil)
			}
			if e = regexp.QuoteMeta(e); !slices.Contains(levels[i], e) {
				levels[i] = append(levels[i], e)
			}
		}
	}
	elements := make([]string, len(levels))
	for i, alternatives := range levels {
		if elements[i] = "^" + alternatives[0] + "$"; len(alternatives) > 1 {
			elements[i] = "^(" + strings.Join(alternatives, "|") + ")$"
		}
	}
	return strings.Join(elements, "/")
}
