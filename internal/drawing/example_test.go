package drawing_test

import (
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

	// If there are very many benchmarks, the picture has those with the
	// greatest changes.
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
