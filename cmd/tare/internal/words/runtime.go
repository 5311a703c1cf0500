package words

import (
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
	"github.com/tarebench/tare/internal/unit"
)

// Runtime describes the work of the runtime. It is "" if nothing is known.
func Runtime(c *result.RuntimeCounts) string {
	if c == nil {
		return ""
	}
	var parts []string
	if c.User+c.System > 0 {
		parts = append(parts, "CPU time per op: user "+duration(c.User)+", system "+duration(c.System))
	}
	if c.GCs > 0 {
		gc := Plural(int(c.GCs), "collection")
		if c.GCShare > 0 {
			gc += " with " + unit.Percent(c.GCShare) + " of the CPU time"
		}
		parts = append(parts, gc)
	}
	return strings.Join(parts, "; ")
}

// Runtimes is Runtime for two variants.
func Runtimes(old, new *result.RuntimeCounts) string {
	a, b := Runtime(old), Runtime(new)
	switch {
	case a == "" && b == "":
		return ""
	case a == "":
		return "new: " + b
	case b == "":
		return "old: " + a
	}
	return "old: " + a + " · new: " + b
}

// collectionsMatter is the least share of the CPU time of garbage collection
// that a row reports.
const collectionsMatter = 0.1

// Collections describes the share of garbage collection in the CPU time of one
// or two variants: "of it garbage collection 31%". It is "" for a small share.
func Collections(sides ...*result.RuntimeCounts) string {
	var shares []string
	matter := false
	for _, c := range sides {
		if c == nil {
			return ""
		}
		matter = matter || c.GCShare >= collectionsMatter
		shares = append(shares, unit.Percent(c.GCShare))
	}
	if !matter {
		return ""
	}
	return "of it garbage collection " + strings.Join(slices.Compact(shares), " and ")
}

// duration formats a time in seconds, with three digits.
func duration(seconds float64) string {
	if seconds == 0 {
		return "0"
	}
	return finding.Quantity("", seconds, "sec").String()
}
