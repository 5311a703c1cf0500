package explain

import (
	"math"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

func change(ratio, lo, hi float64) result.Change { return result.Change{Ratio: ratio, Lo: lo, Hi: hi} }

// TestProve checks the proofs of causes by a flip of the new variant, and that
// parts of the change add up.
func TestProve(t *testing.T) {
	unknown := change(math.NaN(), math.NaN(), math.NaN())
	for _, test := range []struct {
		name        string
		part, whole result.Change
		ok          bool
		want        Role
	}{
		{"all of it", change(1.08, 1.07, 1.09), change(1.081, 1.07, 1.09), true, Proved},
		{"a third", change(1.02, 1.01, 1.03), change(1.06, 1.05, 1.07), true, InPart},
		{"two thirds", change(1.04, 1.03, 1.05), change(1.06, 1.05, 1.07), true, InPart},
		{"a little, for sure", change(1.004, 1.003, 1.005), change(1.08, 1.07, 1.09), true, NotCause},
		{"nothing", change(1.001, 0.99, 1.01), change(1.08, 1.07, 1.09), true, NotCause},
		{"most, but it may be nothing", change(1.05, 0.99, 1.11), change(1.06, 1.05, 1.07), true, Unclear},
		{"all, but it may be little", change(1.06, 1.01, 1.11), change(1.06, 1.05, 1.07), true, InPart},
		{"the other direction", change(0.95, 0.94, 0.96), change(1.06, 1.05, 1.07), true, NotCause},
		{"three times as much", change(1.2, 1.19, 1.21), change(1.06, 1.05, 1.07), true, Excess},
		{"perhaps twice as much", change(1.12, 1.02, 1.23), change(1.06, 1.05, 1.07), true, Unclear},
		{"faster", change(0.5, 0.48, 0.52), change(0.48, 0.47, 0.49), true, Proved},
		{"a half of a large one", change(1.5, 1.45, 1.55), change(2.2, 2.1, 2.3), true, InPart},
		{"an unknown whole", change(1.1, 1.05, 1.15), unknown, false, ""},
		{"nothing known", unknown, change(1.1, 1.05, 1.15), false, ""},
	} {
		p, ok := proveOnNew(NoProfile, test.part, test.whole)
		if ok != test.ok || p.Verdict != test.want || p.Cause != (test.want == Proved) {
			t.Errorf("%s: %t, %+v", test.name, ok, p)
		}
	}
	near := func(got, want float64) bool { return math.Abs(got-want) < 1e-12 }
	// From 100 to 150 and, without it, 120: 30 of the 50.
	if p, _ := proveOnNew(OldFile, change(150.0/120, 1.2, 1.3), change(1.5, 1.49, 1.51)); !near(p.Explained, 0.3) || !near(p.Of, 0.5) {
		t.Errorf("%+v", p)
	}
	// The old file makes it faster than it was: others make up for it.
	if p, _ := proveOnNew(OldFile, change(1.2, 1.19, 1.21), change(1.06, 1.05, 1.07)); p.Verdict != Proved {
		t.Errorf("%+v", p)
	}
}

// TestProveByRest checks the arithmetic of the remaining change.
func TestProveByRest(t *testing.T) {
	exactly := func(ratio float64) result.Change {
		return change(ratio, ratio*math.Exp(-0.001), ratio*math.Exp(0.001))
	}
	for _, test := range []struct {
		name                     string
		old, new, oldOff, newOff float64
		want                     float64
		role                     Role
	}{
		{"all of it", 100, 132, 90, 90, 0.32, Proved},
		{"two thirds", 100, 130, 90, 100, 0.2, InPart},
		{"nothing", 100, 120, 90, 110, 0, NotCause},
		// The flip makes both slower: the ratio is smaller, and the time is not.
		{"slower on both sides", 100, 110, 400, 410, 0, NotCause},
		// It makes one variant alone slower: it does something else, too.
		{"slower on one side", 100, 110, 400, 120, 2.9, Excess},
	} {
		p, ok := proveByRest(NoCollector, exactly(test.newOff/test.oldOff), exactly(test.old/test.oldOff), exactly(test.new/test.old))
		if !ok || math.Abs(p.Explained-test.want) > 1e-12 || p.Verdict != test.role {
			t.Errorf("%s: %t, %+v", test.name, ok, p)
		}
	}
	// Three intervals of 1%, 3% and 4%: 0.2 ± of the times that they are of.
	p, _ := proveByRest(NoCollector, change(1.1, 1.1*math.Exp(-0.03), 1.1*math.Exp(0.03)), change(1/0.9, 1/0.9*math.Exp(-0.01), 1/0.9*math.Exp(0.01)), change(1.3, 1.3*math.Exp(-0.04), 1.3*math.Exp(0.04)))
	if want := math.Sqrt(math.Pow(1.3*0.04, 2) + math.Pow(1.1*0.9*0.03, 2) + math.Pow(0.1*0.9*0.01, 2)); math.Abs((p.Hi-p.Lo)/2-want) > 1e-12 {
		t.Errorf("half of the interval is %v, want %v", (p.Hi-p.Lo)/2, want)
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
		if got := collectorAccounts(running{Collector: test.old}, running{Collector: test.new}, change(test.ratio, 1, 1)); got != test.want {
			t.Errorf("%+v: %t", test, got)
		}
	}
}

func TestStillCollects(t *testing.T) {
	off, on := &result.RuntimeCounts{GCShare: 0.001}, &result.RuntimeCounts{GCShare: 0.4}
	if stillCollects(off, off) || stillCollects(nil, nil) || !stillCollects(off, on) {
		t.Error("whether the collector runs is wrong")
	}
}

// TestFlipOf checks that only a mechanism that one flip removes alone can be
// proved.
func TestFlipOf(t *testing.T) {
	for k := range order {
		want := map[Kind]Flip{Collector: NoCollector, Profile: NoProfile, Layout: OrderHeld}[k]
		if got := flipOf(Cause{Kind: k}); got != want {
			t.Errorf("%s: %q, want %q", k, got, want)
		}
	}
}

func TestByProof(t *testing.T) {
	causes := []Cause{
		{Kind: Lock, Proof: &Proof{Verdict: NotCause}}, {Kind: Map}, {Kind: Growth, Proof: &Proof{Verdict: InPart, Explained: 0.01, Of: 0.08}},
		{Kind: Copy, Proof: &Proof{Verdict: InPart, Explained: 0.05, Of: 0.08}}, {Kind: Bounds},
		{Kind: Inlining, Proof: &Proof{Verdict: Proved, Cause: true}}, {Kind: Body},
	}
	sortByProof(causes)
	for i, want := range []Kind{Inlining, Copy, Map, Growth, Bounds, Body, Lock} {
		if causes[i].Kind != want {
			t.Errorf("%d: %s, want %s", i, causes[i].Kind, want)
		}
	}
}

func TestCollectorShare(t *testing.T) {
	p := memory("runtime.scanobject runtime.gcDrain runtime.gcBgMarkWorker", 1, 30, "runtime.mallocgc runtime.gcAssistAlloc a.f", 1, 10, "a.f a.g", 1, 60)
	if got, samples := collectorShare(p); got != 0.4 || samples != 3 {
		t.Errorf("share %v of %d samples, want 0.4 of 3", got, samples)
	}
	if got, _ := collectorShare(&profile.Profile{}); got != 0 {
		t.Errorf("share %v of nothing", got)
	}
}

// TestRunningCauses checks that observations of the running program are causes
// only if they are large enough.
func TestRunningCauses(t *testing.T) {
	quiet := running{Bytes: 100, Collector: 0.02, Seconds: 1e-6, SystemSeconds: 1e-8}
	with := func(change func(*running)) running {
		r := quiet
		change(&r)
		return r
	}
	for _, test := range []struct {
		name string
		new  running
		want Kind
	}{
		{"nothing", quiet, ""},
		{"collector", with(func(r *running) { r.Collector = 0.2 }), Collector},
		{"collector of more memory", with(func(r *running) { r.Collector, r.Bytes = 0.2, 1000 }), ""},
		{"collector of as much memory", with(func(r *running) { r.Collector, r.Bytes = 0.2, 105 }), Collector},
		{"collector of less memory", with(func(r *running) { r.Collector, r.Bytes = 0.2, 10 }), Collector},
		{"a little collector", with(func(r *running) { r.Collector = 0.03 }), ""},
		{"few samples of the collector", with(func(r *running) { r.Collector, r.Samples = 0.1, 30 }), ""},
		{"many samples of the collector", with(func(r *running) { r.Collector, r.Samples = 0.1, 3000 }), Collector},
	} {
		got := runningCauses(quiet, test.new)
		switch {
		case test.want == "" && len(got) == 0:
		case len(got) != 1 || got[0].Kind != test.want || !got[0].Costs():
			t.Errorf("%s: %+v", test.name, got)
		}
	}
}
