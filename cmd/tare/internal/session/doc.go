// Package session runs a study from a specification to a recording and a
// comparison. It is the only place that orchestrates: every verb that measures
// is thin over it, so that the self-test and the doctor judge with the stopping
// rule that users get.
//
//	Spec → Open: lock, variants, directory, facts of the machine
//	     → Run:  study (blocks, judged after each), kept binaries,
//	             instruction counts, profiles, proofs
//	     → Recording → [Compare] or [Measure]
//
// A session reports what it does to a [Watcher]. It knows neither flags nor
// terminals.
package session
