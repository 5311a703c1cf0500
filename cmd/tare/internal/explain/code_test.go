package explain

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/cmd/tare/internal/objcode"
)

// program makes functions that changed, by name, with what they call.
func program(calls map[string]map[string]int) map[string]*objcode.Function {
	all := make(map[string]*objcode.Function)
	for name, callees := range calls {
		all["example.com/x."+name] = &objcode.Function{Name: "example.com/x." + name, Calls: callees, Changed: true, Instructions: 10, File: "x.go"}
	}
	return all
}

func TestCode(t *testing.T) {
	type calls = map[string]int
	type functions = map[string]map[string]int
	for _, test := range []struct {
		name     string
		old, new functions
		want     []string
	}{
		{
			"as many locks of another kind",
			functions{"Work": calls{"sync.(*Mutex).Lock": 1}}, functions{"Work": calls{"sync.(*RWMutex).RLock": 1}},
			[]string{"x.Work locks or counts atomically by sync.(*RWMutex).RLock, not sync.(*Mutex).Lock"},
		},
		{
			"as many bounds checks of another kind",
			functions{"Work": calls{"runtime.panicIndex": 1}}, functions{"Work": calls{"runtime.panicSliceB": 1}}, nil,
		},
		{
			"a function of the runtime that programs call",
			functions{"Work": calls{}}, functions{"Work": calls{"runtime.SetFinalizer": 1, "runtime.duffzero": 1}},
			[]string{"x.Work clears memory in 1 place, not 0 (runtime.duffzero)", "x.Work calls runtime.SetFinalizer"},
		},
		{
			"more functions came than went",
			functions{"Work": calls{"strings.Cut": 1}}, functions{"Work": calls{"bytes.NewReader": 1, "encoding/binary.Read": 1}},
			[]string{"x.Work calls bytes.NewReader, not strings.Cut", "x.Work calls binary.Read"},
		},
		{
			"a function became generic",
			functions{"Work": calls{"example.com/x.Sum": 1}, "Sum": calls{"runtime.growslice": 1}},
			functions{"Work": calls{"example.com/x.Sum[go.shape.int]": 1}, "Sum[go.shape.int]": calls{"runtime.growslice": 1, "runtime.newobject": 1}},
			[]string{"x.Sum[go.shape.int] allocates in 1 place, not 0 (runtime.newobject)"},
		},
		{
			"code that moved to a function of another name",
			functions{"(*Tree).Insert": calls{"runtime.growslice": 3}},
			functions{"(*Tree).Insert": calls{"example.com/x.(*TreeG).Insert": 1}, "(*TreeG).Insert": calls{"runtime.growslice": 3}},
			[]string{"x.(*Tree).Insert calls x.(*TreeG).Insert"},
		},
		{
			"code that moved, and more of it",
			functions{"(*Tree).Insert": calls{"runtime.growslice": 2}},
			functions{"(*Tree).Insert": calls{"example.com/x.(*TreeG).Insert": 1}, "(*TreeG).Insert": calls{"runtime.growslice": 3}},
			[]string{"x.(*Tree).Insert calls x.(*TreeG).Insert", "x.(*TreeG).Insert grows slices by append in 3 places, not 2 (runtime.growslice)"},
		},
		{
			"a function that is new",
			functions{"Work": calls{}}, functions{"Work": calls{"example.com/x.read": 1}, "read": calls{"runtime.panicIndex": 1, "runtime.newobject": 1}},
			[]string{"x.Work calls x.read", "x.read allocates in 1 place, not 0 (runtime.newobject)"},
		},
		{
			"a panic",
			functions{"Work": calls{}}, functions{"Work": calls{"runtime.gopanic": 1}},
			[]string{"x.Work panics or recovers in 1 place, not 0 (runtime.gopanic)"},
		},
	} {
		var got []string
		for _, c := range Code(program(test.old), program(test.new)) {
			c.Line = 0
			got = append(got, c.String())
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s:\n%s", test.name, diff)
		}
	}
}

