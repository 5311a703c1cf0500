package finding

import (
	"math"
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/unit"
)

// Value is one number or text of a finding, and its form in a message. Make it
// with one of the functions below.
type Value struct {
	Name    string
	text    string
	content any // string or float64, nil for a number that is not finite
}

// Text is a name or a quotation.
func Text(name, text string) Value { return Value{name, text, text} }

// Number is a number without a unit, shown with three digits.
func Number(name string, v float64) Value { return number(name, v, threeDigits(v)) }

// Count is a number of things: "1 block", "12 blocks". An empty noun shows only
// the number.
func Count[N int | int64 | uint64](name string, n N, noun string) Value {
	text := strconv.FormatFloat(float64(n), 'f', -1, 64)
	switch {
	case noun == "":
	case n == 1:
		text += " " + noun
	case strings.HasSuffix(noun, "s"):
		text += " " + noun + "es"
	default:
		text += " " + noun + "s"
	}
	return number(name, float64(n), text)
}

// Share is a part of a whole, 0 to 1: "4.3%".
func Share(name string, v float64) Value { return number(name, v, unit.Percent(v)) }

// Change is a relative change: 0.05 is "+5.0%".
func Change(name string, v float64) Value {
	sign := "+"
	if v < 0 {
		sign = "" // Percent has it
	}
	return number(name, v, sign+unit.Percent(v))
}

// ChangeIn is a relative change with its interval: "+5.0% (+4.1 … +5.9%)", in
// the form of the tables.
func ChangeIn(name string, v, lo, hi float64) Value {
	digits := unit.ChangeDigits(lo, hi)
	from := strings.TrimSuffix(unit.SignedPercent(lo, digits), "%")
	return number(name, v, unit.SignedPercent(v, digits)+" ("+from+" … "+unit.SignedPercent(hi, digits)+")")
}

// Quantity is a value in a base unit, scaled for reading: 1.2e-6 "sec" is
// "1.200 µs".
func Quantity(name string, v float64, baseUnit string) Value {
	s := unit.Scaling(baseUnit, v)
	return number(name, v, threeDigits(v*s.Factor)+" "+s.Label(baseUnit))
}

func number(name string, v float64, text string) Value {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return Value{name, text, nil}
	}
	return Value{name, text, v}
}

// String returns the value as a message shows it.
func (v Value) String() string { return v.text }

// threeDigits avoids an exponent if a person would not write one.
func threeDigits(v float64) string {
	if a := math.Abs(v); a >= 1000 && a < 1e9 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// byName returns the values in types that encoding/json can write. This package
// does not import encoding/json, which would be in every program that uses the
// library.
func byName(values []Value) map[string]any {
	if len(values) == 0 {
		return nil
	}
	all := make(map[string]any, len(values))
	for _, v := range values {
		all[v.Name] = v.content
	}
	return all
}
