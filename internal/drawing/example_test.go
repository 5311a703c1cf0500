package drawing_test

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tarebench/tare/internal/drawing"
)

func ExampleStrips() {
	row := drawing.Strip{
		Name: "Parse", Unit: "sec/op",
		Old: []float64{3.09e-6, 3.10e-6, 3.11e-6}, New: []float64{2.90e-6, 2.91e-6, 2.92e-6},
		Ratio: 0.939, Lo: 0.935, Hi: 0.943, Verdict: "faster",
	}
	options := drawing.StripOptions{Old: "main", New: "mine", Delta: 0.02}
	var picture strings.Builder
	if err := drawing.Strips(&picture, options, row); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Contains(picture.String(), "mine against main"), strings.Contains(picture.String(), "faster"))

	// Of very many benchmarks, those that changed most are drawn.
	many := make([]drawing.Strip, drawing.MaxStrips+5)
	for i := range many {
		many[i] = row
	}
	picture.Reset()
	if err := drawing.Strips(&picture, options, many...); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Contains(picture.String(), "5 more with smaller changes are not drawn"))
	// Output:
	// true true
	// true
}

func ExampleSweep() {
	sort := drawing.Curve{Name: "BubbleSort"}
	for _, size := range []float64{10, 100, 1000} {
		sort.Points = append(sort.Points, drawing.Point{Param: size, Value: 3e-9 * size * size})
	}
	options := drawing.SweepOptions{
		Options: drawing.Options{Title: "Time against size", Unit: "sec/op"},
		Param:   "size",
		Label:   func(size float64) string { return fmt.Sprintf("%.0f items", size) },
	}
	var picture strings.Builder
	if err := drawing.Sweep(&picture, options, sort); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Contains(picture.String(), "BubbleSort grows as size^2.00"), strings.Contains(picture.String(), ">1000 items<"))
	// Output: true true
}

func ExampleFitPowerLaw() {
	law, err := drawing.FitPowerLaw([]drawing.Point{{Param: 10, Value: 2e-6}, {Param: 100, Value: 2.1e-5}, {Param: 1000, Value: 1.9e-4}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("n^%.2f, 95%% from %.2f to %.2f\n", law.Exponent, law.Lo, law.Hi)
	_, err = drawing.FitPowerLaw([]drawing.Point{{Param: 10, Value: 2e-6}})
	fmt.Println("one setting is too few:", errors.Is(err, drawing.ErrNoFit))
	// Output:
	// n^0.99, 95% from 0.75 to 1.23
	// one setting is too few: true
}

func ExamplePowerLaw_At() {
	law := drawing.PowerLaw{Factor: 3e-9, Exponent: 2} // 3 ns for one item, growing with the square
	fmt.Printf("%.1f s for 100,000 items\n", law.At(100_000))
	// Output: 30.0 s for 100,000 items
}
