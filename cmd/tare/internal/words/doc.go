// Package words is the only place where numbers are rounded and named: changes,
// values, verdicts, counts, and text that may come from anywhere made safe to
// print. All formats of package report take their words from here.
package words
