package result

import (
	"cmp"
	"slices"
)

// Allocations are the rounds of a block that know allocations: the differences of
// its counting rounds, or all rounds if these have one length.
func Allocations(timed, counting []Round) []Round {
	if slopes := Differences(counting); len(slopes) > 0 {
		return slopes
	}
	return slices.Concat(timed, counting)
}

// Differences returns what each counting round has beyond the next shorter one:
// iterations, allocations and bytes. The first iterations of a call can
// allocate more or less than the rest (Go 1.26 gives the first append of a frame
// a buffer on the stack), and drop out.
func Differences(rounds []Round) []Round {
	length := func(r Round) (n int64) {
		for _, s := range r.Slices {
			n = max(n, s.N)
		}
		return n
	}
	sorted := slices.SortedStableFunc(slices.Values(rounds), func(a, b Round) int { return cmp.Compare(length(a), length(b)) })
	var out []Round
	for i := 1; i < len(sorted); i++ {
		short, long := sorted[i-1], sorted[i]
		if length(short) == 0 || length(long) == length(short) || len(long.Slices) != len(short.Slices) {
			continue
		}
		r := Round{Slices: make([]Slice, len(long.Slices))}
		for v, l := range long.Slices {
			s := short.Slices[v]
			if !l.Counted || !s.Counted || s.N == 0 || l.N <= s.N {
				continue
			}
			r.Slices[v] = Slice{
				N: l.N - s.N, Counted: true,
				Mallocs: max(l.Mallocs, s.Mallocs) - s.Mallocs, Bytes: max(l.Bytes, s.Bytes) - s.Bytes,
			}
		}
		out = append(out, r)
	}
	return out
}
