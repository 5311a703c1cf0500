// Package words is the only place where numbers are rounded and named: changes,
// values, verdicts and counts. It also makes text from anywhere safe to print.
// All formats of package report take their words from here.
package words
