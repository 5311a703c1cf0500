// Package selftest measures how well tare measures on this machine. It compares
// code whose true change is known, through the same session that users run:
// how often the verdicts are wrong ([Options.Run]), and how small a change a
// comparison would show ([SmallestChange], a part of [Diagnose]).
package selftest
