package result

import (
	"encoding/json"
	"reflect"
	"testing"
)

// filledPlan has a value other than zero in every field.
func filledPlan(t *testing.T) (p Plan) {
	t.Helper()
	fill(t, reflect.ValueOf(&p).Elem())
	return p
}

func fill(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.String:
		v.SetString("word")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(3)
	case reflect.Uint64:
		v.SetUint(5)
	case reflect.Float64:
		v.SetFloat(0.25)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(t, v.Index(0))
	case reflect.Map:
		value := reflect.New(v.Type().Elem()).Elem()
		fill(t, value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("key"), value)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i))
		}
	default:
		t.Fatalf("no value for a field of kind %v", v.Kind())
	}
}

// TestOlderPlanIsRead: recordings that have a part of the plan as "request" say
// what those say that have it whole.
func TestOlderPlanIsRead(t *testing.T) {
	want := Study{Schema: RecordingSchema, Plan: filledPlan(t), Variants: []Variant{{Label: "."}}, Family: 2}
	now, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(now, &fields); err != nil {
		t.Fatal(err)
	}
	request := make(map[string]any)
	for _, name := range []string{"packages", "bench", "skip", "procs", "tags", "cpus", "args", "iterations", "block_seconds", "timeout_seconds", "layouts",
		"measure_all", "explain", "alone", "counters", "instructions", "profiles", "part", "output"} {
		request[name] = fields[name]
		delete(fields, name)
	}
	fields["request"] = request
	older, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range [][]byte{now, older} {
		var got Study
		if err := json.Unmarshal(text, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v\ngot %+v", text, err, got)
		}
	}
}
