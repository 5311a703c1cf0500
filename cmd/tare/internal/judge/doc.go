// Package judge turns the blocks of a study into rows, verdicts and the outcome
// of a gate. It is pure: it measures nothing, keeps no state and prints nothing.
//
// The pipeline: the rounds of complete, undisturbed blocks become one difference
// per block. The differences become a [Look] of a group-sequential [Design], the
// look becomes an [Interval], and the interval and δ give a verdict. [Judge]
// does this while a study runs, to decide when to stop. [Compare] does it for
// the whole table, and [GateOf] for the gate. [Measure] and [Run] summarize one
// variant. [suspicions] reports signs that the rounds do not measure the
// intended work.
//
// docs/statistics.md says what the numbers mean. The rest of
// this comment is the rule in full. A word in parentheses, as (block), names a
// page of docs/decisions.
//
// # Design of a comparison
//
// Paths are below cmd/tare/internal.
//
// The unit of analysis is the block i = 1 … n: one fresh process of the old
// variant A and one of the new variant B, linked with the block's random
// function order (block). Within a block J pairs of slices alternate, at most
// 120 in the first 8 blocks and 360 later. A slice is one timed burst, of 100
// µs or more, of the same number of iterations in both variants (slices). The
// order inside a pair is random, and the next pair reverses it. The first slice
// of a process is not used. Before a slice a variant that was more than twice as
// fast as another runs untimed until both take as long, so that its caches are its
// own (slices).
//
// Every block also chooses at random which variant starts first, and each
// package and block which variant has which worker slot and directory. The
// start of the stack, the lengths of arguments and environments are equal.
// Workers share one CPU, and one thread of the Go scheduler if the benchmark
// keeps one busy (handoff).
//
// Under the hypothesis the label does not matter the variants of a block can be
// exchanged without changing any distribution, whatever the machine does
// between blocks. The test uses nothing else (Fisher's randomization argument).
// Only blocks during which the machine was suspended are excluded, and no slice
// for its value.
//
// # Estimator
//
// t is the corrected time per operation of a slice: raw time less its delay and
// the middle of the calibrated overhead interval. In block i and pair j,
//
//	q_ij = ln(t_B,ij / t_A,ij)     d_i = median_j q_ij
//
// If a slice is not positive after the correction and the block's typical
// values are, d_i = ln(median_j t_B,ij / median_j t_A,ij).
//
// Collections. If blocks of a row met the collector, q_ij uses only slices that
// did not, and d_i combines the two parts:
//
//	d_i = ln((a_B + r_B·c_B) / (a_A + r_A·c_A))
//
// where
//
//   - a_A and a_B are the typical times per operation without the collector,
//     moved so that ln(a_B/a_A) = median q_ij.
//   - c is the mean excess of the slices of this variant and block that met a
//     collection. It includes the CPU time of the process after them until the
//     collection had ended. If delays are not known (clock), with 8 or more
//     such slices, c is the mean of the middle half.
//   - r is the collections per operation: (met − 1) over the operations
//     between the first and the last. With fewer than three met it is the
//     bytes per operation over (goal − live heap).
//
// Nothing in d_i comes from other blocks, except c of a variant that met no
// collection in a block. That c is the mean of the middle half of all blocks of
// both variants: a borrowed value must not depend on the variant
// (TestBlockSwap). If fewer than four pairs are without the collector, d_i is
// computed from the means of whole slices (collector).
//
// The change is the pseudomedian of d over fresh processes and function orders,
// all alike. Weights by the spread of a block's pairs would show the change of
// the calm function orders (TestNoisyOrdersCount). Its estimate is the median
// θ̂ of M_ij = (d_i + d_j)/2, i ≤ j (Hodges and Lehmann 1963); e^θ̂ = new/old
// is shown. The number of M_ij > θ is Wilcoxon's signed-rank statistic of d_i −
// θ. So with a critical value c and m = n(n+1)/2 the interval is [M_(c+1),
// M_(m−c)]. Test and interval always agree.
//
// What is estimated. sec/op is the time per operation that go test -bench prints
// in the long run, with the user's GOMAXPROCS, on a machine that does nothing
// else. Slices estimate it, if they contain what a long run contains.
//
// The witness. In the first block each variant also makes long runs: calls of 50
// ms or more on all CPUs, as go test makes them, in turn. r_k is ln(new/old) of
// pair k less d, and l_k the logarithm of a level less the level of the slices.
// They contradict the slices if the mean of six r_k or more is farther from 0 than
//
//	ln(1 + max(δ, 2%)) + 2 standard errors of d
//
// by three of its own standard errors, or the mean of the l_k of a variant with
// 50% in place of max(δ, 2%) (10% if there is no other variant). Pairs are taken
// while the mean is farther by one. Then the block is measured with longer slices,
// or in long runs. If a row is still contradicted, its interval also holds the one
// of the mean of the r_k (of six: the least and the greatest), so that a verdict
// needs both (witness). The witness only takes verdicts away, and depends on magnitudes
// alone when it chooses the slices, so it adds nothing to any error rate. "Same"
// and a pass claim that there is no cost, for events that happen at least once in
// a third of the time of the long runs: such an event was missed with a
// probability of e⁻³ (the rule of three).
//
// # Test and stopping
//
// W⁺ and W⁻ are the signed-rank sums of d_i: ties take mid-ranks, zeros are
// ranked and then dropped (Pratt 1959). The fixed-n p-value counts all sign
// patterns of the observed ranks, by convolution in doubled ranks.
//
// The study looks at n_k = 8, 11, 15, 20, 28, 40, 56, 80, … blocks and at its
// last block N (-blocks). A run of m rows also looks at 1 + log2(2m/α) blocks:
// the first number whose blocks of one sign are rarer than half of α/m. Every
// look spends a part of the error (Lan and DeMets 1983). The first look that
// can decide spends the probability of unanimous blocks, 2^(1−n), later ones
// equal shares for equal ratios of blocks (Pocock's boundaries). Every look has
// two critical values:
//
//	for                         level over all looks  spent at 8, 11, 15, 20, 28, 40 blocks, N = 40
//	the interval that is shown  α = 0.05              .0078, .0162, .0243, .0318, .0407, .0500
//	a difference, a regression  α/m                   for m = 1 the first row, for m = 100: 0, 0, .00024 at 13, …, .0005
//
// Under -total the data choose the row that is measured next, so only the
// planned looks count, and a row stays as its last one left it. It is called
// different only if it crossed its boundary at α/m, and Holm's step to a higher
// level is not used (looks).
//
// Otherwise, a study that ends between two looks (its budget, Ctrl-C) takes one
// more look there. It spends half of the remaining error, because the study may
// be resumed.
//
// Critical values are conditional on the magnitudes. If a level is 1% or more,
// they come from 20,480 sign vectors on the mid-ranks as each look saw them:
// c_k is the largest value whose cumulative share of stopped vectors stays
// within the error spent so far. Below 1%, c_k is the largest value for which
// the exact two-sided tail at c_k plus the error of the looks before stays
// within it. (Blocks of one sign at this look had one sign at the looks before
// and are counted once.)
//
// The same c_k gives the interval, a repeated confidence interval (Jennison and
// Turnbull 1989): all looks together miss the truth with a probability of at
// most α, for whatever reason the study stops. c_k is found for the ranks
// around 0 and used around other centers too, which is good to about half a
// point of coverage.
//
// The p-value follows the stagewise ordering (Armitage 1957, Fairbanks and
// Madsen 1982) at level α/m: the probability of having crossed at an earlier
// look, or of a sum as small as this now. It keeps its value from the look that
// crossed. An interval that contains 0 has p > α.
//
// # Verdicts
//
// With [L, U] the interval of ln(new/old) and x = ln(1+δ), δ = 2% by default,
// in this order:
//
//   - same within δ: [L, U] is inside ±x, whether or not it contains 0. P(same
//     while |θ| ≥ x) ≤ α/2 (verdict). -delta 0 reports any difference.
//   - faster U < 0, slower L > 0, if Holm's p-value over the family is at most
//     α. A row that is significant only alone is undecided (not-after-
//     adjustment).
//   - otherwise undecided, with the time of the n·(h/w)² blocks that would
//     settle it. h is the half-width and w = max(|θ̂|, x − |θ̂|).
//   - Fewer than 6 blocks, or function orders: no interval and no verdict. A
//     lost block gives its function order to the next one.
//   - B/op and allocs/op are slopes of calls of n and 2n operations, one per
//     process that only counts, whatever the function order. Collections are
//     off there, so that pools and the stores of the runtime stay full. A
//     count is exact if all processes have one value, each with another n.
//     Equal values need no more. A count that is drawn once a process, alike
//     in both variants, shows two constant and different values with
//     probability Σ_{i≠j}(p_i·p_j)ᵏ ≤ 2·4⁻ᵏ. That is the p-value of an exact
//     difference of k processes, in history and bisect too, so that it takes
//     k(m) = ⌈log₄(2m/α)⌉ (TestExactDifferencesAreSeldomWrong). Other rows
//     have an interval like any other unit.
//   - A value that is zero or negative has no logarithm. The row then has
//     differences in the unit, and is the same only if the interval is the
//     point 0.
//   - Instruction counts: five processes a variant or more, compared as two
//     samples by the exact Mann–Whitney test and its interval, with δ = 0.1%.
//
// A study stops at the first look that settles the row: same, or different at
// α/m. That is Bonferroni's level, and Holm's is never below it. So no settled
// row is taken back.
//
// A run has two families, over all packages: m rows of time (benchmarks × pairs
// of variants), and the rows of all other units, benchmarks × units. B/s that
// package testing derives is another form of time, and is not judged. Holm
// (1979) bounds the probability of any false faster or slower by α in each
// family, so by 2α in a run (TestUnitsAreOneFamily).
//
// Gate. A row passes if U < x, and is a regression if the interval at α/m is
// beyond x. The run passes if all rows do, which needs no adjustment, and fails
// if any is a regression. P(fails while no row is slower by more than δ) ≤ α/2,
// and P(passes while one is slower by δ or more) ≤ α/2. When the budget ends,
// other rows are undecided. B/op and allocs/op fail the gate if their verdict
// is more. Counts that vary pass. A limit above 0 (-gate=B/op=1%) replaces δ, or
// this rule, for its unit.
//
// Assumptions are tested on the recorded blocks, three kinds with a third of α
// each for all rows of a run: the serial correlation of d_i (Bartels' rank
// version of von Neumann's ratio, Holm over the rows, blocks-correlated);
// slices and long runs agree (long-runs-differ); the place of a slice in its
// process makes no difference (grows-in-process). So a run in which they are
// true has a warning with a probability of at most α.
//
// Geometric mean. g_k is the mean over rows of their differences in block k,
// for the first 8 blocks, which every row has whenever it stopped. The mean is
// the Hodges–Lehmann center of g_1 … g_8 with its signed-rank interval. Files
// taken one after the other have no interval.
//
// One row, one estimate. old and new are moved, halfway each, so that new is
// old times the change. They keep the widths of their intervals.
//
// Estimates after early stopping are not corrected. Over all studies they are
// too large about as often as too small (TestEstimateAfterStopping). Among the
// rows called different they are too large if the change is near the noise:
// 1.52 times the truth at +1% with blocks of sd 2%, 1.07 times at +2%, 1.00
// times at +5%. Quote the interval.
//
// # Levels of one variant
//
// old, new and the value of tare run are Hodges–Lehmann centers of the block
// medians (of logarithms, if all are positive), with the collector's part if
// blocks met it, and the exact signed-rank interval for n ≥ 6 blocks. tare run
// reports the level of the default function order, which the binary of go test
// also has. Every third block has another function order, and the row shows
// their range. Unlike the interval of the change, these intervals assume that
// blocks are independent, and describe this machine in this hour. The spread of
// tare run is half the interquartile range of the block medians over the
// center: up to 2% is good, up to 5% fair, above it unstable. Quantiles are
// definition 7 of Hyndman and Fan (1996).
//
// # Two files without blocks
//
// tare stat has two independent samples in the order they were taken. It uses
// the exact Mann–Whitney test for ties and unequal n, the Hodges–Lehmann shift
// of logarithms with its interval, and the median with an order-statistic
// interval. Adjustment, verdicts and gate are those above. If equally many runs
// of both variants alternate in one file, they are compared in pairs (exact
// signed-rank test of ln(new/old)), and a shared drift does not count.
//
// If sizes or spreads of the samples differ, Mann–Whitney calls spreads alone a
// difference (15% at 20 against 5 runs with four times the spread). The p-value
// assumes an undisturbed machine between the two files, which is rarely true.
//
// The interval of the shift takes the k-th smallest and k-th largest
// difference. k is the number of u with P(U ≤ u) ≤ α/2, as in R
// (stats/testdata/pragmastat/README.md).
//
// # Several machines
//
// If several machines measured blocks of one benchmark (many machines), the
// machine is a stratum. The sign of a block is random with probability one half
// on every machine. Units are ranked among the units of their machine, and the
// Walsh averages are within machines. The p-value is checked against all sign
// patterns (TestStrataByEnumeration). A function order that several machines
// share is one unit, and then there are no strata.
//
// # Checks
//
// Formulas are checked against answers found independently: signed-rank p,
// quantiles and adjustment against scipy and NumPy, whole-number counts and all
// sign patterns for n ≤ 11 (stats/testdata/oracle.py), centers and bounds
// against pragmastat's vectors, the spending of the looks and the p-value
// against all 2¹⁵ sign patterns through the rule (judge/decide_test.go), the
// noise model against the Python reference (judge/noise_test.go). Rates are
// simulated through the shipped code: judge/acceptance_test.go, family_test.go,
// exact_test.go, collector_test.go, witness_test.go, assumptions_test.go,
// study/total_test.go, benchtab/pairs_test.go. Twelve allocating pairs are
// compared with interleaved plain go test runs (selftest/pairs_linux_test.go).
//
// # Assumptions
//
//   - A block's numbers come from that block (TestBlockSwap).
//   - The label of a block does not matter: order and places are drawn at random.
//     A disturbance that always meets one variant would not be noticed.
//   - Blocks may drift: signs are random given the magnitudes. Of 1,000 studies
//     with drift 4.4 and 4.9% (± 0.7) were called different.
//   - Blocks that share a function order are one unit: only equal units have the
//     free sign.
//   - Slices measure what long runs do, except for events that are rarer than the
//     long runs are long (the witness).
//
// # Sources
//
// Fisher, The Design of Experiments, 1935. Wilcoxon 1945. Pratt, JASA 54, 1959.
// Hodges and Lehmann, Ann. Math. Statist. 34, 1963. Hartigan, JASA 64, 1969.
// Holm, Scand. J. Statist. 6, 1979. Lan and DeMets, Biometrika 70, 1983.
// Jennison and Turnbull, JRSS B 51, 1989. Hyndman and Fan, Am. Stat. 50, 1996.
// Armitage, Biometrika 44, 1957. Fairbanks and Madsen, Biometrika 69, 1982.
// Pocock, Biometrika 64, 1977. Schuirmann, J. Pharmacokin. Biopharm. 15, 1987.
// Lehmann, Nonparametrics, section 3.3, 2006. On benchmarks: Mytkowicz et al.,
// ASPLOS 2009; Curtsinger and Berger, ASPLOS 2013; Kalibera and Jones, ISMM 2013;
// Laaber et al., EMSE 24, 2019.
package judge
