package study

import (
	"math"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
)

// The first blocks show how long the next ones should be. The variance of a
// comparison of k blocks with n rounds each is (B + W/n)/k. B is the variance
// between blocks (processes, function orders) and W the variance of a round.
// The blocks take k·(C + n·c) seconds. C is the cost of a block without its
// rounds (starts, pilots, ends), and c the cost of a round. The product is
// least at n = √(W/B · C/c) (Cochran 1977, section 10.6).
const (
	// leastShared is the number of blocks from which B is meaningful.
	leastShared = 4
	// fewestRounds and mostTimes limit n. An estimate of B from a few blocks may
	// be wrong in both directions.
	fewestRounds = 48
	mostTimes    = 2 // times lockstepMost
	// precise is the target number of standard errors of the first look in the
	// threshold. The interval is then a quarter of the threshold in each
	// direction, and more rounds would decide nothing.
	precise = 10
	// plannedBlocks is the least number of blocks for which a budget should have
	// time. With fewer than eight there is no interval. A block may have as few
	// as leastRounds rounds for this, since on a busy machine its start takes
	// longer than its rounds.
	plannedBlocks = 16
	leastRounds   = 8
)

// resize fits the next blocks to the results so far.
func (r *runner) resize(b *bench) {
	if b.plan.Alone || r.size.fixed > 0 || !b.Blocks[len(b.Blocks)-1].Good() {
		return
	}
	b.lengthenForCollections(r.size)
	if r.o.BlockSeconds == 0 && !b.plan.Paused && b.plan.Rounds > 1 {
		r.share(b)
	}
}

// share chooses the rounds of the next block from the variance components.
// Enough blocks must fit into the rest of the budget.
func (r *runner) share(b *bench) {
	c, ok := componentsOf(b)
	if !ok {
		return
	}
	rounds := b.plan.Rounds
	if len(b.Blocks) >= leastShared && r.variants() > 1 {
		rounds = c.rounds()
		if first := r.design.Next(0); len(b.Blocks) < first {
			rounds = min(rounds, c.enough(r.o.Study.Delta/precise, first))
		}
		most := r.size.block.Seconds() * float64(r.variants()) / c.round
		rounds = min(rounds, max(1, int(most)))
	}
	if last := b.Blocks[len(b.Blocks)-1]; b.direct && r.variants() > 1 {
		rounds = max(rounds, collectionRounds(last.Timed(), r.variants(), b.plan.SliceSeconds))
	}
	if times := r.stretch(b); times > 1 && (b.metCollector() || c.within > c.between*float64(rounds)) {
		left := r.budget() - b.spent.Seconds()
		fit := (left/float64(r.most()-b.goodBlocks()) - c.fixed) / c.round
		rounds = max(rounds, int(min(times*float64(rounds), fit)))
	}
	if budget := r.budget(); budget > 0 && len(b.Blocks) < plannedBlocks {
		left := budget - b.spent.Seconds()
		each := left / float64(plannedBlocks-len(b.Blocks))
		if fit := (each - c.fixed) / c.round; fit < float64(rounds) {
			rounds = max(int(fit), min(rounds, leastRounds))
		}
	}
	b.plan.Rounds = rounds
}

// components are the variances and times of a benchmark's blocks so far.
type components struct {
	// between is B, within W, of logarithms of ratios.
	between, within float64
	// fixed is C, round c, in seconds.
	fixed, round float64
}

// rounds is the best number of rounds of a block.
func (c components) rounds() int {
	const most = mostTimes * lockstepMost
	if !(c.between > 0) {
		return most
	}
	n := math.Sqrt(c.within / c.between * c.fixed / c.round)
	return int(min(most, max(fewestRounds, n)))
}

// enough is the number of rounds, at least lockstepMost, that a block needs so
// that the mean of that many blocks has this standard error. If B alone is
// larger, no number of rounds is enough.
func (c components) enough(standardError float64, blocks int) int {
	within := standardError*standardError*float64(blocks) - c.between
	if !(within > 0) {
		return mostTimes * lockstepMost
	}
	return int(min(mostTimes*lockstepMost, max(lockstepMost, c.within/within)))
}

// componentsOf estimates the components from the good blocks by medians, since
// a few rounds in a hundred are interrupted. With several new variants the
// noisiest counts.
func componentsOf(b *bench) (c components, ok bool) {
	var fixed, round []float64
	typical, spread := make(map[int][]float64), make(map[int][]float64)
	for i, k := range b.Blocks {
		n := 0
		ratios := make(map[int][]float64)
		rounds := k.Timed()
		for _, r := range rounds {
			if !r.Warmup {
				n++
				addRatios(ratios, r.Slices)
			}
		}
		if !k.Good() || n == 0 {
			continue
		}
		// The time between two slices is part of the round.
		took := k.SliceSeconds
		if first, last := rounds[0].At, rounds[len(rounds)-1].At; len(rounds) > 1 && last > first {
			took = (last - first) * float64(len(rounds)) / float64(len(rounds)-1)
		}
		round = append(round, took/float64(len(rounds)))
		if i == 0 {
			k.Seconds -= b.once.Seconds()
		}
		fixed = append(fixed, max(0, k.Seconds-took))
		for v, list := range ratios {
			typical[v] = append(typical[v], stats.Median(list))
			e := medianError(list)
			spread[v] = append(spread[v], e*e*float64(len(list)))
		}
	}
	if len(round) == 0 {
		return c, false
	}
	c.fixed, c.round = stats.Median(fixed), stats.Median(round)
	for v := range typical {
		within := stats.Median(spread[v])
		of := deviation(typical[v])
		between := max(0, of*of-within/float64(max(1, b.plan.Rounds)))
		if within+between > c.within+c.between {
			c.within, c.between = within, between
		}
	}
	return c, c.round > 0
}

// addRatios adds the logarithms of new over old in one round.
func addRatios(ratios map[int][]float64, slices []result.Slice) {
	old := slices[0].Seconds()
	for v, s := range slices[1:] {
		if new := s.Seconds(); old > 0 && new > 0 {
			ratios[v+1] = append(ratios[v+1], math.Log(new/old))
		}
	}
}

// mostStretched limits how many times longer the last blocks become. It also
// limits how many times the possible blocks a verdict may need for stretching
// to be worthwhile.
const mostStretched = 4

// stretch is the factor of information for the next blocks if a verdict should
// need more blocks than remain. This need is a guess, so the blocks become long
// enough for twice the need. It is 1 if there are enough, or if no length is
// enough.
func (r *runner) stretch(b *bench) float64 {
	good, most, need := b.goodBlocks(), r.most(), b.decision.Needed
	if r.budget() <= 0 || r.o.TotalSeconds > 0 || good >= most || 2*need <= most || need > mostStretched*most {
		return 1
	}
	return min(mostStretched, float64(2*need-good)/float64(most-good))
}

const sigmaPerMAD = 1.4826 // of a normal distribution

// deviation is the standard deviation of values with a normal middle.
func deviation(x []float64) float64 { return sigmaPerMAD * stats.MAD(x) }

// medianError is the standard error of the median of independent values with a
// normal middle.
func medianError(x []float64) float64 {
	const medianPerMean = 1.2533
	return medianPerMean * deviation(x) / math.Sqrt(float64(len(x)))
}
