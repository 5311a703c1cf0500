// Package bisect finds the step of a series of variants that changed a
// benchmark: a commit, a hunk of a commit, a version of a dependency or a release
// of Go.
//
// [Spec.List] lists the series. [Run] searches it on this machine, with a
// session for each question. It appends each answer to bisect.jsonl before the
// next question. A resumed search reads this file first. Each measured question
// has a study in the directory.
//
// findCulprits compares the ends by the ordinary rule. Then it measures the commit
// whose blocks add the most information. [posterior] is the probability
// that each commit brings the step. It integrates over the size of the step,
// the noise and the effect of moved code, which the levels of the measured
// commits show. The search compares a commit of 95% with its parent, in fresh
// blocks. The commit is the culprit if it still has 95%, no size of moves makes a
// step elsewhere probable, and its change explains at least half of the change
// between the ends. Otherwise its code has moved.
// The search then looks for the remaining change before and after it. If moves
// hide the step, it ends with a set of commits of 95%.
//
// The idea is probabilistic bisection (Karp and Kleinberg, Noisy binary search
// and its applications, SODA 2007, and Waeber, Frazier and Henderson, Bisection
// search with noisy responses, SICON 2013), with a continuous likelihood.
package bisect
