// Package machine answers one question: is this machine fit to measure, and
// if not, what to do?
//
// The pipeline:
//
//	Facts     what the machine is (recorded with every study)
//	Snapshot  counters before and after a block; Since names what spoiled it
//	Observe   facts, counters and load over a short window
//	Checks    observation → findings: a list of values, each with its own doc
//	Spin      fixed work on each CPU → noise profile, speed, differences
//	Lock      one measuring process per machine
//	Tune      governor, boost, frequency and affinity, restored whatever happens
//
// All reading of /proc and /sys goes through an [fs.FS] whose root is the
// machine's root directory ([os.DirFS]("/") in earnest, a composed tree in the
// tests). On systems without /proc and /sys the facts stay empty, which means
// "not known here", and no check speaks about what is not known.
package machine
