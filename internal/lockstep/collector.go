package lockstep

import (
	"math"
	"slices"

	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/stats"
)

// Collections are rare and long beside a slice: the median of many short
// slices leaves them out, and slices long enough to hold several lose the
// precision of short ones (docs/decisions/collector-cost.md). So a block's
// time per operation is put together from two parts: what an operation takes
// in slices without the collector, which is compared in pairs, and the
// collector's time per operation, which is the same for all slices of a side.

const (
	// leastClean is how many pairs of slices without a collection a block
	// needs for its clean part.
	leastClean = 4
	// leastCounted is how many slices that met the collector a side of a block
	// needs to say by itself what a collection takes; with fewer, all blocks
	// together say it.
	leastCounted = 8
)

// sideBlock is one side of a block.
type sideBlock struct {
	// clean is the time per operation in slices without the collector, in
	// seconds; 0 where a block has hardly any, and whole is set instead.
	clean, whole float64
	// excess is how much longer each slice took that met the collector, in
	// seconds, what the process used after it until the collector had
	// finished included; of a slice that holds several collections, the part
	// of one.
	excess     []float64
	operations float64
	// rate is the collections per operation by the growth of the heap; 0
	// while the heap is not known.
	rate float64
}

func sideOf(k block, v int, clean float64) sideBlock {
	s := sideBlock{clean: clean}
	if v < len(k.Processes) {
		p := k.Processes[v]
		if p.N > 0 && p.HeapGoal > p.HeapLive && p.HeapLive > 0 {
			s.rate = float64(p.Bytes) / float64(p.N) / float64(p.HeapGoal-p.HeapLive)
		}
	}
	for _, r := range k.rounds {
		x := r.Slices[v]
		s.operations += float64(x.N)
		if x.Collected {
			more := max(0, x.Seconds()*float64(x.N)+x.Settle/1e9-clean*float64(x.N))
			s.excess = append(s.excess, more/max(1, s.rate*float64(x.N)))
		}
	}
	return s
}

// collector is the collector's time per operation. Pooled is what a collection
// takes by all blocks of the side, 0 where none met the collector.
//
// Bytes and heap goal say how many collections there are; which slices met one
// also counts those that met the end of its sweep.
func (s sideBlock) collector(pooled float64) float64 {
	one := pooled
	if len(s.excess) >= leastCounted {
		one = typicalCost(s.excess)
	}
	switch {
	case s.rate > 0:
		return s.rate * one
	case s.operations > 0:
		return one * float64(len(s.excess)) / s.operations
	}
	return 0
}

func (s sideBlock) total(pooled float64) float64 {
	if s.whole > 0 {
		return s.whole
	}
	return s.clean + s.collector(pooled)
}

// typicalExcess is what a collection takes, by all blocks of a side.
func typicalExcess(sides []sideBlock) float64 {
	var all []float64
	for _, s := range sides {
		all = append(all, s.excess...)
	}
	return typicalCost(all)
}

// typicalCost is the mean of the middle half of the costs, 0 where there are
// none: an interruption makes a cost larger, and hits few of them.
func typicalCost(costs []float64) float64 {
	if len(costs) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(costs))
	cut := len(sorted) / 4
	return mean(sorted[cut : len(sorted)-cut])
}

// blockCost is a block of two sides: log is ln(new/old) of its clean pairs, or
// of whole slices, spread their median absolute deviation.
type blockCost struct {
	old, new    sideBlock
	log, spread float64
}

// costOf takes a block apart. It is false for ok where no pair of slices can be
// compared.
func costOf(k block, old, new int) (c blockCost, ok bool) {
	var logs, olds, news []float64
	compare := func(x, y float64) {
		if x > 0 && y > 0 {
			logs, olds, news = append(logs, math.Log(y/x)), append(olds, x), append(news, y)
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
			compare(wholeSeconds(r.Slices[old]), wholeSeconds(r.Slices[new]))
		}
	}
	if len(logs) == 0 {
		return c, false
	}
	c.log, c.spread = stats.Median(logs), stats.MAD(logs)
	// The levels of the two sides are moved so that their ratio is that of
	// the pairs, which share what disturbs them.
	middle := math.Sqrt(stats.Median(olds) * stats.Median(news))
	a, b := middle*math.Exp(-c.log/2), middle*math.Exp(c.log/2)
	if whole {
		c.old, c.new = sideBlock{whole: a}, sideBlock{whole: b}
		return c, true
	}
	c.old, c.new = sideOf(k, old, a), sideOf(k, new, b)
	return c, true
}

// wholeSeconds is the time per operation of a slice with what followed it.
func wholeSeconds(s result.Slice) float64 {
	if s.N <= 0 {
		return 0
	}
	return s.Seconds() + s.Settle/1e9/float64(s.N)
}

// meets reports whether a side of the blocks met the collector, or would have
// in longer ones.
func meets(blocks []block, variants ...int) bool {
	for _, k := range blocks {
		for _, r := range k.rounds {
			for _, v := range variants {
				if r.Slices[v].Collected {
					return true
				}
			}
		}
	}
	return false
}

// collect puts the collector's time into the differences of the blocks, and
// returns the time per operation of each block and side; nil where no block
// met the collector.
func (p *pairing) collect(blocks []block, old, new int) (a, b series) {
	if !p.relative || !meets(blocks, old, new) {
		return nil, nil
	}
	costs := make([]blockCost, len(blocks))
	var olds, news []sideBlock
	for i, k := range blocks {
		c, ok := costOf(k, old, new)
		if !ok {
			return nil, nil
		}
		costs[i] = c
		olds, news = append(olds, c.old), append(news, c.new)
	}
	x, y := typicalExcess(olds), typicalExcess(news)
	for i, c := range costs {
		before, after := c.old.total(x), c.new.total(y)
		p.typical[i], p.spread[i] = math.Log(after/before), c.spread
		if m, n := meanCost(blocks[i].rounds, old), meanCost(blocks[i].rounds, new); m > 0 && n > 0 {
			p.means[i] = math.Log(n / m)
		}
		a, b = append(a, []float64{before}), append(b, []float64{after})
	}
	return a, b
}

// meanCost is all the time of a side over all its operations, what the
// collector used after slices included.
func meanCost(rounds []result.Round, side int) float64 {
	time, operations := 0.0, 0.0
	for _, r := range rounds {
		s := r.Slices[side]
		time += s.Seconds()*float64(s.N) + s.Settle/1e9
		operations += float64(s.N)
	}
	if operations == 0 {
		return 0
	}
	return time / operations
}

// collected is the time per operation of each block of one variant, the
// collector's included; nil where no block met it.
func collected(blocks []block, v int) series {
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
			sides[i] = sideBlock{whole: meanCost(k.rounds, v)}
			continue
		}
		sides[i] = sideOf(k, v, stats.Median(clean))
	}
	pooled := typicalExcess(sides)
	out := make(series, len(blocks))
	for i, s := range sides {
		out[i] = []float64{s.total(pooled)}
	}
	return out
}
