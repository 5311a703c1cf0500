package explain

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"
)

const before = `# example.com/x
./x.go:7:6: can inline field with cost 74 as: func(int) int { return x * 31 }
./x.go:19:6: can inline Gen[go.shape.int] with cost 4 as: func(*[2]uintptr, map[go.shape.int]int, go.shape.int) int { return m[k] }
./x.go:21:6: cannot inline Use: unhandled op DEFER
./x.go:24:31: inlining call to field
./x.go:17:17: t does not escape
./x.go:30:8: Found IsInBounds
`

const after = `# example.com/x
./x.go:9:6: cannot inline field: function too complex: cost 83 exceeds budget 80
./x.go:21:6: can inline Gen[go.shape.int] with cost 4 as: func(*[2]uintptr, map[go.shape.int]int, go.shape.int) int { return m[k] }
./x.go:23:6: cannot inline Use: unhandled op DEFER
./x.go:19:17: t escapes to heap in esc:
./x.go:19:17:   flow: ~r0 ← &t:
./x.go:19:17:     from &t (address-of) at ./x.go:19:38
./x.go:19:17:     from return &t (return) at ./x.go:19:31
./x.go:19:17: moved to heap: t
./x.go:32:8: Found IsInBounds
./x.go:33:8: Found IsInBounds
./x.go:40:3: PGO devirtualizing s.Area to (*Square).Area
`

func read(t *testing.T, text string) []decision {
	t.Helper()
	all, err := readDecisions(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestCompareDecisions(t *testing.T) {
	lines := func(shift int) sourceLine {
		return func(file string, line int) (string, string) {
			switch line - shift {
			case 24:
				return "n += field(i)", "Use"
			case 30:
				return "n += list[i]", "Use"
			case 31:
				return "m += list[i+1]", "Use"
			}
			return "", "other"
		}
	}
	got := compareDecisions(read(t, before), read(t, after), lines(0), lines(2))
	want := []decisionChange{
		{decision{Kind: canInline, Function: "field", Reason: "cost 74", File: "./x.go", Line: 7}, false},
		{decision{Kind: cannotInline, Function: "field", Reason: "function too complex: cost 83 exceeds budget 80", File: "./x.go", Line: 9}, true},
		{decision{Kind: escapes, Function: "esc", Subject: "t", Reason: "return: return &t", File: "./x.go", Line: 19}, true},
		{decision{Kind: inlines, Function: "Use", Subject: "field", File: "./x.go", Line: 24}, false},
		{decision{Kind: checksBounds, Function: "Use", File: "./x.go", Line: 33}, true},
		{decision{Kind: devirtualizes, Function: "other", Subject: "s.Area", Reason: "(*Square).Area", File: "./x.go", Line: 40}, true},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(decisionChange{})); diff != "" {
		t.Error(diff)
	}

	causes := []Cause{
		{Kind: Inlining, Function: "example.com/x.Use", Subject: "example.com/x.field", New: 1},
		{Kind: Allocation, Function: "example.com/x.esc", Subject: "runtime.newobject", New: 1},
		{Kind: Bounds, Function: "example.com/x.Use", New: 1},
		{Kind: Lock, Function: "example.com/x.Use", New: 1},
		{Kind: Callee, Function: "example.com/x.Use", Subject: "example.com/x.field", New: 1},
	}
	addReasons(causes, got)
	var reasons []string
	for _, c := range causes {
		reasons = append(reasons, c.Reason)
	}
	if diff := cmp.Diff([]string{
		"function too complex: cost 83 exceeds budget 80",
		"t escapes to the heap: return: return &t",
		"", "", "function too complex: cost 83 exceeds budget 80",
	}, reasons); diff != "" {
		t.Error(diff)
	}
	if causes[4].Kind != Inlining {
		t.Errorf("a call of what was inlined is of kind %s", causes[4].Kind)
	}
	if causes[2].Line != 33 {
		t.Errorf("the bounds check is in line %d, want 33", causes[2].Line)
	}
}

func TestLocal(t *testing.T) {
	for symbol, want := range map[string]string{
		"example.com/x.field":                       "field",
		"example.com/x.(*T).Decode":                 "(*T).Decode",
		"main.run":                                  "run",
		"example.com/x.Sum[go.shape.int]":           "Sum[go.shape.int]",
		"example.com/x.Sum[example.com/y/z.Number]": "Sum[example.com/y/z.Number]",
	} {
		if got := localName(symbol); got != want {
			t.Errorf("Local(%q) = %q, want %q", symbol, got, want)
		}
	}
}

func TestStandard(t *testing.T) {
	for symbol, want := range map[string]bool{
		"runtime.newobject": true, "encoding/json.(*Decoder).Decode": true, "internal/runtime/maps.x": true,
		"type:.eq.a.b": true, "vendor/golang.org/x/net/idna.x": true, "strings.(*Builder).Grow": true,
		"example.com/x.Work": false, "main.main": false, "mymodule/sub.F": false, "github.com/a/b.F": false,
	} {
		if got := isStandard(symbol); got != want {
			t.Errorf("Standard(%q) = %t, want %t", symbol, got, want)
		}
	}
}

// memory makes a memory profile: names of a stack, from the allocator outward,
// objects, bytes.
func memory(samples ...any) *profile.Profile {
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "alloc_objects"}, {Type: "alloc_space"}}}
	for i := 0; i < len(samples); i += 3 {
		s := &profile.Sample{Value: []int64{int64(samples[i+1].(int)), int64(samples[i+2].(int))}}
		for line, name := range strings.Fields(samples[i].(string)) {
			s.Location = append(s.Location, &profile.Location{Line: []profile.Line{{
				Function: &profile.Function{Name: name, Filename: "x.go"}, Line: int64(line + 1),
			}}})
		}
		p.Sample = append(p.Sample, s)
	}
	return p
}

