// Package selftest runs comparisons of code whose true change is known,
// through the same session that users run: how often the verdicts are wrong
// ([Options.Run]), and how small a change a comparison would show on this
// machine ([SmallestChange]).
package selftest
