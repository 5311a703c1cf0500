// Package audits measures how often an audit names the hacks that are seeded in
// modules of others. It is a test only, and fetches the modules from GitHub:
//
//	go test -tags lab ./cmd/tare/internal/lab/audits -v -timeout 2h
//
// -repositories is a directory with clones, -only a part of the names.
package audits
