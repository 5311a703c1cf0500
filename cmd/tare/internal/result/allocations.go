package result

import (
	"iter"
	"maps"
	"slices"
)

// allocationRounds returns the rounds of a block with allocation counts: the
// differences of its counting rounds, or all rounds if these have one length.
func allocationRounds(timed, counting []Round) []Round {
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

// leastAlike is the least number of calls of one length whose least count is
// valid. mostStrays is the share of calls that may have more.
const (
	leastAlike = 3
	mostStrays = 1. / 8
)

// WithoutStrays replaces the allocations of calls by the least of all calls of
// their length, because a collection sometimes allocates. It does so if only
// calls with a collection have more, at most one call in eight, and not most of
// several calls of a process. An operation that allocates more in every second
// call, in one process, or at random keeps its counts: too many calls have
// more, or without a collection.
func WithoutStrays(processes [][]Round) [][]Round {
	out := make([][]Round, len(processes))
	variants := 0
	for p, calls := range processes {
		out[p] = make([]Round, len(calls))
		for i, r := range calls {
			r.Slices = slices.Clone(r.Slices)
			out[p][i] = r
			variants = max(variants, len(r.Slices))
		}
	}
	for v := range variants {
		if least := leastCounts(out, v); strayShare(out, v, least) <= mostStrays {
			for s := range callsOf(out, v) {
				if l, ok := least[s.N]; ok {
					s.Mallocs, s.Bytes = l.Mallocs, l.Bytes
				}
			}
		}
	}
	return out
}

// callsOf returns the calls of a variant that counted.
func callsOf(processes [][]Round, variant int) iter.Seq[*Slice] {
	return func(yield func(*Slice) bool) {
		for _, calls := range processes {
			for _, r := range calls {
				if s := &r.Slices[variant]; s.Counted && s.N > 0 && !yield(s) {
					return
				}
			}
		}
	}
}

// leastCounts returns the least allocations and bytes of the calls of each
// length.
func leastCounts(processes [][]Round, variant int) map[int64]Slice {
	least, calls := make(map[int64]Slice), make(map[int64]int)
	for s := range callsOf(processes, variant) {
		l := *s
		if calls[s.N]++; calls[s.N] > 1 {
			l.Mallocs, l.Bytes = min(l.Mallocs, least[s.N].Mallocs), min(l.Bytes, least[s.N].Bytes)
		}
		least[s.N] = l
	}
	maps.DeleteFunc(least, func(n int64, _ Slice) bool { return calls[n] < leastAlike })
	return least
}

// strayShare returns the share of calls with more than the least. It is 1 if
// these are most calls of a process, or one had no collection.
func strayShare(processes [][]Round, variant int, least map[int64]Slice) float64 {
	all, more := 0, 0
	for p := range processes {
		calls, over := 0, 0
		for s := range callsOf(processes[p:p+1], variant) {
			if l, ok := least[s.N]; ok {
				if calls++; s.Mallocs > l.Mallocs || s.Bytes > l.Bytes {
					if over++; !s.Collected {
						return 1
					}
				}
			}
		}
		if calls > 1 && 2*over > calls {
			return 1
		}
		all, more = all+calls, more+over
	}
	return float64(more) / float64(max(1, all))
}

// allocating returns the rounds that counted allocations.
func allocating(rounds []Round) []Round {
	return slices.DeleteFunc(slices.Clone(rounds), func(r Round) bool {
		return !slices.ContainsFunc(r.Slices, func(s Slice) bool { return s.Counted })
	})
}

// length returns the number of iterations of a call.
func (r Round) length() (n int64) {
	for _, s := range r.Slices {
		n = max(n, s.N)
	}
	return n
}

// Differences returns the excess of each counting round over the shorter one
// before it in the same process: iterations, allocations and bytes. The
// difference drops the first iterations of a call, which can allocate more or
// less than the rest: Go 1.26 gives the first append of a frame a buffer on the
// stack.
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
