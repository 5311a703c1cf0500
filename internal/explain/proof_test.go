package explain

import (
	"math"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/tarebench/tare/internal/result"
)

func change(ratio, lo, hi float64) result.Change { return result.Change{Ratio: ratio, Lo: lo, Hi: hi} }

// TestProve checks what a flip proves: at least half of the change, with an
// interval that excludes none.
func TestProve(t *testing.T) {
	unknown := change(math.NaN(), math.NaN(), math.NaN())
	for _, test := range []struct {
		name        string
		part, whole result.Change
		ok, cause   bool
	}{
		{"all of it", change(1.08, 1.07, 1.09), change(1.081, 1.07, 1.09), true, true},
		{"a third", change(1.02, 1.01, 1.03), change(1.06, 1.05, 1.07), true, false},
		{"most, but it may be nothing", change(1.05, 0.99, 1.11), change(1.06, 1.05, 1.07), true, false},
		{"the other direction", change(0.95, 0.94, 0.96), change(1.06, 1.05, 1.07), true, false},
		{"faster", change(0.5, 0.4, 0.6), change(0.45, 0.4, 0.5), true, true},
		{"half of a large one, on a logarithmic scale", change(1.5, 1.4, 1.6), change(2.2, 2.1, 2.3), true, true},
		{"an unknown whole", change(1.1, 1.05, 1.15), unknown, true, true},
		{"nothing known", unknown, change(1.1, 1.05, 1.15), false, false},
	} {
		if p, ok := Prove(OldFile, test.part, test.whole); ok != test.ok || p.Cause != test.cause {
			t.Errorf("%s: %t, %+v", test.name, ok, p)
		}
	}
}

// TestProveByRest checks the arithmetic of what is left: 1.32 with the
// collector and 1.10 without leave 1.20 to it.
func TestProveByRest(t *testing.T) {
	p, ok := ProveByRest(NoCollector, change(1.10, 1.10*math.Exp(-0.03), 1.10*math.Exp(0.03)), change(1.32, 1.32*math.Exp(-0.04), 1.32*math.Exp(0.04)))
	near := func(got, want float64) bool { return math.Abs(got-want) < 1e-12 }
	if !ok || !near(p.Explained, 0.20) || !near(p.Hi, 1.2*math.Exp(0.05)-1) || !near(p.Lo, 1.2*math.Exp(-0.05)-1) || !p.Cause {
		t.Errorf("%t, %+v", ok, p)
	}
	if p, _ := ProveByRest(NoCollector, change(1.21, 1.19, 1.23), change(1.21, 1.19, 1.23)); p.Cause {
		t.Errorf("nothing goes with it, and it is a cause: %+v", p)
	}
}

// TestCollectorAccounts: 5% and 8% of the time are no cause of a fifth more.
func TestCollectorAccounts(t *testing.T) {
	for _, test := range []struct {
		old, new, ratio float64
		want            bool
	}{
		{0.05, 0.08, 1.2, false}, {0.05, 0.08, 1.05, true}, {0.26, 0.84, 4, true}, {0.84, 0.26, 0.25, true}, {0.08, 0.05, 0.8, false},
	} {
		if got := CollectorAccounts(Running{Collector: test.old}, Running{Collector: test.new}, change(test.ratio, 1, 1)); got != test.want {
			t.Errorf("%+v: %t", test, got)
		}
	}
}

// TestFlipOf checks that only what one flip takes away alone can be proved.
func TestFlipOf(t *testing.T) {
	for k := range order {
		want := map[Kind]Flip{Inlining: NotInlined, Collector: NoCollector, Bounds: NoBounds, Profile: NoProfile, Layout: OrderHeld}[k]
		if got := FlipOf(Cause{Kind: k}); got != want {
			t.Errorf("%s: %q, want %q", k, got, want)
		}
	}
}

func TestByProof(t *testing.T) {
	causes := []Cause{{Kind: Lock, Proof: &Proof{}}, {Kind: Map}, {Kind: Inlining, Proof: &Proof{Cause: true}}, {Kind: Body}}
	ByProof(causes)
	for i, want := range []Kind{Inlining, Map, Body, Lock} {
		if causes[i].Kind != want {
			t.Errorf("%d: %s, want %s", i, causes[i].Kind, want)
		}
	}
}

