package judge

import (
	"cmp"
	"math"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/machine"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
)

// Collections are rare and long compared with a slice. The median of many short
// slices does not include them, and slices that contain several lose the
// precision of short ones (docs/decisions/collector.md). So a block's time per
// operation has two parts. The time in slices without the collector is compared
// in pairs. The collector's time per operation is the same for all slices of a
// variant. Both parts come from the same block, since the time of a collection
// in one block must not change other blocks.

const (
	// leastClean is the number of slice pairs without a collection that a block
	// needs for its clean part.
	leastClean = 4
	// leastCounted is the number of slices with a collection that a variant of a
	// block needs, so that their middle half represents all.
	leastCounted = 8
)

type sideBlock struct {
	// clean is the time per operation in slices without the collector, in
	// seconds. If a block has hardly any, clean is 0 and whole is set.
	clean, whole float64
	// cost is the time of a collection in seconds, or NaN if the variant had
	// none.
	cost float64
	// rate is the number of collections per operation.
	rate float64
}

// total is the time per operation. other is the time of a collection, used if
// the block had none.
func (s sideBlock) total(other float64) float64 {
	if s.whole > 0 {
		return s.whole
	}
	if math.IsNaN(s.cost) {
		return s.clean + s.rate*other
	}
	return s.clean + s.rate*s.cost
}

// sideOf separates the parts of a variant's block whose clean time per
// operation is known.
func sideOf(k block, v int, clean float64, processors int) sideBlock {
	s := sideBlock{clean: clean, cost: math.NaN()}
	var costs []float64
	var sum, met, operations, first, last float64
	for _, r := range k.rounds {
		x := r.Slices[v]
		if x.Collected {
			n := float64(max(1, x.GCs))
			cost := max(0, (withCollector(x, processors)-clean)*float64(x.N))
			costs, sum = append(costs, cost/n), sum+cost
			if met == 0 {
				first = operations
			} else {
				last = operations
			}
			met += n
		}
		operations += float64(x.N)
	}
	if met > 0 {
		s.cost = sum / met
		if !followed([]block{k}, v) && len(costs) >= leastCounted {
			s.cost = typicalCost(costs) // an interruption hits few of them
		}
	}
	s.rate = collections(k, v, met, operations, last-first)
	return s
}

// collections is the number of collections per operation. With enough
// collections it is exact to a slice, from the distance between the first and
// the last. Otherwise it comes from the heap's growth between two collections.
func collections(k block, v int, met, operations, distance float64) float64 {
	timed, all := 0.0, 0.0
	for _, r := range k.Rounds {
		if v < len(r.Slices) {
			timed += float64(r.Slices[v].N)
		}
	}
	var p result.Process
	if v < len(k.Processes) {
		p = k.Processes[v]
	}
	if all = float64(p.N); all < timed || timed == 0 {
		all = timed
	}
	switch {
	case met >= leastSpaced && distance > 0:
		// The untimed iterations before each slice fill the heap too.
		return (met - 1) / distance * timed / all
	case p.N > 0 && p.HeapGoal > p.HeapLive && p.HeapLive > 0:
		return float64(p.Bytes) / float64(p.N) / float64(p.HeapGoal-p.HeapLive)
	case operations > 0:
		return met / operations
	}
	return 0
}

const leastSpaced = 3

// withCollector is the time per operation of a slice and of the collection after
// it, which has all CPUs of the worker, in seconds.
func withCollector(s result.Slice, processors int) float64 {
	if s.N <= 0 {
		return 0
	}
	return s.Seconds() + s.Settle/1e9/float64(max(1, processors))/float64(s.N)
}

// followed reports whether the delays of most slices of these variants are
// known, so that interruptions do not affect their sum.
func followed(blocks []block, variants ...int) bool {
	known, all := 0, 0
	for s := range slicesOf(blocks, variants...) {
		if all++; s.Followed {
			known++
		}
	}
	return 2*known > all
}

// typicalCost is the mean of the middle half of the costs, or 0 without costs.
// An interruption makes a cost larger, but hits few of them.
func typicalCost(costs []float64) float64 {
	if len(costs) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(costs))
	cut := len(sorted) / 4
	return mean(sorted[cut : len(sorted)-cut])
}

func typicalOf(sides []sideBlock) float64 {
	var all []float64
	for _, s := range sides {
		if !math.IsNaN(s.cost) {
			all = append(all, s.cost)
		}
	}
	return typicalCost(all)
}

// typicalByMachine is the typical time of a collection by machine, in the
// blocks that had one. The variants are pooled, since the value that a block
// borrows must not depend on the variant.
func typicalByMachine(blocks []block, costs []blockCost) map[int]float64 {
	of := make(map[int][]sideBlock)
	for i, c := range costs {
		m := blocks[i].Machine
		of[m] = append(of[m], c.old, c.new)
	}
	out := make(map[int]float64)
	for machine, list := range of {
		out[machine] = typicalOf(list)
	}
	return out
}

