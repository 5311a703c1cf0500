// Command clockreads is lesson 2: two reads of the clock around an operation
// that takes no time.
package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/tarebench/tare"
	"github.com/tarebench/tare/clock"
)

func main() { lesson(os.Stdout, 100_000) }

//go:noinline
func nothing() {}

func lesson(w io.Writer, n int) {
	// Wrong: take the time between the reads for the time of nothing.
	var sum time.Duration
	for range n {
		start := time.Now()
		nothing()
		sum += time.Since(start)
	}
	fmt.Fprintf(w, "two reads around nothing:  %5.1f ns\n", float64(sum)/float64(n))

	// The check: two adjacent reads report the same.
	empty := clock.Calibrate()
	fmt.Fprintf(w, "two adjacent reads:        %5.1f ns (%.1f to %.1f; the clock steps by %.1f ns)\n",
		empty.Overhead.Typical, empty.Overhead.Lo, empty.Overhead.Hi, empty.Resolution)

	// Right: measure and subtract the overhead of the clock, and time
	// operations that are shorter than its step many at a time.
	bench := tare.NewBenchmark(20*n, tare.AccurateMean())
	for bench.Next() {
		nothing()
	}
	mean := bench.Distribution().Mean()
	fmt.Fprintf(w, "overhead subtracted:       %5.1f ns (%.1f to %.1f: a call, and counting to the next)\n",
		mean.Value, mean.Lo, mean.Hi)
}
