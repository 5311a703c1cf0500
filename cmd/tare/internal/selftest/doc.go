// Package selftest measures how well tare measures on this machine. It compares
// code whose true change is known, through the same session that users run.
// [Options.Run] counts wrong verdicts.
package selftest
