// Package wrong has benchmarks that measure something else than they say. The
// line "mistake:" in the comment of each names the checks that may report it.
package wrong
