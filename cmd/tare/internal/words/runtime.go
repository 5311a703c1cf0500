package words

import (
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/unit"
)

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
