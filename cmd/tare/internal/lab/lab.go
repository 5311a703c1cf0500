// Package lab reports whether the long tests run. These tests have the tag lab,
// which ./test -long sets. They measure for minutes, fetch toolchains or
// modules, or simulate until a rate is accurate to a tenth. The directories
// below contain only such tests.
package lab

import "testing"

// Only skips a test without the tag lab. does describes the test.
func Only(t testing.TB, does string) {
	t.Helper()
	if !Long {
		t.Skip("-tags lab " + does)
	}
}

// Times returns the number of repetitions of a test: long with the tag lab, and
// otherwise short.
func Times(short, long int) int {
	if Long {
		return long
	}
	return short
}
