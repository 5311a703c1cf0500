package result

import (
	"strings"
)

// Gate is the outcome of "no regression beyond the limit".
type Gate string

const (
	// GatePass: the interval excludes a regression beyond the limit.
	GatePass Gate = "pass"
	// GateRegression: worse by more than the limit, after the adjustment over the
	// family.
	GateRegression Gate = "regression"
	// GateOpen: no regression is proven, and not all are excluded.
	GateOpen Gate = "undecided"
)

// Limits are the limits of a gate: the largest growth of a unit, as a share
// (0.01 is 1%). A study without a gate has none. The limit of sec/op is also the
// limit of the first unit of a benchmark that has no time.
type Limits map[string]float64

// AcceptTrailer is a key of limits that is not a unit: the gate accepts
// regressions that a trailer in the commits of the new variant accepts.
const AcceptTrailer = "accept"

// MissingPass is another such key: the gate passes over benchmarks without a
// result of the new variant, and over results that cannot be read.
const MissingPass = "missing"

// Accepted is a regression that the author of a commit accepts.
type Accepted struct {
	// Benchmark is its name, which includes its sub-benchmarks.
	Benchmark string `json:"benchmark"`
	// Limit is the largest growth of a unit, as a share.
	Limit float64 `json:"limit"`
	// Because is the reason in the author's words.
	Because string `json:"because"`
}

// Accepts returns the accepted regression of a benchmark of the second variant.
// It is nil if there is none, or if the gate accepts nothing.
func (l Limits) Accepts(p Plan, name string, variant int) *Accepted {
	if _, ok := l[AcceptTrailer]; !ok || variant != 1 {
		return nil
	}
	for i, a := range p.Accepted {
		if name == a.Benchmark || strings.HasPrefix(name, a.Benchmark+"/") {
			return &p.Accepted[i]
		}
	}
	return nil
}

// DefaultLimit is δ, except for B/op and allocs/op, which must not be exactly
// more or proven to be more. For these, a limit of 0 means the same.
const DefaultLimit = -1

// DefaultLimits returns the limits of a gate without typed limits.
func DefaultLimits() Limits {
	return Limits{"sec/op": DefaultLimit, "B/op": DefaultLimit, "allocs/op": DefaultLimit}
}

// Of returns the limit of a unit. ok is false if the gate does not read the
// unit.
func (l Limits) Of(unit string, delta float64) (limit float64, ok bool) {
	if limit, ok = l[unit]; !ok || limit == DefaultLimit {
		limit = delta
	}
	return limit, ok
}

// For returns the limit of a row with this unit. If the gate does not read the unit,
// this is the limit of sec/op. none is true if a count must not rise at all.
func (l Limits) For(unit string, delta float64) (limit float64, none bool) {
	limit, typed := l.Of(unit, delta)
	if !typed {
		limit, _ = l.Of("sec/op", delta)
	}
	return limit, IsCount(unit) && (!typed || l[unit] == DefaultLimit || limit == 0)
}
