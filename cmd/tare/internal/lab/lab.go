// Package lab says whether the long tests run. They have the tag lab, which
// ./test -long sets: those that measure for minutes, fetch toolchains or modules
// of others, or simulate until a rate is known to a tenth. The folders below it
// have nothing but such tests.
package lab

import "testing"

// Only skips a test without the tag lab, and says what it does.
func Only(t testing.TB, does string) {
	t.Helper()
	if !Long {
		t.Skip("-tags lab " + does)
	}
}

// Times is how often a test repeats a thing: short, or with the tag lab long.
func Times(short, long int) int {
	if Long {
		return long
	}
	return short
}
