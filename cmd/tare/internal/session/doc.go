// Package session runs a study from a specification to a recording and a
// comparison. Every verb that measures calls it, so that the self-test and the
// doctor judge with the stopping rule that users get.
//
//	Spec → Open: lock, variants, directory, facts of the machine
//	     → Run:  study (blocks, judged after each), kept binaries,
//	             instruction counts, profiles
//	     → Recording, Comparison
//
// A session reports its progress to a [Watcher]. It uses no flags or terminals.
package session
