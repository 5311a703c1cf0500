package judge

import (
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// counts reports whether a unit counts allocations.
func counts(name string) bool { return name == "B/op" || name == "allocs/op" }

// averaged replaces the values of each block by their mean.
func (s series) averaged() series {
	out := make(series, len(s))
	for i, block := range s {
		out[i] = []float64{mean(block)}
	}
	return out
}

// same returns the value that all slices of all blocks have.
func (s series) same() (float64, bool) {
	v := s[0][0]
	for _, block := range s {
		if slices.ContainsFunc(block, func(x float64) bool { return x != v }) {
			return 0, false
		}
	}
	return v, true
}

// leastProcesses is the number of processes of a variant that must agree
// before a count is exact.
const leastProcesses = 3

// exactly returns the values of two variants that are constant. They agree in
// all slices of at least 8 blocks a variant. For allocations, they agree in all
// calls of at least leastProcesses processes. Less than one stray allocation of
// the runtime per slice does not count. Time is never exact, and a few bytes of
// a program's size do not matter.
func (j judged) exactly(q namedReading, old, new series) (a, b float64, ok bool) {
	if Measured(q.name) || q.name == "binary-B" || len(j.blocks) < leastExact(q, j.blocks) {
		return 0, 0, false
	}
	a, okA := old.same()
	b, okB := new.same()
	ok = okA && okB
	if ok && counts(q.name) && !q.overridden {
		ok = strayAllocations(j.blocks, j.old) < 1 && strayAllocations(j.blocks, j.new) < 1 && j.steady(q.name)
	}
	return a, b, ok
}

// steady reports whether operations allocate alike. Growing data, such as a
// buffer that doubles, adds bytes without an allocation, or the same bytes at
// uneven intervals.
func (j judged) steady(unit string) bool {
	allocs, bytes := read(j.blocks, allocsPerOp, j.old, j.new), read(j.blocks, bytesPerOp, j.old, j.new)
	for side := range allocs {
		v, same := allocs[side].same()
		if unit == "B/op" && !same || v == 0 && slices.Max(bytes[side].flat()) > 0 {
			return false
		}
	}
	return true
}

// CountsAgree reports whether the calls of all processes have the same
// allocations and bytes per operation, for each variant. Otherwise no number
// of processes makes the counts exact.
func CountsAgree(processes [][]result.Round) bool {
	slopes := slices.Concat(slopesOf(processes)...)
	j := judged{blocks: []block{{rounds: slopes}}}
	for v := range slopes[0].Slices {
		if !slopes[0].Slices[v].Counted {
			continue // the variant does not have the benchmark
		}
		j.old, j.new = v, v
		bytes, same := read(j.blocks, bytesPerOp, v)[0], false
		if len(bytes.flat()) == len(slopes) {
			_, same = bytes.same()
		}
		if !same || !j.steady("B/op") || strayAllocations(j.blocks, v) >= 1 {
			return false
		}
	}
	return true
}

// slopesOf are the differences of the calls of each process, without strays. A
// single call is used as it is if another process has shown that calls
// allocate in proportion to their length.
func slopesOf(processes [][]result.Round) (slopes [][]result.Round) {
	known := false
	for _, calls := range result.WithoutStrays(processes) {
		differences := result.Differences(calls)
		if known = known || len(differences) > 0; known && len(calls) == 1 {
			differences = calls
		}
		slopes = append(slopes, differences)
	}
	return slopes
}

// leastExact is the number of blocks that must agree before a value is exact.
func leastExact(q namedReading, blocks []block) int {
	if counts(q.name) && !q.overridden && len(blocks) > 0 && len(result.Differences(blocks[0].counting)) > 0 {
		return leastProcesses
	}
	return MinBlocks
}

// strayAllocations is the mean number of allocations per slice beyond a whole
// number per operation, if [allocsPerOp] ignored them.
func strayAllocations(blocks []block, variant int) float64 {
	n, sum := 0, 0.0
	for _, b := range blocks {
		for _, r := range b.rounds {
			s := r.Slices[variant]
			n++
			if s.N > 0 {
				per, _ := allocsPerOp(s)
				sum += float64(s.Mallocs) - per*float64(s.N)
			}
		}
	}
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}

// stateOf reports the progress of a benchmark's study.
func stateOf(rec *result.Recording, index int) state {
	if _, ok := stopOf(rec, index, result.StopCounted); ok {
		return ended // the existing blocks are as planned
	}
	if _, ok := stopOf(rec, index, "decided"); ok || rec.Study.TotalSeconds > 0 {
		return decided // with a total, the end is not a look: see result.Study
	}
	return ended
}
