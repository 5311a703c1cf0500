// Package bisect finds the step of a series of variants that changed a
// benchmark: a commit, a version of a dependency, a release of Go.
//
// [Spec.List] lists the series. [Run] searches it on this machine, with a
// session for each question. It appends answers to bisect.jsonl before the next
// question, so that a resumed search reads the file first. Each question that is
// measured has a study in the directory.
//
// [Search] compares the ends by the ordinary rule. Then it measures the commit
// whose blocks teach the most, by [Model.Posterior]: the probability of every
// commit to bring the step. The model integrates over the size of the step, the
// noise and the effect of moved code; the levels of the commits measured show
// the last. A commit that has 95% is compared with its parent, with fresh
// blocks. It is the culprit if it still has 95%, and if its change explains at
// least half of the ends' change; otherwise it has moved. The search goes on for
// the rest of the change on either side. It ends with the commits that have 95%
// if moves hide the step.
//
// The idea is probabilistic bisection (Karp and Kleinberg, Noisy binary search
// and its applications, SODA 2007; Waeber, Frazier and Henderson, Bisection
// search with noisy responses, SICON 2013), with a continuous likelihood.
package bisect
