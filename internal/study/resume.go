package study

import (
	"cmp"
	"slices"
	"time"

	"github.com/tarebench/tare/internal/result"
)

// Trim drops from a recording what an interrupted study left half done: the
// rounds of blocks that did not end, the end line, and the stops that the
// interruption made. What is left can be gone on from: every coin comes from
// the seed and the number of the block, so the study draws the same ones, and
// the judgement, which looks at all blocks so far, spends no α twice.
func Trim(lines []result.Line) []result.Line {
	whole := make(map[[2]int]bool)
	for _, l := range lines {
		if l.Block != nil {
			whole[[2]int{l.Block.Benchmark, l.Block.Block}] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(lines), func(l result.Line) bool {
		return l.End != nil ||
			l.Stop != nil && l.Stop.Reason == "interrupted" ||
			l.Round != nil && !whole[[2]int{l.Round.Benchmark, l.Round.Block}]
	})
}

// restore makes the benchmarks of an earlier recording as they stood.
func (r *runner) restore(rec *result.Recording) {
	r.said = slices.Clone(rec.Findings)
	for i, announced := range rec.Benchmarks {
		b := &bench{index: i, Benchmark: announced}
		b.measure, b.blocks = rec.Of(i)
		for _, k := range b.blocks {
			b.spent += seconds(k.Seconds)
		}
		for _, f := range rec.Findings {
			b.alone = b.alone || f.ID == "one-at-a-time" && f.Subject == b.Name
		}
		perBlock := 0
		for _, round := range b.measure {
			for _, s := range round.Slices {
				b.saw(s)
			}
			if round.Counting {
				b.remember(round)
				b.paused = b.paused || len(b.counts) > 0
			} else if round.Block == b.measure[len(b.measure)-1].Block {
				for _, s := range round.Slices {
					if perBlock == 0 { // the first of a block is never a long one
						b.n = max(b.n, s.N)
					}
					b.probed = b.probed || s.N > b.n
				}
				perBlock++
			}
		}
		if !b.alone && perBlock > 1 {
			perBlock-- // the warm-up
		}
		b.rounds = perBlock
		b.wall = b.quickest()
		r.resize(b)
		b.done = slices.ContainsFunc(rec.Stops, func(s result.Stop) bool { return s.Benchmark == i })
		r.benches = append(r.benches, b)
	}
}

// quickest is how long an iteration takes by the quickest round on record, its
// pauses included; 0 where no round tells. The sides share a round evenly, for
// want of better.
func (b *bench) quickest() (least time.Duration) {
	inTime := slices.SortedStableFunc(slices.Values(b.measure), func(x, y result.Round) int {
		return cmp.Or(x.Block-y.Block, cmp.Compare(x.At, y.At))
	})
	for i, now := range inTime[:max(0, len(inTime)-1)] {
		next := inTime[i+1]
		var n int64
		for _, s := range now.Slices {
			n += s.N
		}
		took := seconds(next.At - now.At)
		if now.Counting || now.Block != next.Block || took <= 0 || n == 0 {
			continue
		}
		if perOp := took / time.Duration(n); least == 0 || perOp < least {
			least = max(1, perOp)
		}
	}
	return least
}

// announced finds a benchmark that an earlier recording has.
func (r *runner) announced(key result.Key) *bench {
	for _, b := range r.benches {
		if b.Key == key {
			return b
		}
	}
	return nil
}
