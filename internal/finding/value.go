package finding

import (
	"math"
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/unit"
)

// Value is one number or text of a finding, with the form in which a message
// shows it. Make it with one of the functions below.
type Value struct {
	Name string
	form form
	unit string
	n    float64
	lo   float64
	hi   float64
	text string
}

type form int

const (
	plainForm form = iota
	textForm
	countForm
	shareForm
	changeForm
	rangeForm
	quantityForm
)

// Text is a name or a quotation.
func Text(name, text string) Value { return Value{Name: name, form: textForm, text: text} }

// Number is a number without a unit, shown with three digits.
func Number(name string, v float64) Value { return Value{Name: name, n: v} }

// Count is a number of things: "1 block", "12 blocks". An empty noun shows only
// the number.
func Count[N int | int64 | uint64](name string, n N, noun string) Value {
	return Value{Name: name, form: countForm, unit: noun, n: float64(n)}
}

// Share is a part of a whole, 0 to 1: "4.3%".
func Share(name string, v float64) Value { return Value{Name: name, form: shareForm, n: v} }

// Change is a relative change: 0.05 is "+5.0%".
func Change(name string, v float64) Value { return Value{Name: name, form: changeForm, n: v} }

// ChangeIn is a relative change with its interval: "+5.0% (+4.1 … +5.9%)", in
// the form of the tables.
func ChangeIn(name string, v, lo, hi float64) Value {
	return Value{Name: name, form: rangeForm, n: v, lo: lo, hi: hi}
}

// Quantity is a value in a base unit, scaled for reading: 1.2e-6 "sec" is
// "1.200 µs".
func Quantity(name string, v float64, baseUnit string) Value {
	return Value{Name: name, form: quantityForm, unit: baseUnit, n: v}
}

// String returns the value as a message shows it.
func (v Value) String() string {
	switch v.form {
	case textForm:
		return v.text
	case countForm:
		s := strconv.FormatFloat(v.n, 'f', -1, 64)
		switch {
		case v.unit == "":
			return s
		case v.n == 1:
			return s + " " + v.unit
		case strings.HasSuffix(v.unit, "s"):
			return s + " " + v.unit + "es"
		}
		return s + " " + v.unit + "s"
	case shareForm:
		return unit.Percent(v.n)
	case changeForm:
		if v.n < 0 {
			return unit.Percent(v.n)
		}
		return "+" + unit.Percent(v.n)
	case rangeForm:
		digits := unit.ChangeDigits(v.lo, v.hi)
		lo := unit.SignedPercent(v.lo, digits)
		return unit.SignedPercent(v.n, digits) + " (" + lo[:len(lo)-1] + " … " + unit.SignedPercent(v.hi, digits) + ")"
	case quantityForm:
		s := unit.Scaling(v.unit, v.n)
		return threeDigits(v.n*s.Factor) + " " + s.Label(v.unit)
	}
	return threeDigits(v.n)
}

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
		switch {
		case v.form == textForm:
			all[v.Name] = v.text
		case math.IsNaN(v.n) || math.IsInf(v.n, 0):
			all[v.Name] = nil
		default:
			all[v.Name] = v.n
		}
	}
	return all
}
