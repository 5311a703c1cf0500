package bisect

import (
	"math"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
)

func TestExactCounts(t *testing.T) {
	row := func(unit string, old, new float64, exact bool, v result.Verdict) *result.BenchmarkComparison {
		return &result.BenchmarkComparison{Unit: unit, Old: result.Estimate{Center: old}, New: result.Estimate{Center: new}, Exact: exact, Verdict: v}
	}
	for _, test := range []struct {
		name     string
		kind     string
		row      *result.BenchmarkComparison
		exact    bool
		old, new float64
	}{
		{"constant", "count", row("B/op", 48, 64, true, result.Slower), true, 48, 64},
		{"bytes that vary", "count", row("B/op", 48.01, 64.2, false, result.Slower), false, 0, 0},
		{"a count that varies", "count", row("allocs/op", 1.0004, 2.003, false, result.Slower), false, 0, 0},
		{"from none", "count", row("allocs/op", 0, 2, true, result.Slower), true, 0, 2},
		{"a fraction", "count", row("allocs/op", 1.5, 2, false, result.Slower), false, 0, 0},
		{"only the strays differ", "count", row("allocs/op", 1, 1.04, false, result.Slower), false, 0, 0},
		{"instructions", "count", row("instructions/op", 164.07, 479.3, false, result.Slower), true, 164.07, 479.3},
		{"a time", "blocks", row("sec/op", 1, 2, false, result.Slower), false, 0, 0},
	} {
		a := answer{question: question{Kind: test.kind}}
		a.exactly(test.row)
		if a.Exact != test.exact || a.Old != test.old || a.New != test.new {
			t.Errorf("%s: %+v", test.name, a)
		}
		if math.IsNaN(a.Center) || math.IsInf(a.Center, 0) {
			t.Errorf("%s: center %g cannot be written as JSON", test.name, a.Center)
		}
	}
}

// A point without the benchmark has the reason: the compiler's message, or that
// it is not there. The point is the one that lacks it.
func TestAbsent(t *testing.T) {
	points := []result.Point{{Variant: "aaa"}, {Variant: "bbb"}, {Variant: "ccc"}}
	p := &sessionProber{spec: Spec{Unit: "sec/op"}, points: points, shared: &shared{log: &answers{all: []answer{{question: question{B: 2}}}}}}
	sided := func(missing int, findings ...finding.Finding) *result.Recording {
		return &result.Recording{Benchmarks: []result.Benchmark{{Missing: []int{missing}}}, Findings: findings,
			Stops: []result.Stop{{Reason: "one side only"}}}
	}
	built := catalog.NotBuilt.Of("x", finding.Text("variant", "bbb"), finding.Text("why", "compile bbb: package x: x.go:1:1: syntax error"))
	for _, test := range []struct {
		name   string
		rec    *result.Recording
		a, b   int
		broken int
		reason string
	}{
		{"renamed", sided(1), 0, 1, 1, "it does not have the benchmark"},
		{"does not build", sided(1, built), 0, 1, 1, "compile: package x: x.go:1:1: syntax error"},
		{"the first of two", sided(0), 1, 2, 1, "it does not have the benchmark"},
		{"fails", &result.Recording{Stops: []result.Stop{{Reason: "failed", Message: "panic: x", Variant: 0}}}, 1, 2, 1, "failed: panic: x"},
	} {
		got := p.absent(answer{question: question{A: test.a, B: test.b}}, test.rec, result.Comparison{})
		if got.BrokenPoint != test.broken || got.Reason != test.reason {
			t.Errorf("%s: commit %d, %q", test.name, got.BrokenPoint, got.Reason)
		}
	}
}

func TestOtherToolchain(t *testing.T) {
	old, new := result.Variant{Go: "go1.26.8"}, result.Variant{Go: "go1.27.0"}
	if got := otherToolchain([]result.Variant{old, old}); got != nil {
		t.Errorf("one release: %q", got)
	}
	if got := otherToolchain([]result.Variant{old, new}); len(got) != 1 || got[0] != "compiled by go1.27.0, not by go1.26.8" {
		t.Errorf("two releases: %q", got)
	}
}
