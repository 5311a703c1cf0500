package result

import (
	"regexp"
	"slices"
	"strings"
)

// ExactPattern returns the -test.bench pattern that selects the benchmarks with the
// given full names. Package testing matches patterns element by element between
// slashes. With several names the pattern may select others that share their
// elements.
func ExactPattern(names ...string) string {
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

// MatchNames matches names without the Benchmark prefix by the rules of go test:
// alternatives separated by |, each with a regular expression per level of the
// name.
func MatchNames(pattern string) (func(string) bool, error) {
	patterns, err := compile(pattern)
	return func(name string) bool {
		parts := strings.Split("Benchmark"+name, "/")
		return slices.ContainsFunc(patterns, func(levels []*regexp.Regexp) bool {
			if len(levels) > len(parts) {
				return false
			}
			for i, re := range levels {
				if !re.MatchString(parts[i]) {
					return false
				}
			}
			return true
		})
	}, err
}

// MatchFunctions matches the benchmark functions that a pattern of go test may
// select: the first level of its patterns.
func MatchFunctions(pattern string) (func(function string) bool, error) {
	patterns, err := compile(pattern)
	return func(function string) bool {
		return slices.ContainsFunc(patterns, func(levels []*regexp.Regexp) bool { return levels[0].MatchString(function) })
	}, err
}

// compile compiles each level of each alternative of a pattern of go test.
func compile(pattern string) (patterns [][]*regexp.Regexp, err error) {
	for _, whole := range splitOutside(pattern, '|') {
		var levels []*regexp.Regexp
		for _, level := range splitOutside(whole, '/') {
			re, err := regexp.Compile(level)
			if err != nil {
				return nil, err
			}
			levels = append(levels, re)
		}
		patterns = append(patterns, levels)
	}
	return patterns, nil
}

// splitOutside splits a regular expression at every separator that is outside
// groups and classes and does not follow a backslash.
func splitOutside(pattern string, separator byte) []string {
	var parts []string
	groups, class, begin := 0, false, 0
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\':
			i++
		case class:
			class = c != ']'
		case c == '[':
			class = true
		case c == '(':
			groups++
		case c == ')':
			groups--
		case c == separator && groups == 0:
			parts = append(parts, pattern[begin:i])
			begin = i + 1
		}
	}
	return append(parts, pattern[begin:])
}
