// Package peers times this library side by side with others, in one run.
//
// It is a module of its own, so that they are no dependency of tare:
//
//	cd internal/peers && go test -bench . -count 5
package peers
