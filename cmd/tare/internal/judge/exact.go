package judge

import (
	"math"
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

// A value that is drawn once a process, alike in both variants, is constant and
// different in k processes of each with probability Σ_{i≠j} (p_i·p_j)^k. That is
// at most 2·4⁻ᵏ. So an exact difference has a p-value, and only a row that
// differs needs more processes in a larger family.

// Agreeing is the number of processes of each variant that must agree before an
// exact difference is significant among m rows.
func Agreeing(alpha float64, m int) int {
	return int(math.Ceil(math.Log2(2*float64(max(m, 1))/alpha)/2 - 1e-9))
}

// ExactP is the p-value of an exact difference of k processes of each variant.
func ExactP(k int) float64 { return math.Ldexp(2, -2*k) }

// exactly returns the values of two variants that are constant in all slices of
// enough blocks, or in all calls of enough processes, each as a block. Less than
// one stray allocation of the runtime per slice does not count. Time is never
// exact, and a few bytes of a program's size do not matter.
func (j judged) exactly(q namedReading, old, new series) (a, b float64, ok bool) {
	if Measured(q.name) || q.name == "binary-B" || len(j.blocks) < Agreeing(j.study.Alpha, 1) {
		return 0, 0, false
	}
	a, okA := old.same()
	b, okB := new.same()
	ok = okA && okB && (a == b || len(j.blocks) >= Agreeing(j.study.Alpha, j.study.Family))
	if ok && counts(q.name) && !q.overridden {
		ok = strayAllocations(j.blocks, j.old) < 1 && strayAllocations(j.blocks, j.new) < 1 && j.allocatesEvenly(q.name)
	}
	return a, b, ok
}

// allocatesEvenly reports whether operations allocate alike. Growing data, such as a
// buffer that doubles, adds bytes without an allocation, or the same bytes at
// uneven intervals.
func (j judged) allocatesEvenly(unit string) bool {
	allocs, bytes := read(j.blocks, allocsPerOp, j.old, j.new), read(j.blocks, bytesPerOp, j.old, j.new)
	for side := range allocs {
		v, same := allocs[side].same()
		if unit == "B/op" && !same || v == 0 && slices.Max(bytes[side].flat()) > 0 {
			return false
		}
	}
	return true
}

// Counting is the number of processes of each variant that a count needs, from
// the calls of all processes so far: [Agreeing] of one row, or of the family if
// the variants differ. A count that varies gets an interval, from as many
// processes as the first look needs that can call its difference. agree reports
// whether all calls of each variant have the same allocations and bytes per
// operation.
func Counting(study result.Study, b result.Benchmark, processes [][]result.Round) (wanted int, agree bool) {
	if wanted = Agreeing(study.Alpha, 1); len(processes) < wanted {
		return wanted, false
	}
	slopes := slices.Concat(slopesOf(processes)...)
	if len(slopes) == 0 {
		return MinBlocks, false
	}
	j := judged{study: study, blocks: []block{{rounds: slopes}}}
	agree = true
	differ, apart := false, false
	var first [2][]float64
	for v := range slopes[0].Slices {
		if !slopes[0].Slices[v].Counted {
			continue // the variant does not have the benchmark
		}
		j.old, j.new = v, v
		bytes := read(j.blocks, bytesPerOp, v)[0]
		if agree = agree && len(bytes.flat()) == len(slopes); agree {
			_, same := bytes.same()
			agree = same && j.allocatesEvenly("B/op") && strayAllocations(j.blocks, v) < 1
		}
		for i, values := range [2][]float64{bytes.flat(), read(j.blocks, allocsPerOp, v)[0].flat()} {
			if len(values) == 0 {
				continue
			}
			if first[i] == nil {
				first[i] = values
			}
			differ = differ || values[0] != first[i][0]
			apart = apart || slices.Max(values) < slices.Min(first[i]) || slices.Min(values) > slices.Max(first[i])
		}
	}
	last := b.Blocks[max(0, len(b.Blocks)-1):]
	family := familyOf(study, "B/op", len(unitsOf(goodBlocks(last, 0), 0))-1)
	switch {
	case agree && differ:
		wanted = Agreeing(study.Alpha, family)
	case !agree && apart:
		wanted = LeastBlocks(study.Alpha / float64(family))
	case !agree:
		wanted = MinBlocks
	}
	return wanted, agree
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
