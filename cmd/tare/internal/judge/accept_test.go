package judge

import (
	"math"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// TestGateAcceptsUpToTheStatedLimit: an accepted regression passes only if the
// interval excludes more.
func TestGateAcceptsUpToTheStatedLimit(t *testing.T) {
	limits := result.Limits{"sec/op": 0.03, result.AcceptTrailer: 0}
	for _, test := range []struct {
		name   string
		accept float64
		want   Gate
	}{
		{"Work/small", 0.08, Pass}, {"Work/small", 0.05, Open}, {"Work/small", 0.02, Regression}, {"Worker", 0.08, Regression},
	} {
		r := row{BenchmarkComparison: result.BenchmarkComparison{Key: result.Key{Name: test.name}, NewVariant: 1, Unit: "sec/op"}}
		r.iv = Interval{Center: math.Log(1.05), Lo: math.Log(1.04), Hi: math.Log(1.06), JointLo: math.Log(1.04), JointHi: math.Log(1.06), Relative: true}
		plan := result.Plan{Accepted: []result.Accepted{{Benchmark: "Work", Limit: test.accept}}}
		r.decide(plan, limits, true)
		if r.Gate != test.want || (r.accepted != nil) != (test.want == Pass) {
			t.Errorf("%s, up to %v: %s, accepted %v", test.name, test.accept, r.Gate, r.accepted)
		}
		if r.decide(plan, result.Limits{"sec/op": 0.03}, true); r.Gate != Regression {
			t.Errorf("%s without accept: %s", test.name, r.Gate)
		}
	}
}
