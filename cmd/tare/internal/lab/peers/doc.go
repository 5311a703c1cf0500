// Package peers times this library side by side with others, in one run.
//
// It is a module of its own, so that they are no dependency of tare:
//
//	cd internal/lab/peers && go test -run '^$' -bench 'Stopwatch$|Record' -count 5
//
// Benchmarks that log their figures do all their rounds in one iteration:
//
//	go test -run '^$' -v -bench 'Costs|Memory|Adds|Ruler|Empty|Pauses|PerCore' -benchtime 1x
package peers
