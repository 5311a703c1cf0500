// Package audits measures how often an audit finds hacks in modules of other
// authors. It contains only tests, which fetch the modules from GitHub:
//
//	go test -tags lab ./cmd/tare/internal/lab/audits -v -timeout 2h
//
// -repositories is a directory with clones. -only is a part of the names.
package audits
