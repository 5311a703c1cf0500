package result

import "slices"

// Source is where the blocks have the values of a unit.
type Source int

const (
	// Slices are the timed slices: a field or a metric of each.
	Slices Source = iota
	// Calls are the calls of different lengths, whose differences are counted.
	Calls
	// After are metrics of the rounds after the timed ones of a block.
	After
	// Counts are lines of their own, outside of the blocks.
	Counts
)

// Unit is a unit that tare measures. Package unit has its direction and scale by
// its name.
type Unit struct {
	Name string
	// Group is the value of Plan.Units that adds the unit to time and allocations,
	// or "exec" for a program.
	Group  string
	Source Source
	// Decides is true if measuring continues until the unit is settled.
	Decides bool
	// AnyOrder is true if the function order does not matter.
	AnyOrder bool
	// Help says what the unit is, in documents and reports.
	Help string
}

// Units are the units of tare. A benchmark may report others: metrics of its
// slices. Package study fills the metrics of programs (program.go) and those
// after the timed rounds (extra.go), most of which overlay/serving reads.
var Units = []Unit{
	{Name: "sec/op", Decides: true, Help: "time of an operation"},
	{Name: "B/op", Source: Calls, AnyOrder: true, Help: "bytes that an operation allocates"},
	{Name: "allocs/op", Source: Calls, AnyOrder: true, Help: "allocations of an operation"},
	{Name: "cpu-sec/op", Group: "exec", Decides: true, Help: "user and system time, of children too"},
	{Name: "peak-RSS-B", Group: "exec", Decides: true, Help: "most memory (Linux)"},
	{Name: "faults/op", Group: "exec", Help: "page faults (Unix)"},
	{Name: "init-sec/op", Group: "exec", Help: "init of all Go packages. `init-changed` names the packages that differ"},
	{Name: "binary-B", Group: "exec", Help: "size, as `go build` makes it"},
	{Name: "p50-sec/op", Group: "tail", Source: After, Decides: true, Help: "median of single iterations"},
	{Name: "p90-sec/op", Group: "tail", Source: After, Help: "nine of ten iterations take at most this"},
	{Name: "p99-sec/op", Group: "tail", Source: After, Decides: true, Help: "99 of 100 iterations take at most this"},
	{Name: "p99.9-sec/op", Group: "tail", Source: After, Help: "999 of 1,000 iterations take at most this"},
	{Name: "max-sec/op", Group: "tail", Source: After, Help: "the longest iteration of a slice"},
	{Name: "live-B", Group: "memory", Source: After, Decides: true, AnyOrder: true, Help: "live heap, pools of package sync emptied"},
	{Name: "goal-B", Group: "memory", Source: After, Decides: true, AnyOrder: true, Help: "heap size at which the next collection begins"},
	{Name: "peak-RSS-B", Group: "memory", Source: After, AnyOrder: true, Help: "most memory of the process, from its start on (Linux)"},
	{Name: "stack-B", Group: "memory", Source: After, AnyOrder: true, Help: "stacks"},
	{Name: "gc-sec/op", Group: "memory", Source: After, AnyOrder: true, Help: "CPU time of the collector in the timed rounds, for an operation"},
	{Name: "instructions/op", Group: "instructions", Source: Counts, Help: "instructions of an operation under valgrind"},
}

// IsCount reports whether a unit counts allocations: B/op or allocs/op.
func IsCount(name string) bool {
	return slices.ContainsFunc(Units, func(u Unit) bool { return u.Name == name && u.Source == Calls })
}

// AllUnits are the values of the flag -units: groups, and what all studies measure.
var AllUnits = []string{"time", "counts", "memory", "tail", "instructions"}

// UnitsOf are the units of a group.
func UnitsOf(group string) []Unit {
	return slices.DeleteFunc(slices.Clone(Units), func(u Unit) bool { return u.Group != group })
}

// HelpOn says what a unit is, or nothing of a metric of a benchmark.
func HelpOn(unit string) string {
	if i := slices.IndexFunc(Units, func(u Unit) bool { return u.Name == unit }); i >= 0 {
		return Units[i].Help
	}
	return ""
}

// Unit is the unit of this name that the plan measures. The zero Unit is a
// metric of the benchmark.
func (p Plan) Unit(name string) Unit {
	i := slices.IndexFunc(Units, func(u Unit) bool { return u.Name == name && (u.Group == "" || p.Measures(u.Group)) })
	if i < 0 {
		return Unit{}
	}
	return Units[i]
}

// Share is a quantile of single iterations.
type Share struct {
	Unit string
	Of   float64 // share of iterations that are not above
}

// Shares are the quantiles in the metrics of a slice of the tail, ascending.
// Some are also units.
var Shares = []Share{
	{"min-sec/op", 0}, {"p1-sec/op", 0.01}, {"p5-sec/op", 0.05}, {"p10-sec/op", 0.1}, {"p25-sec/op", 0.25}, {"p50-sec/op", 0.5},
	{"p75-sec/op", 0.75}, {"p90-sec/op", 0.9}, {"p95-sec/op", 0.95}, {"p99-sec/op", 0.99}, {"p99.5-sec/op", 0.995},
	{"p99.9-sec/op", 0.999}, {"p99.95-sec/op", 0.9995}, {"p99.99-sec/op", 0.9999}, {"max-sec/op", 1},
}

// OnlyShare reports whether a metric after the timed rounds is a share and not a
// unit.
func OnlyShare(metric string) bool {
	return slices.ContainsFunc(Shares, func(s Share) bool { return s.Unit == metric }) &&
		!slices.ContainsFunc(UnitsOf("tail"), func(u Unit) bool { return u.Name == metric })
}
