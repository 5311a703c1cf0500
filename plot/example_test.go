package plot_test

import (
	"bytes"
	"fmt"

	"github.com/tarebench/tare/plot"
)

func ExampleAll() {
	var picture bytes.Buffer
	latencies := plot.Series{Name: "GET /", Values: []float64{0.8e-3, 0.9e-3, 0.7e-3, 2.4e-3}} // seconds, in run order
	if err := plot.All(&picture, plot.Options{Title: "Latency", Unit: "sec"}, latencies); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(bytes.HasPrefix(picture.Bytes(), []byte("<svg ")))
	// Output: true
}

func ExampleFitPowerLaw() {
	law, err := plot.FitPowerLaw([]plot.Point{{Param: 10, Value: 2e-6}, {Param: 100, Value: 2.1e-5}, {Param: 1000, Value: 1.9e-4}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("n^%.2f, 95%% from %.2f to %.2f\n", law.Exponent, law.Lo, law.Hi)
	// Output: n^0.99, 95% from 0.75 to 1.23
}
