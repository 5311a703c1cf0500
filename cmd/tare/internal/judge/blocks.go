package judge

import (
	"iter"
	"math"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
)

type reading func(result.Slice) (float64, bool)

func seconds(s result.Slice) (float64, bool) { return s.Seconds(), s.N > 0 }

func bytesPerOp(s result.Slice) (float64, bool) {
	_, bytes := s.PerOp()
	return bytes, s.Counted && s.N > 0
}

func allocsPerOp(s result.Slice) (float64, bool) {
	allocs, _ := s.PerOp()
	return allocs, s.Counted && s.N > 0
}

func metric(unit string) reading {
	return func(s result.Slice) (float64, bool) {
		v, ok := s.Metrics[unit]
		return v, ok && s.N > 0 && !math.IsNaN(v) && !math.IsInf(v, 0)
	}
}

// block is a complete, undisturbed block with the rounds that count.
type block struct {
	result.Block
	rounds []result.Round
	// counting are the rounds whose times do not count.
	counting []result.Round
}

// goodBlocks picks the blocks that count, with their rounds that count. Such a
// block is complete and undisturbed. In at least one round after the warm-up,
// each of variants ran a slice. A block without timed rounds counts if its
// counting rounds do.
func goodBlocks(blocks []result.Block, variants ...int) []block {
	complete := func(rounds []result.Round) (out []result.Round) {
		for _, r := range rounds {
			missing := func(v int) bool { return v >= len(r.Slices) || r.Slices[v].N <= 0 }
			if !r.Warmup && !slices.ContainsFunc(variants, missing) {
				out = append(out, r)
			}
		}
		return out
	}
	var good []block
	for _, b := range blocks {
		if !b.Good() {
			continue
		}
		b.Unpack()
		rounds, counting := complete(b.Rounds), complete(b.Counting)
		if len(rounds) > 0 || len(b.Rounds) == 0 && len(counting) > 0 {
			good = append(good, block{b, rounds, counting})
		}
	}
	return good
}

// slicesOf are the slices of variants in the rounds of all blocks.
func slicesOf(blocks []block, variants ...int) iter.Seq[result.Slice] {
	return func(yield func(result.Slice) bool) {
		for _, b := range blocks {
			for _, r := range b.rounds {
				for _, v := range variants {
					if !yield(r.Slices[v]) {
						return
					}
				}
			}
		}
	}
}

// counted are the processes with known allocations, each as a block. Its
// rounds are the differences of the process's counting rounds. In recordings
// without counting rounds of different lengths, the timed rounds are used.
func counted(blocks []block, variants ...int) []block {
	known := func(rounds []result.Round) []result.Round {
		return slices.DeleteFunc(rounds, func(r result.Round) bool {
			return slices.ContainsFunc(variants, func(v int) bool { return !r.Slices[v].Counted })
		})
	}
	var processes [][]result.Round
	var owners, timed []block
	for _, b := range blocks {
		of := b
		for _, calls := range result.CountedProcesses(b.counting) {
			processes, owners = append(processes, calls), append(owners, of)
			of.Seconds = 0 // the block is one
		}
		if b.rounds = known(slices.Concat(b.rounds, b.counting)); len(b.rounds) > 0 {
			timed = append(timed, b)
		}
	}
	var slopes []block
	for i, calls := range processes {
		if owners[i].rounds = known(result.Differences(calls)); len(owners[i].rounds) > 0 {
			slopes = append(slopes, owners[i])
		}
	}
	if len(slopes) > 0 {
		return slopes
	}
	return timed
}

// afterTimed are the blocks that have a metric after the timed rounds.
func afterTimed(from reading, blocks []block, variants ...int) (out []block) {
	for _, b := range blocks {
		b.rounds = slices.DeleteFunc(slices.Clone(b.counting), func(r result.Round) bool {
			return slices.ContainsFunc(variants, func(v int) bool { _, ok := from(r.Slices[v]); return !ok })
		})
		if len(b.rounds) > 0 {
			out = append(out, b)
		}
	}
	return out
}

// series are the values of one unit and variant, as one list per block in the
// order of its slices.
type series [][]float64

// read collects the values that all of variants have in the same round.
func read(blocks []block, from reading, variants ...int) []series {
	out := make([]series, len(variants))
	for _, b := range blocks {
		lists := make([][]float64, len(variants))
		for _, r := range b.rounds {
			values := make([]float64, len(variants))
			whole := true
			for i, v := range variants {
				var ok bool
				values[i], ok = from(r.Slices[v])
				whole = whole && ok
			}
			if whole {
				for i, v := range values {
					lists[i] = append(lists[i], v)
				}
			}
		}
		for i := range out {
			out[i] = append(out[i], lists[i])
		}
	}
	return out
}

func (s series) present() bool {
	return len(s) > 0 && !slices.ContainsFunc(s, func(block []float64) bool { return len(block) == 0 })
}

func (s series) medians() []float64 {
	out := make([]float64, len(s))
	for i, block := range s {
		out[i] = stats.Median(block)
	}
	return out
}

func positive(medians []float64) bool {
	return !slices.ContainsFunc(medians, func(v float64) bool { return v <= 0 })
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

func machinesOf(blocks []block) []int {
	out := make([]int, len(blocks))
	for i, b := range blocks {
		out[i] = b.Machine
	}
	if len(out) == 0 || !slices.ContainsFunc(out, func(m int) bool { return m != out[0] }) {
		return nil
	}
	return out
}
