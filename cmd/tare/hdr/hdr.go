// Package hdr writes and reads histograms in the two formats of HDR Histogram,
// for the tools that plot them.
//
// [WritePercentiles] writes a .hgrm file, the table of percentiles that the
// HdrHistogram plotter draws. [WriteLog] writes a .hlog file, which contains
// intervals with whole histograms, and [ReadLog] reads it. [ReadPercentiles]
// reads a table of percentiles, which has less detail than a histogram.
//
//	err := hdr.WritePercentiles(file, bench.Distribution().Corrected())
package hdr

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/tarebench/tare/histogram"
)

const (
	digits = 3 // of HDR's own buckets: finer than ours
	ticks  = 5 // rows of a percentile table for each halving of the rest
	// Values of a percentile table have three digits after the point.
	thousandths = 1000
	highest     = int64(math.MaxInt64 / 2) // of HDR Histogram
	ownHighest  = int64(1) << 52           // higher values count in our tail
)

// WritePercentiles writes the values of v as a percentile table (.hgrm). It
// fails if v has values below zero, which HDR Histogram does not support, or
// above 2⁶²/1000.
func WritePercentiles(w io.Writer, v histogram.View) error {
	h, err := export(v, thousandths)
	if err != nil {
		return fmt.Errorf("write percentiles: %w", err)
	}
	if _, err := h.PercentilesPrint(w, ticks, thousandths); err != nil {
		return fmt.Errorf("write percentiles: %w", err)
	}
	return nil
}

// export counts every bucket of v at its middle, times scale. It counts the
// greatest value separately, because it is known exactly.
func export(v histogram.View, scale float64) (*hdrhistogram.Histogram, error) {
	h := hdrhistogram.New(1, highest, digits)
	record := func(value float64, count int64) error {
		value = math.Round(value * scale)
		if value < 0 {
			return fmt.Errorf("%d values below zero, which the format does not have: use View.NonNegative", count)
		}
		if !(value < float64(highest)) { // also NaN
			return fmt.Errorf("%d values of %g, and the format ends below %d: scale the view", count, value/scale, highest/int64(scale))
		}
		return h.RecordValues(int64(value), count)
	}
	buckets := v.Buckets()
	for i, b := range buckets {
		if i == len(buckets)-1 {
			b.Count--
			if err := record(v.Max(), 1); err != nil {
				return nil, err
			}
		}
		if b.Count == 0 {
			continue
		}
		if err := record((b.Lo+b.Hi)/2, b.Count); err != nil {
			return nil, err
		}
	}
	return h, nil
}

var errNoTable = errors.New("no row of value, percentile and count")

// ReadPercentiles reads a percentile table. The values between two rows count
// at the value of the later row, because the table has no more detail. The rows
// are as fine as their writer made them.
func ReadPercentiles(r io.Reader) (histogram.View, error) {
	h, err := histogram.Options{Max: ownHighest}.New()
	if err != nil {
		return histogram.View{}, err
	}
	lines := bufio.NewScanner(r)
	rows, before := 0, int64(0)
	for number := 1; lines.Scan(); number++ {
		fields := strings.Fields(lines.Text())
		if len(fields) < 3 || fields[0] == "Value" || strings.HasPrefix(fields[0], "#") {
			continue
		}
		value, err := strconv.ParseFloat(fields[0], 64)
		if err != nil || !(value >= 0 && value*thousandths < float64(highest)) {
			return histogram.View{}, fmt.Errorf("read percentiles: line %d: value %q is no number from 0 to %d", number, fields[0], highest/thousandths)
		}
		count, err := strconv.ParseInt(fields[2], 10, 64)
		if err != nil || count < before {
			return histogram.View{}, fmt.Errorf("read percentiles: line %d: total count %q does not go on from %d", number, fields[2], before)
		}
		h.RecordMany(int64(math.Round(value*thousandths)), count-before)
		before = count
		rows++
	}
	if err := lines.Err(); err != nil {
		return histogram.View{}, fmt.Errorf("read percentiles: %w", err)
	}
	if rows == 0 {
		return histogram.View{}, fmt.Errorf("read percentiles: %w", errNoTable)
	}
	return h.View(0, 1./thousandths), nil
}

// Interval is a histogram of the values from Start to End. Times are kept to
// the millisecond.
type Interval struct {
	Start, End time.Time
	// Tag distinguishes histograms of one interval. It has no comma or space.
	Tag string
	// Values are rounded to whole numbers in a log.
	Values histogram.View
}

// WriteLog writes intervals as a log (.hlog, version 1.3). It fails if values
// are below zero or above 2⁶².
func WriteLog(w io.Writer, intervals ...Interval) error {
	log := hdrhistogram.NewHistogramLogWriter(w)
	err := errors.Join(log.OutputLogFormatVersion(), log.OutputLegend())
	for _, i := range intervals {
		if err != nil {
			break
		}
		if strings.ContainsAny(i.Tag, ", \t\r\n") {
			err = fmt.Errorf("tag %q has a comma or a space", i.Tag)
			break
		}
		var h *hdrhistogram.Histogram
		if h, err = export(i.Values, 1); err != nil {
			break
		}
		h.SetTag(i.Tag)
		h.SetStartTimeMs(i.Start.UnixMilli())
		h.SetEndTimeMs(i.End.UnixMilli())
		err = log.OutputIntervalHistogram(h)
	}
	if err != nil {
		return fmt.Errorf("write histogram log: %w", err)
	}
	return nil
}

// ReadLog reads all intervals of a log.
func ReadLog(r io.Reader) ([]Interval, error) {
	log := hdrhistogram.NewHistogramLogReader(r)
	var all []Interval
	for {
		h, err := log.NextIntervalHistogram()
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("read histogram log: interval %d: %w", len(all)+1, err)
		}
		if h == nil {
			return all, nil
		}
		counts, err := histogram.Options{Max: ownHighest}.New()
		if err != nil {
			return nil, err
		}
		for _, b := range h.Distribution() {
			counts.RecordMany(b.From+(b.To-b.From)/2, b.Count)
		}
		all = append(all, Interval{
			Start:  time.UnixMilli(h.StartTimeMs()),
			End:    time.UnixMilli(h.EndTimeMs()),
			Tag:    h.Tag(),
			Values: counts.View(0, 1),
		})
	}
}
