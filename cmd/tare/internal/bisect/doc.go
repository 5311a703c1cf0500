// Package bisect finds the commit that changed the cost of a benchmark.
//
// The pipeline:
//
//  1. [Search] compares the two ends of a linear history by the ordinary rule
//     of a comparison. No difference ends it.
//  2. [Model.Posterior] holds the probability of every commit to bring the
//     step, given log ratios of blocks measured so far. The size of the step
//     is known only through the interval of step 1 and is integrated out, and
//     so is the scale of the noise; blocks have heavy tails. Two steps are a
//     hypothesis of their own.
//  3. [Posterior.Ask] names the commit to measure next: the one whose level
//     is the least certain.
//  4. A commit that holds 95% of the probability is compared with its parent,
//     with fresh blocks, by the ordinary rule. Only what passes is reported.
//  5. What the culprit does not explain is searched for on either side of it.
//
// The package measures nothing itself: a [Prober] does, and tests replace it
// by a simulated history.
//
// The idea is that of probabilistic bisection (Karp and Kleinberg, Noisy
// binary search and its applications, SODA 2007; Waeber, Frazier and
// Henderson, Bisection search with noisy responses, SICON 2013), with a
// continuous likelihood in place of a pass or a fail.
package bisect
