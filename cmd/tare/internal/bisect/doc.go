// Package bisect finds the step of a series of variants that changed a
// benchmark: a commit, a file, a version of a dependency, a release of Go.
//
// [Spec.List] lists the series, [Run] searches it on this machine: a session for
// each question. Answers are appended to bisect.jsonl before the next question,
// so that an interrupted search asks the file first. log.sh has the commands
// that repeat each of them.
//
// [Search] compares the ends by the ordinary rule, then measures the commit
// whose blocks teach the most, by [Model.Posterior]: the probability of every
// commit to bring the step. The size of the step, the noise and what code moves by
// itself are integrated out; the levels of the commits measured show the last. A
// commit that holds 95% is compared with its parent, with fresh blocks. It is named
// if it still holds 95%, and if its change explains at least half of the ends'
// change; otherwise it has moved. What it does not explain is searched for on either
// side. The search ends where moves hide the step, with the commits that hold 95%.
//
// The idea is probabilistic bisection (Karp and Kleinberg, Noisy binary search
// and its applications, SODA 2007; Waeber, Frazier and Henderson, Bisection
// search with noisy responses, SICON 2013), with a continuous likelihood.
package bisect
