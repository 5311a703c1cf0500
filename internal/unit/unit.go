// Package unit describes the units of benchmark results: their base unit, their
// better direction, and the scale in which to show a value.
//
// [Base] turns a unit as a benchmark prints it ("ns/op", "MB/s") into a base
// unit ("sec/op", "B/s"). Results are kept in base units and never rounded.
// [Scaling] picks one prefix for a set of values when they are shown.
package unit

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// Direction is the direction in which a unit improves.
type Direction int

const (
	// LowerIsBetter applies to times, bytes and the costs in costs.
	LowerIsBetter Direction = -1
	// Unknown applies to every other unit, such as "hit%".
	Unknown Direction = 0
	// HigherIsBetter applies to rates: units that end in "/s".
	HigherIsBetter Direction = +1
)

// costs are the counted quantities that are costs in every benchmark.
var costs = []string{"allocs", "instructions", "cycles", "branches", "misses", "faults", "switches", "migrations", "retries", "errors"}

// Better returns the direction of base or printed unit u, as far as its name
// tells.
func Better(u string) Direction {
	if strings.HasSuffix(u, "/s") || strings.HasSuffix(u, "/sec") {
		return HigherIsBetter
	}
	if quantity := Quantity(u); IsTime(quantity) || IsBytes(quantity) || slices.Contains(costs, quantity) {
		return LowerIsBetter
	}
	return Unknown
}

// IsTime and IsBytes report whether a quantity is a time, or bytes.
func IsTime(quantity string) bool {
	return slices.Contains([]string{"sec", "ns", "µs", "us", "ms", "s"}, quantity)
}

func IsBytes(quantity string) bool {
	return slices.Contains([]string{"B", "bytes", "kB", "KB", "MB", "GB", "KiB", "MiB", "GiB"}, quantity)
}

// Base returns the base unit of u and the factor that turns a value in u into a
// value in the base unit: Base("ns/op") is ("sec/op", 1e-9) and Base("MB/s") is
// ("B/s", 1e6). An unknown unit is its own base.
func Base(u string) (base string, factor float64) {
	prefix, head, tail := Split(u)
	switch head {
	case "ns":
		return prefix + "sec" + tail, 1e-9
	case "MB":
		return prefix + "B" + tail, 1e6
	}
	return u, 1
}

// Split separates the parts of a unit: "p99-sec/op" is "p99-", "sec" and "/op".
// In a custom metric the quantity comes last.
func Split(u string) (prefix, quantity, per string) {
	quantity = u
	if i := strings.IndexByte(u, '/'); i >= 0 {
		quantity, per = u[:i], u[i:]
	}
	i := strings.LastIndexByte(quantity, '-') + 1
	return quantity[:i], quantity[i:], per
}

// Quantity is the quantity of a unit: "sec" for "sec/op", for "p99-sec/op" and
// for "p99(sec)".
func Quantity(u string) string {
	_, quantity, _ := Split(strings.NewReplacer("(", "-", ")", "").Replace(u))
	return quantity
}

// Printed is the inverse of [Base]: the unit that testing prints for base unit
// u, and the factor that turns a value in u into a printed one.
func Printed(u string) (name string, factor float64) {
	prefix, quantity, per := Split(u)
	switch {
	case u == "B/s":
		return "MB/s", 1e-6
	case quantity == "sec":
		return prefix + "ns" + per, 1e9
	}
	return u, 1
}

// Scale is one prefix for a set of values: shown = value × Factor, with
// Symbol as the unit of the shown number and Digits after the point.
type Scale struct {
	Factor float64
	Symbol string
	Digits int
}

// Format renders v under s, without the symbol. A number that has more digits
// than anybody reads gets an exponent. A value that rounds to zero has no sign.
func (s Scale) Format(v float64) string {
	if a := math.Abs(v * s.Factor); a >= 1e15 || a > 0 && a < 1e-4 && s.Digits == 6 && s.Symbol != "B" { // so small a part of a byte is none
		return strconv.FormatFloat(v*s.Factor, 'g', 4, 64)
	}
	text := strconv.FormatFloat(v*s.Factor, 'f', s.Digits, 64)
	if strings.Trim(text, "-0.") == "" {
		return strings.TrimPrefix(text, "-")
	}
	return text
}

// Label is the unit of the numbers that s shows for base unit u: "ns/op" for
// "sec/op" in nanoseconds, "KiB/op", "p99-µs/op", "k instructions/op".
func (s Scale) Label(u string) string {
	prefix, head, tail := Split(u)
	switch {
	case head == "sec", head == "B":
		return prefix + s.Symbol + tail
	case s.Symbol == "":
		return u
	}
	return s.Symbol + " " + u
}

type step struct {
	min    float64
	factor float64
	prefix string
}

// Times scale by 1000. Seconds stay seconds above 1.
var (
	seconds = []step{{1, 1, "s"}, {1e-3, 1e3, "ms"}, {1e-6, 1e6, "µs"}, {0, 1e9, "ns"}}
	binary  = []step{{1 << 40, 1.0 / (1 << 40), "Ti"}, {1 << 30, 1.0 / (1 << 30), "Gi"}, {1 << 20, 1.0 / (1 << 20), "Mi"}, {1 << 10, 1.0 / (1 << 10), "Ki"}, {0, 1, ""}}
	decimal = []step{{1e12, 1e-12, "T"}, {1e9, 1e-9, "G"}, {1e6, 1e-6, "M"}, {1e3, 1e-3, "k"}, {1e-2, 1, ""}, {1e-3, 1e3, "m"}, {1e-6, 1e6, "µ"}, {0, 1e9, "n"}}
	// Allocations are shown as go test shows them: 1000, not 1.000 k.
	wholes = []step{{0, 1, ""}}
)

// Scaling picks the scale in which the smallest non-zero magnitude of values
// (in base unit u) still shows four significant digits.
func Scaling(u string, values ...float64) Scale {
	least := math.Inf(1)
	for _, v := range values {
		if a := math.Abs(v); a > 0 && a < least {
			least = a
		}
	}
	if math.IsInf(least, 1) {
		least = 0
	}
	steps := decimal
	suffix := ""
	switch quantity := Quantity(u); {
	case quantity == "sec":
		steps = seconds
	case u == "B/op":
		steps, suffix = wholes, "B"
	case quantity == "B":
		steps, suffix = binary, "B"
	case quantity == "allocs":
		steps = wholes
	}
	pick := steps[slices.IndexFunc(steps, func(s step) bool { return least >= s.min })]
	if least == 0 && Quantity(u) != "sec" {
		pick = step{0, 1, ""}
	}
	shown := least * pick.factor
	digits := 0
	if shown > 0 {
		digits = max(0, min(3, 3-int(math.Floor(math.Log10(shown)))))
		if shown < 1 {
			digits = min(6, 3-int(math.Floor(math.Log10(shown))))
		}
	}
	return Scale{Factor: pick.factor, Symbol: pick.prefix + suffix, Digits: digits}
}
