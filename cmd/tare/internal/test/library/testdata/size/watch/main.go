// Command watch is a program with a stopwatch, which asks for a quantile.
package main

import (
	"fmt"

	"github.com/tarebench/tare"
)

func main() {
	watch := tare.NewStopwatch(0)
	watch.Stop(watch.Start())
	p99, _ := watch.Result().Service.Quantile(0.99)
	fmt.Println(p99.Value)
}
