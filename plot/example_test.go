package plot_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tarebench/tare"
	"github.com/tarebench/tare/plot"
)

func ExampleAll() {
	var picture bytes.Buffer                                                                   // or a file: latency.svg
	latencies := plot.Series{Name: "GET /", Values: []float64{0.8e-3, 0.9e-3, 0.7e-3, 2.4e-3}} // seconds, in run order
	if err := plot.All(&picture, plot.Options{Title: "Latency", Unit: "sec"}, latencies); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(bytes.HasPrefix(picture.Bytes(), []byte("<svg ")))
	// Output: true
}

// One measurement in a hundred is fifty times slower: the picture shows it,
// and the others too.
func ExampleRunOrder() {
	laps := make([]float64, 100)
	for i := range laps {
		laps[i] = 200e-9
	}
	laps[42] = 10e-6
	var picture strings.Builder
	if err := plot.RunOrder(&picture, plot.Options{Title: "Parse", Unit: "sec/op"}, plot.Series{Values: laps}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Contains(picture.String(), "logarithmic axis"))

	// The buckets of a histogram have no order.
	buckets := plot.Series{Values: []float64{200e-9, 10e-6}, Counts: []uint64{99, 1}}
	err := plot.RunOrder(&picture, plot.Options{}, buckets)
	fmt.Println(errors.Is(err, plot.ErrNoValues))
	// Output:
	// true
	// true
}

func ExampleDensity() {
	buckets := plot.Series{Name: "Parse", Values: []float64{1.0e-6, 1.1e-6, 1.2e-6, 500e-6}, Counts: []uint64{300, 400, 296, 4}}
	var picture strings.Builder
	if err := plot.Density(&picture, plot.Options{Unit: "sec/op"}, buckets); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Contains(picture.String(), "0.4% of the values lie beyond the picture"))
	// Output: true
}

// A thousand measurements know their p99.9, and not their p99.99.
func ExamplePercentiles() {
	laps := make([]float64, 1000)
	for i := range laps {
		laps[i] = 1e-6 + 1e-9*float64(i)
	}
	var picture strings.Builder
	if err := plot.Percentiles(&picture, plot.Options{Width: 600, Height: 200}, plot.Series{Values: laps}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Contains(picture.String(), ">p99.9<"), strings.Contains(picture.String(), ">p99.99<"))
	// Output: true false
}

func ExampleStrips() {
	row := plot.Strip{
		Name: "Parse", Unit: "sec/op",
		Old: []float64{3.09e-6, 3.10e-6, 3.11e-6}, New: []float64{2.90e-6, 2.91e-6, 2.92e-6},
		Ratio: 0.939, Lo: 0.935, Hi: 0.943, Verdict: "faster",
	}
	options := plot.StripOptions{Old: "main", New: "mine", Delta: 0.02}
	var picture strings.Builder
	if err := plot.Strips(&picture, options, row); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Contains(picture.String(), "mine against main"), strings.Contains(picture.String(), "faster"))

	// Of very many benchmarks, those that changed most are drawn.
	many := make([]plot.Strip, plot.MaxStrips+5)
	for i := range many {
		many[i] = row
	}
	picture.Reset()
	if err := plot.Strips(&picture, options, many...); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Contains(picture.String(), "5 more with smaller changes are not drawn"))
	// Output:
	// true true
	// true
}

func ExampleSweep() {
	sort := plot.Curve{Name: "BubbleSort"}
	for _, size := range []float64{10, 100, 1000} {
		sort.Points = append(sort.Points, plot.Point{Param: size, Value: 3e-9 * size * size})
	}
	options := plot.SweepOptions{
		Options: plot.Options{Title: "Time against size", Unit: "sec/op"},
		Param:   "size",
		Label:   func(size float64) string { return fmt.Sprintf("%.0f items", size) },
	}
	var picture strings.Builder
	if err := plot.Sweep(&picture, options, sort); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Contains(picture.String(), "BubbleSort grows as size^2.00"), strings.Contains(picture.String(), ">1000 items<"))
	// Output: true true
}

func ExampleFitPowerLaw() {
	law, err := plot.FitPowerLaw([]plot.Point{{Param: 10, Value: 2e-6}, {Param: 100, Value: 2.1e-5}, {Param: 1000, Value: 1.9e-4}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("n^%.2f, 95%% from %.2f to %.2f\n", law.Exponent, law.Lo, law.Hi)
	_, err = plot.FitPowerLaw([]plot.Point{{Param: 10, Value: 2e-6}})
	fmt.Println("one setting is too few:", errors.Is(err, plot.ErrNoFit))
	// Output:
	// n^0.99, 95% from 0.75 to 1.23
	// one setting is too few: true
}

func ExamplePowerLaw_At() {
	law := plot.PowerLaw{Factor: 3e-9, Exponent: 2} // 3 ns for one item, growing with the square
	fmt.Printf("%.1f s for 100,000 items\n", law.At(100_000))
	// Output: 30.0 s for 100,000 items
}

func ExampleLaps() {
	bench := tare.NewBenchmark(1000, tare.KeepLaps(1000))
	text := ""
	for bench.Next() {
		text = "hello, " + text[:0]
	}
	var picture bytes.Buffer // or a file: concatenation.svg
	err := plot.All(&picture, plot.Options{Title: "concatenation"}, plot.Laps("laps", bench.Laps()))
	fmt.Println(picture.Len() > 0, err)
	// Output: true <nil>
}

func ExampleDistribution() {
	bench := tare.NewBenchmark(1000)
	text := ""
	for bench.Next() {
		text = "hello, " + text[:0]
	}
	series := plot.Distribution("concatenation", bench.Distribution().Corrected())
	if err := plot.Density(io.Discard, plot.Options{}, series); err != nil {
		fmt.Println(err)
	}
	laps := uint64(0)
	for _, n := range series.Counts {
		laps += n
	}
	fmt.Println(laps, "laps drawn")
	// Output: 1000 laps drawn
}

func ExampleDurations() {
	laps := []time.Duration{12 * time.Microsecond, 14 * time.Microsecond, 90 * time.Microsecond}
	fmt.Println(plot.RunOrder(io.Discard, plot.Options{}, plot.Durations("requests", laps)))
	// Output: <nil>
}

func ExampleSave() {
	picture := filepath.Join(os.TempDir(), "tare-example-requests.svg")
	defer os.Remove(picture)
	err := plot.Save(picture, plot.RunOrder, plot.Options{}, plot.Laps("requests", []float64{1200, 1400, 9000}))
	fmt.Println(err)
	// Output: <nil>
}
