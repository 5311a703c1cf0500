// Package wrong2 is a second set of benchmarks that measure something else than
// they say, written after the checks by somebody who had not read their code.
// The line "mistake:" in the comment of each names the checks that may report it.
package wrong2
