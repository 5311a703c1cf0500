// Package modules measures modules that others wrote, unmodified, two
// released versions of each: the proof that tare holds on the code that people
// really have. It is a test only:
//
//	go test -tags lab ./internal/lab/modules -v -timeout 90m
//
// modules.txt names them; with -args -page docs/results/modules.txt (a path
// from the root of the repository) the figures are written into that page.
package modules
