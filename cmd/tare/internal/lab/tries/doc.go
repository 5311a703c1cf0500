// Package tries measures sessions of tare try on generated edits: most move or
// rewrite code without effect, some are faster by a known share. It is a test only:
//
//	go test -tags lab ./cmd/tare/internal/lab/tries -v -timeout 2h -args -attempts 100
//
// -module chooses one of the modules, -limit ends the session early.
package tries
