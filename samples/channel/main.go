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
	// Wrong: the time of all, divided by their number. That is how often the
	// channel takes a value, not how long a sender waits.
	start := time.Now()
	send(senders, func(c chan<- int, i int) { c <- i })
	fmt.Fprintf(w, "time of all by number: %v a send\n\n", time.Since(start)/time.Duration(senders))

	// Right: every send on its own.
	watch := tare.NewStopwatch(senders)
	send(senders, func(c chan<- int, i int) {
		lap := watch.Start()
		c <- i
		watch.Stop(lap)
	})
	if err := watch.Wait(ctx); err != nil {
		return err
	}
	result := watch.Result()
	fmt.Fprintf(w, "every send:\n%v", result.Service)
	for _, f := range result.Findings() {
		fmt.Fprintln(w, f)
	}
	return nil
}

// send lets goroutines send once each, and receives it all.
func send(senders int, f func(chan<- int, int)) {
	c := make(chan int)
	for i := range senders {
		go f(c, i)
	}
	for range senders {
		<-c
	}
}
