package worker

import (
	"regexp"
	"strings"
)

// Pattern is the -test.bench pattern that selects exactly the benchmark with
// the given full name, as testing matches patterns: element by element
// between slashes.
func Pattern(name string) string {
	elements := strings.Split(name, "/")
	for i, e := range elements {
		elements[i] = "^" + regexp.QuoteMeta(e) + "$"
	}
	return strings.Join(elements, "/")
}
