// Package bisect finds the step of a series of variants that changed a
// benchmark: a commit, a file, a version of a dependency, a release of Go.
//
// [Spec.List] lists the series, [Run] searches it on this machine: a session for
// each question. Answers are appended to bisect.jsonl before the next question,
// so that an interrupted search asks the file first. log.sh has the commands
// that repeat each of them.
//
// [Search] compares the ends by the ordinary rule, then measures the commit
// whose level is the least certain, by [Model.Posterior]: the probability of
// every commit to bring the step, with its size and the noise integrated out. A
// commit that holds 95% is compared with its parent, with fresh blocks. It is
// named if its change explains at least half of the ends' change, and is above three
// times what code moves here by itself. Another one has moved. What it does not explain is searched for on either side.
//
// The idea is probabilistic bisection (Karp and Kleinberg, Noisy binary search
// and its applications, SODA 2007; Waeber, Frazier and Henderson, Bisection
// search with noisy responses, SICON 2013), with a continuous likelihood.
package bisect
