// Package kind has every kind of finding of tare: its id, severity, message and
// next action are typed here and nowhere else. docs/findings.md is made from the
// list in groups_test.go, which has all of them.
package kind
