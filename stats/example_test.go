package stats_test

import (
	"errors"
	"fmt"
	"math"

	"github.com/tarebench/tare/stats"
)

// A paired comparison: every block has run old and new side by side in slices.
func Example() {
	blocks := [][]float64{ // ln(new/old) of the slices of each block
		{-0.031, -0.030, -0.029}, {-0.027, -0.025, -0.023}, {-0.036, -0.035, -0.034}, {-0.032, -0.031, -0.030},
		{-0.028, -0.027, -0.026}, {-0.035, -0.033, -0.031}, {-0.029, -0.028, -0.027}, {-0.033, -0.032, -0.031},
	}
	if len(blocks) < stats.MinBlocks {
		fmt.Println("too few blocks for an interval")
		return
	}
	var look stats.Look
	for _, slices := range blocks {
		look.Center = append(look.Center, stats.Median(slices))
		look.Spread = append(look.Spread, stats.MAD(slices))
	}
	design := stats.NewDesign(40, 0.05) // stop at any of its looks
	const seed = 1
	decisions, err := design.Decide(seed, look)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := design.P(seed, look)
	if err != nil {
		fmt.Println(err)
		return
	}
	d := decisions[len(decisions)-1]
	fmt.Printf("%d blocks: %+.1f %%, 95 %% from %+.1f to %+.1f %%\n", d.Units, 100*math.Expm1(d.Center), 100*math.Expm1(d.Lo), 100*math.Expm1(d.Hi))
	fmt.Println("differs:", d.Excludes(0), "by 2 % or more:", d.Excludes(math.Log(0.98)), "p below 0.05:", p < 0.05)
	// Output:
	// 8 blocks: -3.0 %, 95 % from -3.4 to -2.5 %
	// differs: true by 2 % or more: true p below 0.05: true
}

func ExampleNewDesign() {
	design := stats.NewDesign(20, 0.05)
	fmt.Println("look at", design.Looks, "spend", design.Spend)
	fmt.Println("16 blocks have reached", design.Reached(16), "looks")
	fmt.Println("interrupted at 16:", design.WithLook(16).Looks)
	// Output:
	// look at [8 11 15 20] spend [0.015625 0.024 0.0374 0.0496]
	// 16 blocks have reached 3 looks
	// interrupted at 16: [8 11 15 16 20]
}

func ExampleLook_Standard() {
	look := stats.Look{Center: []float64{0.04, -0.03}, Spread: []float64{0.02, 0.01}}
	fmt.Printf("%.1f\n", look.Standard()) // the second block says more
	// Output: [2.0 -3.0]
}

// The interval of five values: with the critical value 0 it is their range, with
// 1 it leaves out the smallest and the largest of their pairwise means.
func ExampleLook_Bounds() {
	look := stats.Look{Center: []float64{1, 2, 3, 4, 10}}
	for _, critical := range []float64{-1, 0, 1} {
		lo, hi := look.Bounds(critical)
		fmt.Println(lo, hi)
	}
	// Output:
	// -Inf +Inf
	// 1 10
	// 1.5 7
}

// Evidence that may be looked at after every block, for as long as one likes:
// by how many per cent each block found new slower than old.
func ExampleEProcess() {
	change := []float64{3.1, 2.4, 3.8, 2.9, 3.3, 2.2, 4.0, 3.5, 2.6, 3.0, 3.6, 2.8, 3.2, 2.5, 3.9, 3.4}
	const alpha = 0.05
	for i, e := range stats.EProcess(change) {
		if e >= 1/alpha {
			fmt.Printf("not chance, after %d blocks: E = %.1f\n", i+1, e)
			break
		}
	}
	lo, hi := stats.EInterval(change, nil, alpha)
	fmt.Printf("after %d blocks: from %.1f to %.1f %%\n", len(change), lo, hi)
	// Output:
	// not chance, after 13 blocks: E = 20.8
	// after 16 blocks: from 2.5 to 3.8 %
}

// The p-values of four benchmarks, adjusted for being four.
func ExampleHolm() {
	p := []float64{0.01, 0.04, 0.03, 0.005}
	fmt.Printf("no false alarm at all:    %.3f\n", stats.Holm(p))
	fmt.Printf("few among those reported: %.3f\n", stats.BenjaminiHochberg(p))
	// Output:
	// no false alarm at all:    [0.030 0.060 0.060 0.020]
	// few among those reported: [0.020 0.040 0.040 0.020]
}

