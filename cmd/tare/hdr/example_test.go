package hdr_test

import (
	"bytes"
	"fmt"
	"time"

	"github.com/tarebench/tare/cmd/tare/hdr"
	"github.com/tarebench/tare/histogram"
)

func Example() {
	h := histogram.New()
	for range 4 {
		h.Record(100)
	}
	var table bytes.Buffer
	if err := hdr.WritePercentiles(&table, h.View(0, 1)); err != nil {
		fmt.Println(err)
	}
	view, err := hdr.ReadPercentiles(&table)
	fmt.Printf("%d values, mean %.0f, %v\n", view.Count(), view.Mean(), err)
	// Output: 4 values, mean 100, <nil>
}

func ExampleWriteLog() {
	h := histogram.New()
	h.RecordAll([]int64{100, 200})
	var log bytes.Buffer
	start := time.UnixMilli(1_700_000_000_000)
	err := hdr.WriteLog(&log, hdr.Interval{Start: start, End: start.Add(time.Second), Tag: "GET", Values: h.View(0, 1)})
	if err != nil {
		fmt.Println(err)
	}
	intervals, err := hdr.ReadLog(&log)
	fmt.Println(len(intervals), intervals[0].Tag, intervals[0].Values.Count(), err)
	// Output: 1 GET 2 <nil>
}
