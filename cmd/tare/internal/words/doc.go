// Package words rounds and names changes, values, verdicts and counts for all
// formats of package report. It also makes untrusted text safe to print, and
// proposes a word for a mistyped one.
package words
