package result

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

// Limits are what a gate reads: by how much a unit may become worse, as a share
// (0.01 is 1%). A study without a gate has none. The limit of sec/op holds for
// the first unit of a benchmark that has no time.
type Limits map[string]float64

// DefaultLimit is δ, except for B/op and allocs/op: these may vary, but must not
// be exactly more, nor proven to be more.
const DefaultLimit = -1

// DefaultLimits are those of a gate for which none is typed.
func DefaultLimits() Limits {
	return Limits{"sec/op": DefaultLimit, "B/op": DefaultLimit, "allocs/op": DefaultLimit}
}

// Of is the limit of a unit, as it is used; ok is false if the gate does not
// read the unit.
func (l Limits) Of(unit string, delta float64) (limit float64, ok bool) {
	if limit, ok = l[unit]; !ok || limit == DefaultLimit {
		limit = delta
	}
	return limit, ok
}
