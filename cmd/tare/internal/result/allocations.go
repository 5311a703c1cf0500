package result

import "slices"

// Allocations are the rounds of a block with allocation counts: the differences
// of its counting rounds, or all rounds if these have one length.
func Allocations(timed, counting []Round) []Round {
	if slopes := Differences(counting); len(slopes) > 0 {
		return slopes
	}
	return slices.Concat(timed, allocating(counting))
}

// CountedProcesses splits counting rounds by process: each begins with its
// shortest call.
func CountedProcesses(rounds []Round) (processes [][]Round) {
	rounds = allocating(rounds)
	for i, r := range rounds {
		if i == 0 || r.length() <= rounds[i-1].length() {
			processes = append(processes, nil)
		}
		last := len(processes) - 1
		processes[last] = append(processes[last], r)
	}
	return processes
}

// allocating are the rounds that counted allocations.
func allocating(rounds []Round) []Round {
	return slices.DeleteFunc(slices.Clone(rounds), func(r Round) bool {
		return !slices.ContainsFunc(r.Slices, func(s Slice) bool { return s.Counted })
	})
}

// length is the number of iterations of a call.
func (r Round) length() (n int64) {
	for _, s := range r.Slices {
		n = max(n, s.N)
	}
	return n
}

// Differences returns the excess of each counting round over the shorter one
// before it in the same process: iterations, allocations and bytes. The first
// iterations of a call can allocate more or less than the rest (Go 1.26 gives
// the first append of a frame a buffer on the stack), and drop out.
func Differences(rounds []Round) (out []Round) {
	rounds = allocating(rounds)
	for i := 1; i < len(rounds); i++ {
		short, long := rounds[i-1], rounds[i]
		if short.length() == 0 || long.length() <= short.length() || len(long.Slices) != len(short.Slices) {
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
