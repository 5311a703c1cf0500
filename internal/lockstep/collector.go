package lockstep

import (
	"math"

	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/stats"
)

// Collections are rare and long beside a slice: the median of many short
// slices leaves them out, and slices long enough to hold several lose the
// precision of short ones (docs/decisions/collector-cost.md). So a block's
// time per operation is put together from two parts: what an operation takes
// in slices without the collector, which is compared in pairs, and the
// collector's time per operation, which is the same for all slices of a side.

// leastClean is how many pairs of slices without a collection a block needs
// for its clean part.
const leastClean = 4

// sideCost is the time per operation of one side over a block, in seconds.
type sideCost struct {
	clean, collector float64
}

func (c sideCost) total() float64 { return c.clean + c.collector }

// blockCost is what a block says of both sides.
type blockCost struct {
	old, new sideCost
	// log is ln(new/old), spread the median absolute deviation of its clean
	// pairs.
	log, spread float64
}

// costOf puts the times of a block together. It is false for ok where no
// slice met the collector: then the pairs say all there is to say.
func costOf(rounds []result.Round, old, new int) (c blockCost, ok bool) {
	var logs, cleanOld, cleanNew []float64
	collected := false
	for _, r := range rounds {
		a, b := r.Slices[old], r.Slices[new]
		collected = collected || a.Collected || b.Collected
		if x, y := a.Seconds(), b.Seconds(); !a.Collected && !b.Collected && x > 0 && y > 0 {
			logs = append(logs, math.Log(y/x))
			cleanOld, cleanNew = append(cleanOld, x), append(cleanNew, y)
		}
	}
	if !collected {
		return c, false
	}
	if len(logs) < leastClean {
		return wholeCost(rounds, old, new)
	}
	c.log, c.spread = stats.Median(logs), stats.MAD(logs)
	// The levels of the two sides are moved so that their ratio is that of
	// the pairs, which share what disturbs them.
	middle := math.Sqrt(stats.Median(cleanOld) * stats.Median(cleanNew))
	c.old = sideCost{middle * math.Exp(-c.log/2), 0}
	c.new = sideCost{middle * math.Exp(c.log/2), 0}
	c.old.collector = collectorCost(rounds, old, c.old.clean)
	c.new.collector = collectorCost(rounds, new, c.new.clean)
	c.log = math.Log(c.new.total() / c.old.total())
	return c, true
}

// collectorCost is the collector's time per operation: the number of slices
// that met it times the typical excess of one, over all operations. What the
// process used after such a slice until the collector had finished is part of
// the excess. The median keeps out what else interrupted one of them.
func collectorCost(rounds []result.Round, side int, clean float64) float64 {
	var excess []float64
	operations := 0.0
	for _, r := range rounds {
		s := r.Slices[side]
		operations += float64(s.N)
		if s.Collected {
			excess = append(excess, max(0, s.Seconds()*float64(s.N)+s.Settle/1e9-clean*float64(s.N)))
		}
	}
	if len(excess) == 0 || operations == 0 {
		return 0
	}
	return float64(len(excess)) * stats.Median(excess) / operations
}

// wholeCost compares whole slices, what followed them included, where hardly
// any is without a collection.
func wholeCost(rounds []result.Round, old, new int) (c blockCost, ok bool) {
	whole := func(s result.Slice) float64 {
		if s.N <= 0 {
			return 0
		}
		return s.Seconds() + s.Settle/1e9/float64(s.N)
	}
	var logs, olds, news []float64
	for _, r := range rounds {
		if x, y := whole(r.Slices[old]), whole(r.Slices[new]); x > 0 && y > 0 {
			logs = append(logs, math.Log(y/x))
			olds, news = append(olds, x), append(news, y)
		}
	}
	if len(logs) == 0 {
		return c, false
	}
	c.log, c.spread = stats.Median(logs), stats.MAD(logs)
	middle := math.Sqrt(stats.Median(olds) * stats.Median(news))
	c.old.clean, c.new.clean = middle*math.Exp(-c.log/2), middle*math.Exp(c.log/2)
	return c, true
}

// collect puts the collector's time into the differences of the blocks that
// met it, and returns the time per operation of each block and side; nil where
// no block met it.
func (p *pairing) collect(blocks []block, old, new int) (a, b series) {
	if !p.relative {
		return nil, nil
	}
	met := false
	for i, k := range blocks {
		c, ok := costOf(k.rounds, old, new)
		if !ok {
			both := read(blocks[i:i+1], seconds, old, new)
			a, b = append(a, []float64{stats.Median(both[0][0])}), append(b, []float64{stats.Median(both[1][0])})
			continue
		}
		met = true
		p.typical[i], p.spread[i] = c.log, c.spread
		if x, y := meanCost(k.rounds, old), meanCost(k.rounds, new); x > 0 && y > 0 {
			p.means[i] = math.Log(y / x)
		}
		a, b = append(a, []float64{c.old.total()}), append(b, []float64{c.new.total()})
	}
	if !met {
		return nil, nil
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
	var out series
	met := false
	for i, k := range blocks {
		clean := read(blocks[i:i+1], cleanSeconds, v)[0][0]
		all := read(blocks[i:i+1], seconds, v)[0][0]
		switch {
		case len(clean) == len(all):
			out = append(out, []float64{stats.Median(all)})
		case len(clean) < leastClean:
			met = true
			out = append(out, []float64{meanCost(k.rounds, v)})
		default:
			met = true
			level := stats.Median(clean)
			out = append(out, []float64{level + collectorCost(k.rounds, v, level)})
		}
	}
	if !met {
		return nil
	}
	return out
}

// cleanSeconds is the time per operation of a slice without a collection.
func cleanSeconds(s result.Slice) (float64, bool) {
	v, ok := seconds(s)
	return v, ok && !s.Collected
}
