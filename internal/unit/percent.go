package unit

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Percent renders a share with two significant digits: 0.0067 is "0.67%",
// 0.043 is "4.3%", 0.86 is "86%".
func Percent(share float64) string {
	if share == 0 || math.IsNaN(share) || math.IsInf(share, 0) {
		return strconv.FormatFloat(100*share, 'f', 0, 64) + "%"
	}
	digits := max(0, min(4, 1-int(math.Floor(math.Log10(math.Abs(100*share))))))
	return strconv.FormatFloat(100*share, 'f', digits, 64) + "%"
}

// ChangeDigits is the number of decimals, at most two, of a relative change in
// percent that its interval supports: two digits of the half width, and so many that
// the interval includes 0 only if it does. It is two without an interval.
func ChangeDigits(lo, hi float64) int {
	if math.IsNaN(lo) || math.IsNaN(hi) || math.IsInf(lo, 0) || math.IsInf(hi, 0) || hi <= lo {
		return 2
	}
	half := (hi - lo) / 2 * 100
	digits := max(0, min(2, 1-int(math.Floor(math.Log10(half)))))
	for lo*hi > 0 && digits < 2 && math.Round(100*math.Pow10(digits)*min(math.Abs(lo), math.Abs(hi))) == 0 {
		digits++
	}
	return digits
}

// SignedPercent renders a relative change with its sign and a number of
// decimals, at most 20. A change that rounds to zero has no direction: "+0%".
func SignedPercent(change float64, digits int) string {
	s := strconv.FormatFloat(change*100, 'f', min(digits, 20), 64)
	if !strings.HasPrefix(s, "-") {
		return "+" + s + "%"
	}
	if strings.Trim(s, "-0.") == "" {
		return "+" + s[1:] + "%"
	}
	return s + "%"
}

// ParsePercent reads a share of at least 0, as "2%" or "0.02". A number without
// a percent sign has to be below 1, since 3 is more likely 3% than 300%.
func ParsePercent(s string) (float64, error) {
	number, percent := strings.CutSuffix(strings.TrimSpace(s), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	switch {
	case err != nil || !(v >= 0) || math.IsInf(v, 0):
		return 0, fmt.Errorf("parse share: %q is not a share such as 2%% or 0.02", s)
	case percent:
		return v / 100, nil
	case v >= 1:
		return 0, fmt.Errorf("parse share: %q needs a percent sign", s)
	}
	return v, nil
}
