package session

import (
	"regexp"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/result"
)

// Filter keeps the benchmarks of a recording whose names match.
func Filter(rec *result.Recording, match func(string) bool) *result.Recording {
	out := *rec
	out.Benchmarks, out.Stops, out.Counts, out.Profiles = nil, nil, nil, nil
	index := make(map[int]int)
	for i, b := range rec.Benchmarks {
		if match(b.Name) {
			index[i] = len(out.Benchmarks)
			out.Benchmarks = append(out.Benchmarks, b)
		}
	}
	for _, s := range rec.Stops {
		if i, ok := index[s.Benchmark]; ok {
			s.Benchmark = i
			out.Stops = append(out.Stops, s)
		}
	}
	for _, c := range rec.Counts {
		if i, ok := index[c.Benchmark]; ok {
			c.Benchmark = i
			out.Counts = append(out.Counts, c)
		}
	}
	for _, p := range rec.Profiles {
		if match(p.Name) {
			out.Profiles = append(out.Profiles, p)
		}
	}
	return &out
}

// Matcher matches names without the Benchmark prefix by go test's
// rules: patterns with | between them, each a regular expression per level of
// the name.
func Matcher(pattern string) (func(string) bool, error) {
	var patterns [][]*regexp.Regexp
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
	}, nil
}

// functionMatcher matches benchmark functions that a pattern of go test may
// select something of: the first level of its patterns.
func functionMatcher(pattern string) (func(function string) bool, error) {
	var patterns []*regexp.Regexp
	for _, whole := range splitOutside(pattern, '|') {
		re, err := regexp.Compile(splitOutside(whole, '/')[0])
		if err != nil {
			return nil, err
		}
		patterns = append(patterns, re)
	}
	return func(function string) bool {
		return slices.ContainsFunc(patterns, func(re *regexp.Regexp) bool { return re.MatchString(function) })
	}, nil
}

// splitOutside splits a regular expression at every separator that stands in
// no group, no class and after no backslash.
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
