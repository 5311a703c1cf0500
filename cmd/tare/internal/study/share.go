package study

import "github.com/tarebench/tare/cmd/tare/internal/stats"

// plannedBlocks is the least number of blocks for which a budget should have
// time. With fewer than eight there is no interval. For this a block may have
// as few rounds as take the time of its start, or leastRounds if that is more.
const (
	plannedBlocks = 16
	leastRounds   = 8
)

func (r *runner) resize(b *bench) {
	if b.pilot.Alone || b.pilot.Whole || r.size.fixed > 0 || !b.Blocks[len(b.Blocks)-1].Good() {
		return
	}
	b.learn(r.size)
	b.lengthenForCollections(r.size)
	if r.o.BlockSeconds == 0 && !b.pilot.Paused && b.pilot.Rounds > 1 {
		r.share(b)
	}
}

// learn takes the length of slices from the last block if they are far shorter
// than planned. The search runs on all CPUs, where the goroutine of a long
// operation may change threads: then its delays are not known, and a block would
// have one round.
func (b *bench) learn(z sizing) {
	last, slowest := b.Blocks[len(b.Blocks)-1].Timed(), 0.0
	for v := range last[0].Slices {
		var own []float64
		for s := range timedSlices(last, v) {
			if s.N > 0 && !s.Followed {
				return
			}
			own = append(own, s.Own()/1e9)
		}
		slowest = max(slowest, stats.Median(own))
	}
	if p := &b.pilot; slowest > 0 && slowest < p.SliceSeconds/2 && !p.Stops {
		p.SliceSeconds, p.IterationSeconds = slowest, min(p.IterationSeconds, slowest/float64(p.Iterations))
		p.Rounds = z.roundsOf(p)
	}
}

// share chooses the rounds of the next block by the times of the blocks so far,
// never by their differences: a block's precision must not depend on signs. They
// triple after the first look, which decides what needs little.
func (r *runner) share(b *bench) {
	fixed, round := costsOf(b)
	if round <= 0 {
		return
	}
	rounds := b.pilot.Rounds
	if r.variants() > 1 {
		rounds = r.size.roundsOf(&b.pilot)
		if b.GoodBlocks() >= r.design.Next(0) {
			rounds = max(rounds, min(3*rounds, int(r.size.block.Seconds()*float64(r.variants())/round)))
		}
		if last := b.Blocks[len(b.Blocks)-1]; b.direct {
			rounds = max(rounds, collectionRounds(last.Timed(), r.variants(), b.pilot.SliceSeconds))
		}
	}
	if budget := r.budget(); budget > 0 && len(b.Blocks) < plannedBlocks {
		each := (budget - b.spent.Seconds()) / float64(plannedBlocks-len(b.Blocks))
		if fit := (each - fixed) / round; fit < float64(rounds) {
			rounds = max(int(fit), min(rounds, max(leastRounds, int(fixed/round))))
		}
	}
	b.pilot.Rounds = rounds
}

// costsOf returns the seconds of a block without its rounds (starts, ends), and
// the seconds of a round. Both are medians, since a few rounds in a hundred are
// interrupted.
func costsOf(b *bench) (fixed, round float64) {
	var fixes, rounds []float64
	for i, k := range b.Blocks {
		timed := k.Timed()
		if !k.Good() || len(timed) == 0 {
			continue
		}
		// The time between two slices is part of the round.
		took := k.SliceSeconds
		if first, last := timed[0].At, timed[len(timed)-1].At; len(timed) > 1 && last > first {
			took = (last - first) * float64(len(timed)) / float64(len(timed)-1)
		}
		rounds = append(rounds, took/float64(len(timed)))
		if i == 0 {
			k.Seconds -= b.once.Seconds()
		}
		fixes = append(fixes, max(0, k.Seconds-took))
	}
	if len(rounds) == 0 {
		return 0, 0
	}
	return stats.Median(fixes), stats.Median(rounds)
}
