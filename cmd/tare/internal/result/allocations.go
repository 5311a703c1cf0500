package result

import "slices"

// CountedProcesses splits counting rounds by process, whose calls get twice as
// long from one to the next.
func CountedProcesses(rounds []Round) (processes [][]Round) {
	rounds = allocating(rounds)
	for i, r := range rounds {
		if i == 0 || r.length() != 2*rounds[i-1].length() {
			processes = append(processes, nil)
		}
		last := len(processes) - 1
		processes[last] = append(processes[last], r)
	}
	return processes
}

func allocating(rounds []Round) []Round {
	return slices.DeleteFunc(slices.Clone(rounds), func(r Round) bool {
		return !slices.ContainsFunc(r.Slices, func(s Slice) bool { return s.Counted })
	})
}

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
// stack. It also drops what each call allocates once. If the longer call
// allocates less, the excess is the two's complement of a negative number: see
// [Slice.PerOp].
func Differences(rounds []Round) (out []Round) {
	rounds = allocating(rounds)
	for i := 1; i < len(rounds); i++ {
		short, long := rounds[i-1], rounds[i]
		if short.length() == 0 || long.length() <= short.length() || len(long.Slices) != len(short.Slices) {
			continue
		}
		r := Round{Slices: make([]Slice, len(long.Slices))}
		for v, l := range long.Slices {
			if s := short.Slices[v]; l.Counted && s.Counted && s.N > 0 && l.N > s.N {
				r.Slices[v] = Slice{N: l.N - s.N, Counted: true, Mallocs: l.Mallocs - s.Mallocs, Bytes: l.Bytes - s.Bytes}
			}
		}
		out = append(out, r)
	}
	return out
}

// PerOp returns the allocations and bytes of an operation of a slice, or of an
// excess of [Differences].
func (s Slice) PerOp() (allocs, bytes float64) {
	n := float64(max(1, s.N))
	return float64(int64(s.Mallocs)) / n, float64(int64(s.Bytes)) / n
}
