// Package tries measures sessions of tare try on generated edits. Most edits
// have no effect, and some are faster by a known share. It contains only tests:
//
//	go test -tags lab ./cmd/tare/internal/lab/tries -v -timeout 2h -args -attempts 100
//
// -module selects one of the modules. -limit ends the session early.
package tries
