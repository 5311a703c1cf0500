// Package catalog has every kind of finding of tare, with its id, severity,
// message and next action. docs/findings.md is made from the list in
// groups_test.go, which has all of them.
package catalog
