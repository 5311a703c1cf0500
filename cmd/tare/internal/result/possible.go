package result

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
)

// notNegative reports whether no measurement makes a field negative: a time, which
// has Seconds in its name, or a share of a whole. A difference of two readings of a
// coarse clock can.
func notNegative(name string) bool {
	switch name {
	case "SE", "GCShare", "User", "System", "GCTime", "CPUTime", "Times", "Horizon", "Spread":
		return true
	}
	return strings.Contains(name, "Seconds")
}

// Possible corrects the numbers of a document that cannot be true, before it is
// shown or stored. An infinite number and a ratio below 0 are unknown: NaN in what JSON
// writes as null, otherwise nil, absent or 0, so JSON has every document. A time or a
// share is not below 0, and a probability is at most 1. document is a pointer.
func Possible(document any) { possible(reflect.ValueOf(document), "", false) }

// possible corrects a value. null is set in a struct that writes NaN as null.
func possible(v reflect.Value, name string, null bool) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		if unknown(v.Elem()) {
			v.SetZero()
			return
		}
		possible(v.Elem(), name, null)
	case reflect.Map:
		for _, key := range v.MapKeys() {
			if unknown(v.MapIndex(key)) {
				v.SetMapIndex(key, reflect.Value{})
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.String {
			return
		}
		for i := range v.Len() {
			possible(v.Index(i), name, null)
		}
	case reflect.Struct:
		null, ratio := v.Type().Implements(reflect.TypeFor[json.Marshaler]()), v.Type() == reflect.TypeFor[Change]()
		if unknown(v) {
			v.SetZero()
		}
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				possible(v.Field(i), f.Name, null)
				if f := v.Field(i); ratio && f.Kind() == reflect.Float64 && f.Float() < 0 {
					f.SetFloat(math.NaN())
				}
			}
		}
	case reflect.Float64:
		x := v.Float()
		if math.IsInf(x, 0) {
			x = math.NaN()
		}
		switch {
		case notNegative(name) && !(x > 0): // unknown too: these have no null
			x = 0
		case name == "P" || name == "PHolm":
			if x = min(max(x, 0), 1); math.IsNaN(x) {
				x = 1 // nothing is known
			}
		case !null && math.IsNaN(x):
			x = 0
		}
		v.SetFloat(x + 0) // without the sign of zero
	}
}

// unknown is true for a number that is not finite, and for an interval with one.
func unknown(v reflect.Value) bool {
	if i, ok := v.Interface().(Interval); ok {
		return unknown(reflect.ValueOf(i.Lo)) || unknown(reflect.ValueOf(i.Hi))
	}
	return v.Kind() == reflect.Float64 && (math.IsNaN(v.Float()) || math.IsInf(v.Float(), 0))
}
