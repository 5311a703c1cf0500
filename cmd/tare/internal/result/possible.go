package result

import (
	"math"
	"reflect"
)

// notNegative are the fields that no measurement makes negative: times and shares
// of a whole. A difference of two readings of a coarse clock can.
var notNegative = map[string]bool{"Seconds": true, "SE": true, "GCShare": true, "User": true, "System": true, "Horizon": true, "Spread": true}

// Possible corrects the numbers of a document that cannot be true, before it is
// shown or stored. An infinite number and a ratio below 0 are unknown, which is NaN
// or nil. A time or a share is not below 0, and a probability is at most 1.
// document is a pointer.
func Possible(document any) { possible(reflect.ValueOf(document), "") }

func possible(v reflect.Value, name string) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		if possible(v.Elem(), name); v.Elem().Kind() == reflect.Float64 && math.IsNaN(v.Elem().Float()) {
			v.SetZero()
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.String {
			return
		}
		for i := range v.Len() {
			possible(v.Index(i), name)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f, ratio := v.Type().Field(i), v.Type() == reflect.TypeFor[Change]()
			if f.IsExported() {
				possible(v.Field(i), f.Name)
				if f := v.Field(i); ratio && f.Kind() == reflect.Float64 && f.Float() < 0 {
					f.SetFloat(math.NaN())
				}
			}
		}
		if name == "Overhead" && math.IsNaN(v.FieldByName("Lo").Float()-v.FieldByName("Hi").Float()) {
			v.SetZero() // nothing is known to be subtracted
		}
	case reflect.Float64:
		x := v.Float()
		if math.IsInf(x, 0) {
			x = math.NaN()
		}
		switch {
		case notNegative[name] && !(x > 0): // unknown too: these have no null
			x = 0
		case name == "P" || name == "PHolm":
			x = min(max(x, 0), 1)
		}
		v.SetFloat(x + 0) // without the sign of zero
	}
}
