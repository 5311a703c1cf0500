// Package modules measures unmodified modules of other authors, two released
// versions of each. It shows that tare works on real code. It contains only
// tests:
//
//	go test -tags lab ./cmd/tare/internal/lab/modules -v -timeout 90m
//
// modules.txt lists them. With -args -page docs/results/modules.txt (a path
// from the root of the repository) the tests write the figures into that page.
package modules
