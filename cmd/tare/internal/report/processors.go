package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// mostApart is the maximum of benchmarks that are listed because they ran on
// other CPUs than most. Further ones are counted.
const mostApart = 3

// processors are the CPUs that the rows of time were measured on, in words:
// "0", or "0; all for Parallel-2". It is empty if none are recorded.
func (d Document) processors() string {
	on := make(map[string][]string)
	known := false
	add := func(key result.Key, unit, cpus string) {
		name := words.RowName(key, "")
		if unit == "sec/op" && !slices.Contains(on[cpus], name) {
			on[cpus] = append(on[cpus], name)
			known = known || cpus != ""
		}
	}
	if d.Comparison != nil {
		for _, b := range d.Comparison.Benchmarks {
			if b.Blocks > 0 {
				add(b.Key, b.Unit, b.CPUs)
			}
		}
	} else if d.Run != nil {
		for _, b := range d.Run.Benchmarks {
			if b.Blocks > 0 {
				add(b.Key, b.Unit, b.CPUs)
			}
		}
	}
	if !known {
		return ""
	}
	sets := slices.Sorted(maps.Keys(on))
	slices.SortStableFunc(sets, func(a, b string) int { return len(on[b]) - len(on[a]) })
	parts := make([]string, len(sets))
	for i, set := range sets {
		if parts[i] = set; set == "" {
			parts[i] = "all"
		}
		switch names := on[set]; {
		case i == 0:
		case len(names) <= mostApart:
			parts[i] += " for " + strings.Join(names, ", ")
		default:
			parts[i] += fmt.Sprintf(" for %s", words.Plural(len(names), "benchmark"))
		}
	}
	return strings.Join(parts, "; ")
}
