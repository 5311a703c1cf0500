// Command channel is lesson 7: how long does a send on a contended channel
// take? A thousand goroutines send to one receiver.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/tarebench/tare"
)

func main() {
	if err := lesson(context.Background(), os.Stdout, 1000); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func lesson(ctx context.Context, w io.Writer, senders int) error {
	// Wrong: the total time divided by the number of values. That is how often
	// the channel takes a value, not how long a sender waits.
	start := time.Now()
	values := make(chan int)
	for i := range senders {
		go func() { values <- i }()
	}
	for range senders {
		<-values
	}
	fmt.Fprintf(w, "time of all by number: %v a send\n\n", time.Since(start)/time.Duration(senders))

	// Right: time every value from the start of its send to its arrival.
	watch := tare.NewStopwatch(senders)
	laps := make(chan tare.Lap)
	for range senders {
		go func() { laps <- watch.Start() }()
	}
	for range senders {
		watch.Stop(<-laps)
	}
	if err := watch.Wait(ctx); err != nil {
		return err
	}
	result := watch.Result()
	fmt.Fprintf(w, "every value:\n%v", result.Service)
	for _, f := range result.Findings() {
		fmt.Fprintln(w, f)
	}
	return nil
}
