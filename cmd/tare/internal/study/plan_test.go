package study

import (
	"context"
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/worker"
)

// fill gives every field a value other than zero.
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

// configured notes with what workers are started.
type configured struct {
	*fake
	got []worker.Config
}

func (c *configured) start(ctx context.Context, configs []worker.Config, o worker.Options) (worker.Group, error) {
	c.got = append(c.got, configs...)
	return c.fake.start(ctx, configs, o)
}

// TestPlanArrives: every field of the plan is in the recording, and reaches the
// workers and other machines: who adds one has nothing else to write.
func TestPlanArrives(t *testing.T) {
	t.Parallel()
	var plan result.Plan
	fill(t, reflect.ValueOf(&plan).Elem())
	arrived := func(where string, got result.Plan) {
		t.Helper()
		if !reflect.DeepEqual(got, plan) {
			t.Errorf("%s: got  %+v\nwant %+v", where, got, plan)
		}
	}
	f := &configured{fake: &fake{names: []string{"X"}, perOp: []time.Duration{50, 50}}}
	var lines []result.Line
	o := Options{Study: compareStudy(2), Write: func(l result.Line) error { lines = append(lines, l); return nil }}
	o.Plan = plan
	r := &runner{o: o, processes: f, size: sizingOf(o), lanes: newLinkLimiter(2)}
	if _, err := r.announceAll(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(lines[len(lines)-1])
	if err != nil {
		t.Fatal(err)
	}
	var line result.Line
	if err := json.Unmarshal(text, &line); err != nil {
		t.Fatal(err)
	}
	arrived("recording", line.Study.Plan)

	b := &bench{Benchmark: result.Benchmark{Key: result.Key{Pkg: "p", Name: "X"}}, links: new(links)}
	bins := map[int]Binary{0: {Path: "0", Overlaid: true}, 1: {Path: "1", Overlaid: true}}
	l, err := r.start(t.Context(), b, bins, []int{0, 1}, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	l.group.Close()
	arrived("worker", f.got[0].Plan)

	text, err = json.Marshal(r.job(b, 0))
	if err != nil {
		t.Fatal(err)
	}
	var job Job
	if err := json.Unmarshal(text, &job); err != nil {
		t.Fatal(err)
	}
	there := &configured{fake: f.fake}
	here := &BlockServer{processes: there, benches: make(map[result.Key]*bench)}
	if err := here.begin(job); err != nil {
		t.Fatal(err)
	}
	if l, err = here.r.start(t.Context(), b, bins, []int{0, 1}, nil, false); err != nil {
		t.Fatal(err)
	}
	l.group.Close()
	arrived("worker of another machine", there.got[0].Plan)
}
