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

// One measurement in a hundred is fifty times slower. The picture shows it, and
// the others too.
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

// A thousand measurements determine p99.9, but not p99.99.
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

func ExampleNanos() {
	bench := tare.NewBenchmark(1000, tare.KeepLaps(1000))
	text := ""
	for bench.Next() {
		text = "hello, " + text[:0]
	}
	var picture bytes.Buffer // or a file: concatenation.svg
	err := plot.All(&picture, plot.Options{Title: "concatenation"}, plot.Nanos("laps", bench.LapNanos()))
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

func ExampleSave() {
	picture := filepath.Join(os.TempDir(), "tare-example-requests.svg")
	defer os.Remove(picture)
	err := plot.Save(picture, plot.Options{}, plot.Nanos("requests", []float64{1200, 1400, 9000}))
	fmt.Println(err)
	// Output: <nil>
}

func ExampleDurations() {
	laps := []time.Duration{12 * time.Microsecond, 14 * time.Microsecond, 90 * time.Microsecond}
	fmt.Println(plot.RunOrder(io.Discard, plot.Options{}, plot.Durations("requests", laps)))
	// Output: <nil>
}