// TestWeigh checks that a cause weighs what the profiles say of it, and that the
// heavy ones come first, the specific ones among these.
func TestWeigh(t *testing.T) {
	const x = "example.com/x."
	stack := func(names string) string { return names + " " + x + "BenchmarkWork testing.(*B).runN" }
	old := TimesOf(memory(
		stack(x+"Work"), 1, 900,
		stack("strings.Cut "+x+"Work"), 1, 100,
	))
	new := TimesOf(memory(
		stack(x+"Work"), 1, 100,
		stack("reflect.Value.Field encoding/binary.Read "+x+"Work"), 1, 700,
		stack("bytes.NewReader "+x+"Work"), 1, 50,
		stack("runtime.mallocgc runtime.newobject "+x+"Work"), 1, 50,
		"runtime.scanobject runtime.gcBgMarkWorker", 1, 100,
	))
	causes := []Cause{
		{Kind: OtherCallee, Function: x + "Work", Subject: "bytes.NewReader", Instead: "strings.Cut", New: 1},
		{Kind: Callee, Function: x + "Work", Subject: "encoding/binary.Read", New: 1},
		{Kind: Allocation, Function: x + "Work", Subject: "runtime.newobject", New: 1, Bytes: 40},
		{Kind: Inlining, Function: x + "BenchmarkWork", Subject: x + "Work", New: 1},
		{Kind: Settings, Subject: "flags"},
	}
	// 1 µs before and 10 µs now.
	Weigh(causes, old, new, Running{Seconds: 1e-6}, Running{Seconds: 10e-6, Bytes: 80})
	ranked := Rank(causes, true)
	want := []struct {
		kind    Kind
		subject string
		seconds float64
	}{
		{Settings, "flags", 0},
		{OtherCallee, "encoding/binary.Read", 7e-6 - 0.1e-6},
		{Allocation, "runtime.newobject", 0.5e-6 + 0.5e-6}, // and half of the collector
		{Inlining, x + "Work", 1e-6 - 0.9e-6},
		{Callee, "bytes.NewReader", 0.5e-6},
	}
	for i, w := range want {
		c := ranked[i]
		var seconds float64
		if c.Seconds != nil {
			seconds = *c.Seconds
		}
		if c.Kind != w.kind || c.Subject != w.subject || abs(seconds-w.seconds) > 1e-12 || (c.Seconds == nil) != (w.kind == Settings) {
			t.Errorf("%d: %s of %s takes %g s, want %s of %s with %g", i, c.Kind, c.Subject, seconds, w.kind, w.subject, w.seconds)
		}
	}
	// Without profiles the specific one comes first.
	for i := range causes {
		causes[i].Seconds = nil
	}
	if first := Rank(causes[1:4], true)[0]; first.Kind != Allocation {
		t.Errorf("%s comes first", first.Kind)
	}
}

// TestRankSpare: that a function changed is news where nothing else in it can
// have made the difference.
func TestRankSpare(t *testing.T) {
	body := Cause{Kind: Body, Function: "f", spare: true, heavy: true}
	light := Cause{Kind: Body, Function: "f", spare: true}
	for _, test := range []struct {
		name   string
		causes []Cause
		want   []Kind
	}{
		{"alone", []Cause{body}, []Kind{Body}},
		{"alone, of little time or without profiles", []Cause{light}, nil},
		{"with another cause", []Cause{body, {Kind: Map, Function: "f", New: 1}}, []Kind{Map}},
		{"with one of another function", []Cause{body, {Kind: Map, Function: "g", New: 1}}, []Kind{Map, Body}},
		{"with one of the other direction", []Cause{body, {Kind: Inlining, Function: "f", Old: 1}}, []Kind{Body, Inlining}},
	} {
		var got []Kind
		for _, c := range Rank(test.causes, true) {
			got = append(got, c.Kind)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// TestRankFollows: what follows from a cause comes after it, whatever time it
// takes, unless the cause takes next to none.
func TestRankFollows(t *testing.T) {
	timed := func(seconds float64, c Cause) Cause {
		c.Seconds = &seconds
		return c
	}
	closure := Cause{Kind: Allocation, Function: "f", New: 2, Reason: "n escapes to the heap: captured by a closure: .autotmp_2"}
	inlines := Cause{Kind: Body, Function: "f", known: map[string]bool{"g": true}}
	for _, test := range []struct {
		name   string
		causes []Cause
		want   []Kind
	}{
		{"deferred closure", []Cause{timed(9, closure), timed(2, Cause{Kind: Defer, Function: "f", New: 1})}, []Kind{Defer, Allocation}},
		{"closure elsewhere", []Cause{timed(9, closure), timed(2, Cause{Kind: Defer, Function: "g", New: 1})}, []Kind{Allocation, Defer}},
		{"other variable", []Cause{timed(9, Cause{Kind: Allocation, Function: "f", New: 1}), timed(2, Cause{Kind: Defer, Function: "f", New: 1})}, []Kind{Allocation, Defer}},
		{"inlined cause", []Cause{timed(9, inlines), timed(2, Cause{Kind: Dynamic, Function: "g", New: 1})}, []Kind{Dynamic, Body}},
		{"inlined cause of no weight", []Cause{timed(9, inlines), timed(0.1, Cause{Kind: Dynamic, Function: "g", New: 1})}, []Kind{Body, Dynamic}},
		{"cause in a function not inlined", []Cause{timed(9, inlines), timed(2, Cause{Kind: Dynamic, Function: "h", New: 1})}, []Kind{Body, Dynamic}},
		{"call no longer inlined", []Cause{timed(9, Cause{Kind: Body, Function: "f", Subject: "g"}), timed(2, Cause{Kind: Dynamic, Function: "f", New: 1})}, []Kind{Dynamic, Body}},
	} {
		var got []Kind
		for _, c := range Rank(test.causes, true) {
			got = append(got, c.Kind)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// TestCodeMethods: a function that became a method of the same file is compared
// with it.
func TestCodeMethods(t *testing.T) {
	old := program(map[string]map[string]int{"Parse": {"example.com/x.parse": 1}, "parse": {}})
	new := program(map[string]map[string]int{"Parse": {"example.com/x.(*cache).parse": 1}, "(*cache).parse": {"runtime.newobject": 1}})
	causes := Code(old, new)
	if len(causes) != 1 || causes[0].Kind != Allocation || causes[0].Function != "example.com/x.(*cache).parse" {
		t.Errorf("%+v", causes)
	}
	new["example.com/x.(*cache).parse"].File = "y.go"
	if causes := Code(old, new); !slices.ContainsFunc(causes, func(c Cause) bool { return c.Kind == OtherCallee }) {
		t.Errorf("of another file: %+v", causes)
	}
}
