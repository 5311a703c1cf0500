package history

import (
	"cmp"
	"maps"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

type need struct {
	// open counts its candidates, changes its confirmed changes.
	open, changes int
	// last is the newest commit of the line in a comparison. It is -1 without
	// one, which comes before old comparisons.
	last int
}

func (a need) compare(b need) int {
	return cmp.Or(b.open-a.open, b.changes-a.changes, a.last-b.last)
}

// rank orders benchmarks by need, the lowest rank first. An open candidate
// comes first, then many changes, then the oldest last comparison. It uses the
// history before the measurement and none of its results, so no error rate
// depends on it. The rank of a benchmark without a history is 0.
func rank(g *Graph, open func(Key) []Candidate) map[result.Key]int {
	needs := make(map[benchmark]need)
	all := []need{{last: -1}} // a benchmark without a history
	for _, key := range g.Keys() {
		name := benchmark{key.Pkg, key.Name}
		n, known := needs[name]
		if !known {
			n.last = -1
		}
		n.open += len(open(key))
		changes, last := g.Past(key)
		n.changes, n.last = max(n.changes, changes), max(n.last, last)
		needs[name] = n
	}
	for name, n := range needs { // a package has the rank of its first benchmark
		pkg := name
		pkg.name = ""
		if best, known := needs[pkg]; !known || n.compare(best) < 0 {
			needs[pkg] = n
		}
	}
	all = slices.AppendSeq(all, maps.Values(needs))
	slices.SortFunc(all, need.compare)
	all = slices.Compact(all)
	position := func(n need) int { i, _ := slices.BinarySearchFunc(all, n, need.compare); return i }
	ranks := make(map[result.Key]int)
	for name, n := range needs {
		ranks[result.Key{Pkg: name.pkg, Name: name.name}] = position(n) - position(need{last: -1})
	}
	return ranks
}
