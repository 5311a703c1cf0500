// Package doctor answers one question: is this machine fit to measure, and if
// not, what to do?
//
// The pipeline:
//
//	Observe   facts, counters and load over a short window
//	Spin      fixed work on each CPU: noise profile, speed, differences
//	Checks    observation → findings: a list of values, each with its own doc
//	Diagnose  all of it
//
// What the machine does not show is zero in the observation, and no check
// reports on it.
package doctor
