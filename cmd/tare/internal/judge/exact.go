package judge

import (
	"math"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// averaged replaces the counts of each block by their mean. No operation frees
// what a shorter call allocated.
func (s series) averaged() series {
	out := make(series, len(s))
	for i, block := range s {
		out[i] = []float64{max(0, mean(block))}
	}
	return out
}

// same returns the value that all slices of all blocks have.
func (s series) same() (float64, bool) {
	if !s.present() {
		return 0, false
	}
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
	if !(alpha > 0) { // nothing is proven
		return MinBlocks
	}
	return int(math.Ceil(math.Log2(2*float64(max(m, 1))/alpha)/2 - 1e-9))
}

// exactP is the p-value of an exact difference of k processes of each variant.
func exactP(k int) float64 { return math.Ldexp(2, -2*k) }

// exact returns the values of variants that are constant in all slices of enough
// blocks, or in all processes that count, each as a block. Equal counts are equal
// in any number of processes, since only a difference can be a false one. Time is
// never exact, and a few bytes of a program's size do not matter.
func exact(study result.Study, q namedReading, blocks []block, variants ...int) (values []float64, ok bool) {
	if Measured(q.name) || q.name == "binary-B" {
		return nil, false
	}
	count := result.IsCount(q.name) && !q.overridden
	for _, v := range variants {
		value, same := read(blocks, q.from, v)[0].same()
		if !same || count && !allocatesEvenly(blocks, v) {
			return nil, false
		}
		values = append(values, value)
	}
	wanted := Agreeing(study.Alpha, 1)
	switch {
	case slices.Max(values) != slices.Min(values):
		wanted = Agreeing(study.Alpha, study.Family)
	case count && len(variants) > 1:
		wanted = 1
	}
	return values, len(blocks) >= wanted
}

// allocatesEvenly reports whether operations allocate alike. Growing data, such
// as a buffer that doubles, adds bytes without an allocation, or more in a
// shorter call.
func allocatesEvenly(blocks []block, v int) bool {
	allocs, same := read(blocks, allocsPerOp, v)[0].same()
	if !same {
		return false
	}
	bytes := slices.Concat(read(blocks, bytesPerOp, v)[0]...)
	return allocs >= 0 && slices.Min(bytes) >= 0 && (allocs > 0 || slices.Max(bytes) == 0)
}

// Counting is the number of processes of each variant that a count needs, from
// the calls of all processes so far: [Agreeing] of one row, or of the family if
// the variants differ, which has the units of the study and these metrics of the
// benchmark too. A count that varies gets an interval, from as many
// processes as the first look needs that can call its difference. equal reports
// whether all calls of all variants have the same allocations and bytes per
// operation: then further processes can only take back that nothing changed.
func Counting(study result.Study, processes [][]result.Round, metrics int) (wanted int, equal bool) {
	if wanted = Agreeing(study.Alpha, 1); len(processes) == 0 {
		return wanted, false
	}
	blocks := make([]block, len(processes))
	for i, calls := range processes {
		blocks[i].rounds = result.Differences(calls)
	}
	agree, differ, apart := true, false, false
	var first [2][]float64
	for v := range processes[0][0].Slices {
		if !processes[0][0].Slices[v].Counted {
			continue // the variant does not have the benchmark
		}
		for i, of := range []reading{bytesPerOp, allocsPerOp} {
			one := read(blocks, of, v)[0]
			values := slices.Concat(one...)
			if !one.present() {
				return MinBlocks, false
			}
			_, same := one.same()
			agree = agree && same && allocatesEvenly(blocks, v)
			if first[i] == nil {
				first[i] = values
			}
			differ = differ || values[0] != first[i][0]
			apart = apart || slices.Max(values) < slices.Min(first[i]) || slices.Min(values) > slices.Max(first[i])
		}
	}
	others := len(first) + metrics
	for _, units := range study.Units {
		others += len(result.UnitsOf(units))
	}
	family := familyOf(study, "B/op", others)
	switch {
	case agree && differ:
		wanted = Agreeing(study.Alpha, family)
	case !agree && apart:
		wanted = LeastBlocks(study.Alpha / float64(family))
	case !agree:
		wanted = MinBlocks
	}
	return wanted, agree && !differ
}

func stateOf(study result.Study, stops []result.Stop) state {
	if _, ok := stopOf(stops, result.StopCounted); ok {
		return ended // the existing blocks are as planned
	}
	if _, ok := stopOf(stops, "decided"); ok || study.TotalSeconds > 0 {
		return decided // with a total, the end is not a look: see result.Study
	}
	return ended
}