func TestOverOrders(t *testing.T) {
	o := OverOrders([]float64{math.Log(1.1), math.Log(0.9), math.Log(1.0)})
	if o == nil || o.N != 3 || math.Abs(o.Lo+0.1) > 1e-12 || math.Abs(o.Hi-0.1) > 1e-12 || !(o.SD > 0.09 && o.SD < 0.11) {
		t.Errorf("%+v", o)
	}
	if OverOrders([]float64{1}) != nil {
		t.Error("one order has a spread")
	}
}

func TestCollectorShare(t *testing.T) {
	p := memory("runtime.scanobject runtime.gcDrain runtime.gcBgMarkWorker", 1, 30, "runtime.mallocgc runtime.gcAssistAlloc a.f", 1, 10, "a.f a.g", 1, 60)
	if got, samples := CollectorShare(p); got != 0.4 || samples != 3 {
		t.Errorf("share %v of %d samples, want 0.4 of 3", got, samples)
	}
	if got, _ := CollectorShare(&profile.Profile{}); got != 0 {
		t.Errorf("share %v of nothing", got)
	}
}

func TestWaits(t *testing.T) {
	p := memory("sync.(*Mutex).Lock example.com/x.Get", 1, 2_000_000_000, "runtime.chanrecv1 testing.(*B).run main.main", 1, 9_000_000_000, "runtime.chanrecv1 testing.(*B).doBench", 1, 9_000_000_000, "runtime.chansend1 example.com/x.Put", 1, 1_000_000_000,
		"sync.(*WaitGroup).Wait testing.(*B).RunParallel example.com/x.BenchmarkGet", 1, 5_000_000_000)
	p.SampleType = []*profile.ValueType{{Type: "contentions"}, {Type: "delay"}}
	if seconds, waiter := Waits(p); seconds != 3 || waiter != "example.com/x.Get" {
		t.Errorf("%v s, most in %s", seconds, waiter)
	}
}

// TestRunningCauses checks that what is seen while running is named where no
// cause in the code accounts for it, and only where it is large enough.
func TestRunningCauses(t *testing.T) {
	quiet := Running{Bytes: 100, Collector: 0.02, Seconds: 1e-6, SystemSeconds: 1e-8}
	with := func(change func(*Running)) Running {
		r := quiet
		change(&r)
		return r
	}
	for _, test := range []struct {
		name   string
		new    Running
		inCode []Cause
		want   Kind
	}{
		{"nothing", quiet, nil, ""},
		{"collector", with(func(r *Running) { r.Collector = 0.2 }), nil, Collector},
		{"collector of more memory", with(func(r *Running) { r.Collector, r.Bytes = 0.2, 1000 }), nil, ""},
		{"collector of as much memory", with(func(r *Running) { r.Collector, r.Bytes = 0.2, 105 }), nil, Collector},
		{"collector of less memory", with(func(r *Running) { r.Collector, r.Bytes = 0.2, 10 }), nil, Collector},
		{"a little collector", with(func(r *Running) { r.Collector = 0.03 }), nil, ""},
		{"waits", with(func(r *Running) { r.Waits = 1e-6 }), nil, Waiting},
		{"waits for a lock in the code", with(func(r *Running) { r.Waits = 1e-6 }), []Cause{{Kind: Lock}}, ""},
		{"few samples of the collector", with(func(r *Running) { r.Collector, r.Samples = 0.1, 30 }), nil, ""},
		{"many samples of the collector", with(func(r *Running) { r.Collector, r.Samples = 0.1, 3000 }), nil, Collector},
		{"kernel", with(func(r *Running) { r.SystemSeconds, r.SystemCalls = 5e-7, 1 }), nil, SystemTime},
		{"kernel by the clock", with(func(r *Running) { r.SystemSeconds = 5e-7 }), nil, ""},
		{"faults", with(func(r *Running) { r.PageFaults = 1 }), nil, PageFaults},
		{"few faults", with(func(r *Running) { r.PageFaults = 0.02 }), nil, ""},
	} {
		got := RunningCauses(quiet, test.new, test.inCode)
		switch {
		case test.want == "" && len(got) == 0:
		case len(got) != 1 || got[0].Kind != test.want || !got[0].Costs():
			t.Errorf("%s: %+v", test.name, got)
		}
	}
}