func processorsOf(b result.Benchmark) int {
	if b.Pilot == nil {
		return 1
	}
	procs := max(1, cmp.Or(b.Pilot.Procs, b.Procs))
	if cpus := len(machine.ParseCPUList(b.Pilot.CPUs)); cpus > 0 {
		return min(procs, cpus)
	}
	return procs
}

// blockCost is a block of two variants. log is ln(new/old) of its clean pairs,
// or of whole slices.
type blockCost struct {
	old, new sideBlock
	log      float64
}

// costOf separates the parts of a block. ok is false if no pair of slices can
// be compared.
func costOf(k block, old, new, processors int) (c blockCost, ok bool) {
	var logs, olds, news []float64
	compare := func(x, y float64) {
		if x > 0 && y > 0 {
			logs, olds, news = append(logs, math.Log(y)-math.Log(x)), append(olds, x), append(news, y)
		}
	}
	for _, r := range k.rounds {
		if a, b := r.Slices[old], r.Slices[new]; !a.Collected && !b.Collected {
			compare(a.Seconds(), b.Seconds())
		}
	}
	whole := len(logs) < min(leastClean, len(k.rounds))
	if whole {
		logs, olds, news = nil, nil, nil
		for _, r := range k.rounds {
			compare(withCollector(r.Slices[old], processors), withCollector(r.Slices[new], processors))
		}
	}
	if len(logs) == 0 {
		return c, false
	}
	c.log = stats.Median(logs)
	// Move the levels of the variants so that their ratio is the ratio of the
	// pairs, which share their disturbances.
	middle := math.Sqrt(stats.Median(olds) * stats.Median(news))
	if whole && followed([]block{k}, old, new) { // where interruptions do not count, all slices may
		c.log = math.Log(mean(news)) - math.Log(mean(olds))
		middle = math.Sqrt(mean(olds) * mean(news))
	}
	a, b := middle*math.Exp(-c.log/2), middle*math.Exp(c.log/2)
	if whole {
		c.old, c.new = sideBlock{whole: a}, sideBlock{whole: b}
		return c, true
	}
	c.old, c.new = sideOf(k, old, a, processors), sideOf(k, new, b, processors)
	return c, true
}

// meets reports whether a variant of the blocks met the collector, or would
// have in longer blocks.
func meets(blocks []block, variants ...int) bool {
	for s := range slicesOf(blocks, variants...) {
		if s.Collected {
			return true
		}
	}
	return false
}

// collect adds the collector's time to the differences of the blocks. It
// returns the time per operation of each block and variant, or nil if no block
// met the collector.
func (p *pairing) collect(blocks []block, old, new, processors int) (a, b series) {
	if !p.relative || !meets(blocks, old, new) {
		return nil, nil
	}
	costs := make([]blockCost, len(blocks))
	for i, k := range blocks {
		c, ok := costOf(k, old, new, processors)
		if !ok {
			return nil, nil
		}
		costs[i] = c
	}
	pooled := typicalByMachine(blocks, costs)
	for i, c := range costs {
		other := pooled[blocks[i].Machine]
		before, after := c.old.total(other), c.new.total(other)
		p.typical[i] = math.Log(after) - math.Log(before)
		a, b = append(a, []float64{before}), append(b, []float64{after})
	}
	return a, b
}

// meanCost is the total time of a variant divided by its operations, with the
// collector's time after slices.
func meanCost(rounds []result.Round, side, processors int) float64 {
	time, operations := 0.0, 0.0
	for _, r := range rounds {
		s := r.Slices[side]
		time += withCollector(s, processors) * float64(s.N)
		operations += float64(s.N)
	}
	if operations == 0 {
		return 0
	}
	return time / operations
}

// collected is the time per operation of each block of one variant, with the
// collector's time. It is nil if no block met the collector.
func collected(blocks []block, v, processors int) series {
	if !meets(blocks, v) {
		return nil
	}
	sides := make([]sideBlock, len(blocks))
	for i, k := range blocks {
		var clean []float64
		for _, r := range k.rounds {
			if s := r.Slices[v]; !s.Collected {
				clean = append(clean, s.Seconds())
			}
		}
		if len(clean) < min(leastClean, len(k.rounds)) {
			sides[i] = sideBlock{whole: meanCost(k.rounds, v, processors)}
			continue
		}
		sides[i] = sideOf(k, v, stats.Median(clean), processors)
	}
	pooled := typicalOf(sides)
	out := make(series, len(blocks))
	for i, s := range sides {
		out[i] = []float64{s.total(pooled)}
	}
	return out
}
