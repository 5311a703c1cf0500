package histogram_test

import (
	"fmt"
	"os"
	"time"

	"github.com/tarebench/tare/histogram"
)

func Example() {
	h := histogram.New()
	for i := range int64(1000) {
		h.Record(100 + i%50)
	}
	h.Record(9000)
	h.View(0, 1).WriteText(os.Stdout, histogram.TextOptions{Bins: 5, Width: 20, ASCII: true})
	// Output:
	// n 1,001  mean 133 ns  min 100 ns  max 9.00 µs
	// p50 125 ns  p90 144 ns  p99 148 ns  p99.9 148 ns  (p99.99 needs n >= 10,000)
	// 100 up to 110 ns 200  20.0% ####################
	// 110 up to 120 ns 200  20.0% ####################
	// 120 up to 130 ns 200  20.0% ####################
	// 130 up to 140 ns 200  20.0% ####################
	// 140 up to 150 ns 200  20.0% ####################
	// 150 ns and more    1   0.1% #
}

func ExampleHistogram_Quantile() {
	h := histogram.New()
	for v := range int64(100) {
		h.Record(v + 1)
	}
	fmt.Println(h.Quantile(0.5))
	fmt.Println(h.Quantile(0.9))
	fmt.Println(h.Quantile(0.999))
	// Output:
	// p50 50 (40 to 61)
	// p90 90 (84 to 96)
	// p99.9 needs 1,000 values, there are 100
}

func ExampleHistogram_View() {
	h := histogram.New()
	for range 10 {
		h.Record(1030) // ns for 100 operations, 30 of them for the clock
	}
	perOperation := h.View(30, 1./100)
	fmt.Println(perOperation.Mean(), "ns")
	// Output: 10 ns
}

func ExampleHistogram_Outside() {
	h, err := histogram.Options{Error: 0.1, Max: 1000}.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	h.RecordAll([]int64{-3, 5, 2000, 3000})
	below, above := h.Outside()
	fmt.Println(below, above, h.Count(), h.Min(), h.Max(), h.Mean())
	for _, b := range h.View(0, 1).Buckets() {
		fmt.Println(b.Lo, b.Hi, b.Count, b.Tail)
	}
	// Output:
	// 1 2 4 -3 3000 1250.5
	// -3.5 -0.5 1 true
	// 4.5 5.5 1 false
	// 1007.5 3000.5 2 true
}

func ExampleSharded() {
	s, err := histogram.Options{}.NewSharded()
	if err != nil {
		fmt.Println(err)
		return
	}
	done := make(chan bool)
	for g := range int64(4) {
		go func() {
			s.Record(10 * g)
			done <- true
		}()
	}
	for range 4 {
		<-done
	}
	fmt.Println(s.Merged().Mean())
	// Output: 15
}

func ExampleHistogram_Merge() {
	h, monday, tuesday := histogram.New(), histogram.New(), histogram.New()
	monday.Record(100)
	tuesday.RecordMany(200, 3) // three values of 200
	for _, day := range []*histogram.Histogram{monday, tuesday} {
		if err := h.Merge(day); err != nil {
			fmt.Println(err)
		}
		day.Reset() // for the next week
	}
	fmt.Println(h.Count(), h.Mean(), monday.Count())
	// Output: 4 175 0
}

func ExampleView() {
	h := histogram.New()
	h.Record(1030)
	perOperation := h.View(30, 1./100) // an overhead of 30 ns, laps of 100 operations
	fmt.Println(perOperation.Mean(), "ns")
	fmt.Println(h.View(2000, 1).Mean(), "ns, or", h.View(2000, 1).NonNegative().Mean())
	// Output:
	// 10 ns
	// -970 ns, or 0
}

func ExampleQuantile_Name() {
	fmt.Println(histogram.Quantile{Q: 0.5}.Name(), histogram.Quantile{Q: 0.999}.Name())
	// Output: p50 p99.9
}

func ExampleView_Bins() {
	h := histogram.New()
	for v := range int64(100) {
		h.Record(v)
	}
	view := h.View(0, 1)
	for _, bin := range view.Bins(4, 0) {
		fmt.Println(bin.Lo, "up to", bin.Hi, "holds", bin.Count)
	}
	fmt.Println("greatest", view.Max(), view.Quantile(0.5).Name(), view.Quantile(0.5).Value)
	// Output:
	// 0 up to 50 holds 50
	// 50 up to 100 holds 50
	// greatest 99 p50 49
}

// A server logs the latencies of every second.
func ExampleSharded_Interval() {
	latencies, err := histogram.Options{}.NewSharded()
	if err != nil {
		panic(err)
	}
	latencies.RecordMany(1_200_000, 3) // in the handlers
	fmt.Println("first second:", latencies.Interval().Count())
	latencies.Record(1_500_000)
	fmt.Println("second second:", latencies.Interval().Count(), "of", latencies.Count())
	latencies.Reset()
	fmt.Println("in all:", latencies.Count())
	// Output:
	// first second: 3
	// second second: 1 of 4
	// in all: 0
}

func ExampleFromDurations() {
	h := histogram.FromDurations([]time.Duration{time.Millisecond, 2 * time.Millisecond, 9 * time.Millisecond})
	fmt.Println(h.Count(), "values, at most", time.Duration(h.Max()))
	// Output: 3 values, at most 9ms
}

func ExampleView_LogBins() {
	h := histogram.New()
	h.RecordMany(15_000, 700)
	h.RecordMany(900_000, 300)
	v := h.View(0, 1e-3) // nanoseconds as µs
	for _, bin := range v.LogBins(10) {
		if bin.Count > 0 {
			fmt.Printf("%4.0f up to %4.0f µs %d\n", bin.Lo, bin.Hi, bin.Count)
		}
	}
	for _, bin := range v.BinsWithin(2, 0, 100) { // clipped
		fmt.Println(bin.Lo, bin.Count, bin.Tail)
	}
	// Output:
	//   10 up to   20 µs 700
	//  500 up to 1000 µs 300
	// 0 700 false
	// 50 0 false
	// 100 300 true
}
