package stats_test

import (
	"errors"
	"fmt"

	"github.com/tarebench/tare/cmd/tare/internal/stats"
)

// The p-values of four benchmarks, adjusted for their number.
func ExampleHolm() {
	p := []float64{0.01, 0.04, 0.03, 0.005}
	fmt.Printf("no false alarm at all:    %.3f\n", stats.Holm(p))
	// Output: no false alarm at all:    [0.030 0.060 0.060 0.020]
}

func ExampleQuantile() {
	x := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 100}
	fmt.Printf("median %.1f, MAD %.1f, p90 %.1f\n", stats.Median(x), stats.MAD(x), stats.Quantile(x, 0.9))
	// Output:
	// median 5.5, MAD 2.5, p90 18.1
}

func ExampleMedianOrder() {
	lo, hi, attained := stats.MedianOrder(10, 0.95)
	fmt.Printf("of 10 values the smallest but %d to the %dth: %.1f%%\n", lo-1, hi, 100*attained)
	fmt.Println("fewest values for a 95% interval:", stats.LeastForMedian(0.95))
	// Output:
	// of 10 values the smallest but 1 to the 9th: 97.9%
	// fewest values for a 95% interval: 6
}

// Hamilton's depression scale before and after tranquillizers in nine patients
// (Hollander and Wolfe, Nonparametric Statistical Methods, 1973, p. 29).
func ExampleCenterBounds() {
	before := []float64{1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30}
	after := []float64{0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29}
	change := make([]float64, len(before))
	for i := range change {
		change[i] = after[i] - before[i]
	}
	lo, hi, err := stats.CenterBounds(change, 0.05)
	fmt.Printf("change %.3f, 95%% from %.3f to %.3f, %v\n", stats.Center(change), lo, hi, err)
	_, _, err = stats.CenterBounds(change[:5], 0.05)
	fmt.Println("five patients are too few:", errors.Is(err, stats.ErrTooFew))
	// Output:
	// change -0.460, 95% from -0.786 to -0.010, <nil>
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
	other := tests.Share() // for another goroutine
	fmt.Printf("p = %.4f either way round: %.4f\n", tests.Test(term, weeks).P, other.Test(weeks, term).P)
	// Output:
	// p = 0.2544 either way round: 0.2544
}

// The estimate of a shift and its interval from one sort.
func ExampleShifts() {
	term := []float64{0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46}
	weeks := []float64{1.15, 0.88, 0.90, 0.74, 1.21}
	var tests stats.RankSums
	shifts := tests.Shifts(term, weeks)
	lo, hi, err := shifts.Bounds(0.05)
	fmt.Printf("shift %.3f, 95%% from %.2f to %.2f, %v\n", shifts.Shift(), lo, hi, err)
	// Output: shift 0.305, 95% from -0.15 to 0.76, <nil>
}
