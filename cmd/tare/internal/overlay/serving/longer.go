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

// tareProlong works until the interval from start to now has its share more, and
// returns its end.
func tareProlong(start, now int64) int64 {
	end := now + int64(tareLonger*float64(now-start))
	for now < end {
		now = tareNanotime()
	}
	return now
}
