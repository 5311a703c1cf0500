// Package peers times this library next to others, in one run.
//
// It is a separate module, so that the others are not dependencies of tare:
//
//	cd internal/lab/peers && go test -run '^$' -bench 'Stopwatch$|Record' -count 5
//
// Benchmarks that log their figures do all their repetitions in one iteration:
//
//	go test -run '^$' -v -bench 'Costs|Memory|Adds|Ruler|Empty|Pauses|PerCore' -benchtime 1x
package peers