func TestCompareAllocations(t *testing.T) {
	perOp := func(few, many *profile.Profile, more float64) allocations {
		t.Helper()
		a, err := allocationsPerOp(few, many, more)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	// Setup allocates 7000 bytes whatever the number of operations, and the runtime
	// a little by the clock.
	old := perOp(
		memory("runtime.mallocgc example.com/x.setUp", 1, 7000, "runtime.mallocgc strings.(*Builder).grow example.com/x.Join", 100, 1600, "runtime.mallocgc example.com/x.Same", 100, 800),
		memory("runtime.mallocgc example.com/x.setUp", 1, 7000, "runtime.mallocgc strings.(*Builder).grow example.com/x.Join example.com/x.Work", 200, 3200,
			"runtime.mallocgc example.com/x.Same", 200, 1600, "runtime.mallocgc time.NewTimer", 1, 64), 100)
	new := perOp(
		memory("runtime.mallocgc strings.(*Builder).grow example.com/x.Join", 300, 9600, "runtime.mallocgc example.com/x.Same", 100, 800),
		memory("runtime.mallocgc strings.(*Builder).grow example.com/x.Join example.com/x.Work", 600, 19200, "runtime.mallocgc example.com/x.Same", 200, 1600,
			"runtime.mallocgc example.com/x.Work", 100, 1600), 100)
	got := compareAllocations(old, new)
	want := []allocationSite{
		{Function: "example.com/x.Join", File: "x.go", Line: 3, OldBytes: 16, NewBytes: 96, OldObjects: 1, NewObjects: 3},
		{Function: "example.com/x.Work", File: "x.go", Line: 2, NewBytes: 16, NewObjects: 1},
		{Function: "example.com/x.Same", File: "x.go", Line: 2, OldBytes: 8, NewBytes: 8, OldObjects: 1, NewObjects: 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if !got[0].Changed() || !got[1].Changed() || got[2].Changed() {
		t.Errorf("which sites changed is wrong: %+v", got)
	}
	if bytes, objects := new.Total(); bytes != 120 || objects != 5 {
		t.Errorf("%v bytes and %v objects per operation, want 120 and 5", bytes, objects)
	}
	if _, err := allocationsPerOp(&profile.Profile{}, &profile.Profile{}, 1); err == nil {
		t.Error("a profile without allocations is compared")
	}
	causes := []Cause{{Kind: Growth, Function: "example.com/x.Join"}, {Kind: Lock, Function: "example.com/x.Join"}, {Kind: Allocation, Function: "example.com/x.Same"}}
	addSites(causes, got)
	if causes[0].Bytes != 80 || causes[0].Objects != 2 || causes[1].Bytes != 0 || causes[2].Bytes != 0 {
		t.Errorf("bytes of causes: %+v", causes)
	}
}

func TestShares(t *testing.T) {
	p := memory("a.f a.g", 1, 30, "a.g", 1, 60, "a.h a.h", 1, 10)
	got := timesOf(p).Inclusive
	if want := map[string]float64{"a.f": 0.3, "a.g": 0.9, "a.h": 0.1}; !cmp.Equal(want, got) {
		t.Error(cmp.Diff(want, got))
	}
	causes := []Cause{{Kind: Body, Function: "a.f"}, {Kind: Lock, Function: "a.cold"}, {Kind: Callee, Function: "a.g", Subject: "a.cold"}, {Kind: Layout}}
	hot := inHotFunctions(causes, got, nil)
	if len(hot) != 2 || hot[0].Share != 0.3 || hot[1].Kind != Layout {
		t.Errorf("hot: %+v", hot)
	}
}

// TestRank: without profiles the specific comes before the general.
func TestRank(t *testing.T) {
	causes := []Cause{
		{Kind: Body, Function: "f"}, {Kind: Allocation, Function: "f", Old: 2, New: 1}, {Kind: Bounds, Function: "g", New: 1},
		{Kind: Lock, Function: "f", New: 2}, {Kind: Inlining, Function: "f", New: 1}, {Kind: PoolLost, Function: "f", Old: 1},
	}
	kinds := func(slower bool) (all []Kind) {
		for _, c := range rank(causes, slower) {
			all = append(all, c.Kind)
		}
		return all
	}
	if diff := cmp.Diff([]Kind{PoolLost, Lock, Inlining, Bounds}, kinds(true)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Kind{Allocation}, kinds(false)); diff != "" {
		t.Error(diff)
	}
}
