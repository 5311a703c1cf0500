package result

import "slices"

// Share is a quantile of single iterations.
type Share struct {
	Unit string
	Of   float64 // share of iterations that are not above
}

// Shares are the quantiles in the metrics of a slice of the tail, ascending.
// Some are also units: see [UnitsOf].
var Shares = []Share{
	{"min-sec/op", 0}, {"p1-sec/op", 0.01}, {"p5-sec/op", 0.05}, {"p10-sec/op", 0.1}, {"p25-sec/op", 0.25}, {"p50-sec/op", 0.5},
	{"p75-sec/op", 0.75}, {"p90-sec/op", 0.9}, {"p95-sec/op", 0.95}, {"p99-sec/op", 0.99}, {"p99.5-sec/op", 0.995},
	{"p99.9-sec/op", 0.999}, {"p99.95-sec/op", 0.9995}, {"p99.99-sec/op", 0.9999}, {"max-sec/op", 1},
}

// OnlyShare reports whether a metric of a counting round is a share and not a
// unit.
func OnlyShare(metric string) bool {
	return slices.ContainsFunc(Shares, func(s Share) bool { return s.Unit == metric }) && !slices.Contains(UnitsOf["tail"], metric)
}