func ExampleQuantile() {
	x := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 100}
	fmt.Printf("median %.1f, MAD %.1f, p90 %.1f\n", stats.Median(x), stats.MAD(x), stats.Quantile(x, 0.9))
	lo, hi := stats.QuantileInterval(x, 0.5, 0.95)
	fmt.Printf("the median lies between %v and %v\n", lo, hi)
	lo, hi = stats.QuantileInterval(x, 0.9, 0.95)
	fmt.Printf("p90 between %v and %v: ten values have no upper bound for it\n", lo, hi)
	// Output:
	// median 5.5, MAD 2.5, p90 18.1
	// the median lies between 2 and 9
	// p90 between 7 and +Inf: ten values have no upper bound for it
}

func ExampleMedianOrder() {
	lo, hi, attained := stats.MedianOrder(10, 0.95)
	fmt.Printf("of 10 values the smallest but %d to the %dth: %.1f %%\n", lo-1, hi, 100*attained)
	fmt.Println("fewest values for a 95 % interval:", stats.LeastForMedian(0.95))
	// Output:
	// of 10 values the smallest but 1 to the 9th: 97.9 %
	// fewest values for a 95 % interval: 6
}

func ExampleWeightedCenter() {
	d := []float64{1, 2, 9}
	fmt.Println(stats.Center(d), stats.WeightedCenter(d, []float64{1, 1, 3})) // the 9 is three times as uncertain
	// Output: 3.5 2.5
}

// Hamilton's depression scale before and after tranquillizers in nine patients
// (Hollander and Wolfe, Nonparametric Statistical Methods, 1973, p. 29).
func ExampleSignedRankTest() {
	before := []float64{1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30}
	after := []float64{0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29}
	change := make([]float64, len(before))
	for i := range change {
		change[i] = after[i] - before[i]
	}
	test := stats.SignedRankTest(change)
	fmt.Printf("W+ = %v, W- = %v, p = %.4f\n", test.Plus, test.Minus, test.P)
	lo, hi, err := stats.CenterBounds(change, 0.05)
	fmt.Printf("change %.3f, 95 %% from %.3f to %.3f, %v\n", stats.Center(change), lo, hi, err)
	_, _, err = stats.CenterBounds(change[:5], 0.05)
	fmt.Println("five patients are too few:", errors.Is(err, stats.ErrTooFew))
	// Output:
	// W+ = 5, W- = 40, p = 0.0391
	// change -0.460, 95 % from -0.786 to -0.010, <nil>
	// five patients are too few: true
}

// Permeability of the human chorioamnion at term and at 12 to 26 weeks
// (Hollander and Wolfe, Nonparametric Statistical Methods, 1973, p. 69).
func ExampleMannWhitney() {
	term := []float64{0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46}
	weeks := []float64{1.15, 0.88, 0.90, 0.74, 1.21}
	test := stats.MannWhitney(term, weeks)
	fmt.Printf("U = %v, p = %.4f, exact %v, ties %v\n", test.U, test.P, test.Exact, test.Ties)
	fmt.Printf("no smaller p than %.4f with so few\n", stats.SmallestP(len(term), len(weeks)))
	// Output:
	// U = 35, p = 0.2544, exact true, ties false
	// no smaller p than 0.0007 with so few
}

// Many tests of the same sizes share their null distribution.
func ExampleRankSums() {
	term := []float64{0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46}
	weeks := []float64{1.15, 0.88, 0.90, 0.74, 1.21}
	var tests stats.RankSums
	lo, hi, err := tests.ShiftBounds(term, weeks, 0.05)
	fmt.Printf("shift %.3f, 95 %% from %.2f to %.2f, %v\n", stats.Shift(term, weeks), lo, hi, err)
	fmt.Printf("p = %.4f either way round: %.4f\n", tests.Test(term, weeks).P, tests.Test(weeks, term).P)
	// Output:
	// shift 0.305, 95 % from -0.15 to 0.76, <nil>
	// p = 0.2544 either way round: 0.2544
}

// Twelve measurements in the order they were taken, while the machine warmed up.
func ExampleMannKendall() {
	x := []float64{10.0, 10.2, 10.1, 10.4, 10.3, 10.6, 10.7, 10.5, 10.9, 11.0, 10.8, 11.2}
	trend := stats.MannKendall(x)
	fmt.Printf("trend: tau %.3f, p = %.5f, up by %.2f\n", trend.Tau, trend.P, trend.Change)
	serial := stats.SerialCorrelation(x)
	fmt.Printf("neighbours: correlation %.3f, p = %.5f\n", serial.Correlation, serial.P)
	// Output:
	// trend: tau 0.818, p = 0.00028, up by 0.80
	// neighbours: correlation 0.794, p = 0.00163
}
