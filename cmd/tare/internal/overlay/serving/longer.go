//go:build unix

// Operations that take longer by a known share, for tare selftest.

package testing

import (
	"os"
	"strconv"
)

// tareLonger is the share that TARE_LONGER adds to every timed interval, as the
// same share of more iterations would.
var tareLonger = tareReadLonger()

func tareReadLonger() float64 {
	share, err := strconv.ParseFloat(os.Getenv("TARE_LONGER"), 64)
	if err != nil || share < 0 {
		return 0
	}
	return share
}

// tareProlong works until the timed interval up to now has its share more, and
// returns its end. Delays are not work.
func (t *tareState) tareProlong(now int64) int64 {
	delayed := t.delay.since()
	end := now + int64(tareLonger*float64(now-t.start-delayed))
	for now < end {
		if now = tareNanotime(); now >= end {
			more := t.delay.since() - delayed
			end, delayed = end+more, delayed+more
		}
	}
	return now
}
