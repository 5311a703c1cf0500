package explain

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/cmd/tare/internal/objcode"
)

// program makes functions that changed, by name, with their callees.
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
			"another loop of the benchmark",
			functions{"Work": calls{"testing.(*B).Loop": 1}}, functions{"Work": calls{"testing.(*B).Elapsed": 2}}, nil,
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
		for _, c := range codeCauses(program(test.old), program(test.new)) {
			c.Line = 0
			got = append(got, c.String())
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s:\n%s", test.name, diff)
		}
	}
}

// TestWeigh: functions come in the order of the profiles' difference, and the
// calls of one function, too.
func TestWeigh(t *testing.T) {
	const x = "example.com/x."
	stack := func(names string) string { return names + " " + x + "BenchmarkWork testing.(*B).runN" }
	old := timesOf(memory(
		stack(x+"Work"), 1, 900,
		stack("strings.Cut "+x+"Work"), 1, 100,
	))
	new := timesOf(memory(
		stack(x+"Work"), 1, 100,
		stack("reflect.Value.Field encoding/binary.Read "+x+"Work"), 1, 700,
		stack("runtime.mallocgc runtime.newobject "+x+"Work"), 1, 50,
		stack("runtime.growslice "+x+"other"), 1, 50,
		"runtime.scanobject runtime.gcBgMarkWorker", 1, 100,
	))
	causes := []Cause{
		{Kind: Growth, Function: x + "other", Subject: "runtime.growslice", New: 1},
		{Kind: Allocation, Function: x + "Work", Subject: "runtime.newobject", New: 1},
		{Kind: OtherCallee, Function: x + "Work", Subject: "encoding/binary.Read", Instead: "strings.Cut", New: 1},
		{Kind: Settings, Subject: "flags"},
	}
	// 1 µs before and 10 µs now.
	weigh(causes, old, new, running{Seconds: 1e-6}, running{Seconds: 10e-6})
	ranked := rank(causes, true)
	want := []struct {
		kind    Kind
		seconds float64
	}{{Settings, 0}, {OtherCallee, 7e-6 - 0.1e-6}, {Allocation, 0.5e-6}, {Growth, 0.5e-6}}
	for i, w := range want {
		c := ranked[i]
		var seconds float64
		if c.Seconds != nil {
			seconds = *c.Seconds
		}
		if c.Kind != w.kind || abs(seconds-w.seconds) > 1e-12 || (c.Seconds == nil) != (w.kind == Settings) {
			t.Errorf("%d: %s takes %g s, want %s with %g", i, c.Kind, seconds, w.kind, w.seconds)
		}
	}
	// A function that takes less time is no cause of a benchmark that takes more.
	causes[0].weight = -1e-6
	if ranked := rank(causes, true); len(ranked) != 3 {
		t.Errorf("%d causes, want 3: %+v", len(ranked), ranked)
	}
}

// TestWeighCallers: the callers of a function that has the cause are no longer
// inlined, since it has grown. Its causes come first, and a call before what
// happens elsewhere in the same function.
func TestWeighCallers(t *testing.T) {
	const x = "example.com/x."
	stack := func(names string) string { return names + " " + x + "Work " + x + "BenchmarkWork testing.(*B).runN" }
	old := timesOf(memory(stack("strconv.AppendInt "+x+"encode"), 1, 900, stack(x+"encode"), 1, 100))
	new := timesOf(memory(stack("reflect.Value.Field encoding/json.Marshal "+x+"encode"), 1, 950, stack(x+"encode"), 1, 30,
		x+"Work "+x+"BenchmarkWork testing.(*B).runN", 1, 20))
	causes := []Cause{
		{Kind: Inlining, Function: x + "BenchmarkWork", Subject: x + "Work", New: 1},
		{Kind: Dynamic, Function: x + "encode", New: 1},
		{Kind: OtherCallee, Function: x + "encode", Subject: "encoding/json.Marshal", Instead: "strconv.AppendInt", New: 1},
	}
	weigh(causes, old, new, running{Seconds: 1e-6}, running{Seconds: 10e-6})
	for i, want := range []Kind{OtherCallee, Dynamic, Inlining} {
		if got := rank(causes, true)[i]; got.Kind != want {
			t.Errorf("%d: %s (%g s), want %s", i, got.Kind, *got.Seconds, want)
		}
	}
}

// TestRankSign: a cause has the sign of the verdict. The cause "function
// changed" is listed if its function has no more specific cause.
func TestRankSign(t *testing.T) {
	body := Cause{Kind: Body, Function: "f"}
	for _, test := range []struct {
		name   string
		causes []Cause
		want   []Kind
	}{
		{"more work", []Cause{body, {Kind: Map, Function: "f", New: 1}}, []Kind{Map}},
		{"more work elsewhere", []Cause{body, {Kind: Map, Function: "g", New: 1}}, []Kind{Map, Body}},
		{"less work", []Cause{{Kind: Body, Function: "f", spare: true}, {Kind: Map, Function: "f", Old: 1}}, nil},
		{"less work in more time", []Cause{{Kind: Body, Function: "f", weight: 1, spare: true, heavy: true}, {Kind: Map, Function: "f", Old: 1}}, []Kind{Body}},
		{"fewer calls, more objects", []Cause{{Kind: Allocation, Function: "f", Old: 2, New: 1, Objects: 3}}, []Kind{Allocation}},
		{"more calls, fewer objects", []Cause{{Kind: Allocation, Function: "f", Old: 1, New: 2, Objects: -3}}, nil},
		{"a pool that is used less", []Cause{{Kind: PoolLost, Function: "f", Old: 1}}, []Kind{PoolLost}},
	} {
		var got []Kind
		for _, c := range rank(test.causes, true) {
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
	causes := codeCauses(old, new)
	if len(causes) != 1 || causes[0].Kind != Allocation || causes[0].Function != "example.com/x.(*cache).parse" {
		t.Errorf("%+v", causes)
	}
	new["example.com/x.(*cache).parse"].File = "y.go"
	if causes := codeCauses(old, new); !slices.ContainsFunc(causes, func(c Cause) bool { return c.Kind == OtherCallee }) {
		t.Errorf("of another file: %+v", causes)
	}
}
