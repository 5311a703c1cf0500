package study

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
	"github.com/tarebench/tare/cmd/tare/internal/worker"
)

type sizing struct {
	// slice is the least timed length of a slice.
	slice time.Duration
	// block is the least length of a block per variant.
	block time.Duration
	// fixed is the number of iterations that the user set, or 0.
	fixed int64
	// rounds is the most rounds of a block, without warm-up.
	rounds int
}

const (
	// longestSlice is the greatest length of a slice with several iterations.
	longestSlice = 50 * time.Millisecond
	// mostUntimed is the greatest ratio of a slice's time without its setup to
	// its timed part.
	mostUntimed = 4
	// mostIterations is the limit of go test.
	mostIterations = 1e9
	// A probe compares slices of n iterations with slices of 64n, or less if they
	// take longer than probeLong: caches are warm in most of such a slice. Slices of
	// n are too short if they are slower by more than probeShare in each of
	// probeRounds rounds, which happens in 1 of 64 probes of two variants if length
	// does not matter. Then n grows by probeStep.
	probeLong   = 8 * time.Millisecond
	probeStep   = 4
	probeRounds = 7
	probeShare  = 0.02
	// warmTime is how long a worker runs untimed before each slice, since other
	// workers have used its caches. If a setup takes longest, it is not repeated
	// for the warm-up.
	warmTime         = 2 * time.Microsecond
	longestWarmSetup = 10 * time.Microsecond
)

func (z sizing) roundsOf(p *result.Pilot) int {
	slice := max(1e-9, p.SliceSeconds, p.IterationSeconds*float64(p.Iterations))
	return int(min(float64(z.rounds), max(1, math.Round(z.block.Seconds()/slice))))
}

// trial is one slice of every variant with the same n.
type trial struct {
	n     int64
	sides []result.Slice
	// setup is the least time that slices of a variant spent outside their timed
	// part.
	setup []float64
}

// length is the time that the search makes long enough. It is the timed part
// of the fastest variant, or a substitute if most of the slice is untimed.
func (t trial) length() float64 {
	least := math.Inf(1)
	for i, s := range t.sides {
		least = min(least, max(s.Seconds()*float64(s.N)*1e9, (s.Span-t.setup[i])/mostUntimed))
	}
	return least
}

func (t trial) longest(of func(i int, s result.Slice) float64) (longest float64) {
	for i, s := range t.sides {
		longest = max(longest, of(i, s))
	}
	return longest
}

func (t trial) withoutSetup() float64 {
	return t.longest(func(i int, s result.Slice) float64 { return s.Span - t.setup[i] })
}

func (t trial) span() float64 {
	return t.longest(func(_ int, s result.Slice) float64 { return s.Span })
}

func (t trial) timed() float64 {
	return t.longest(func(_ int, s result.Slice) float64 { return s.Own() })
}

func (t trial) paused() bool {
	return slices.ContainsFunc(t.sides, func(s result.Slice) bool { return s.Pauses > 8 && s.Pauses > s.N/8 })
}

// next gives the iterations of the next trial, and whether they are the final
// ones. If the time grows faster than the iterations, a linear step goes too
// far, and the geometric mean corrects it.
func (z sizing) next(t trial) (n int64, done bool) {
	if z.fixed > 0 {
		return z.fixed, true
	}
	goal := max(float64(z.slice), min(float64(longestSlice), slices.Max(t.setup)))
	length, rest := max(1, t.length()), float64(longestSlice)/max(1, t.withoutSetup())
	ratio := min(goal/length, rest)
	switch {
	case ratio < 0.5:
		return max(1, int64(float64(t.n)*math.Sqrt(ratio))), true
	case ratio < 4./3 || t.n >= mostIterations:
		return max(1, int64(math.Round(float64(t.n)*ratio))), true
	}
	return min(mostIterations, max(t.n+1, int64(float64(t.n)*min(ratio, 100)))), false
}

func (l *workerSet) search(ctx context.Context) error {
	z := l.r.size
	t := trial{n: 1, setup: slices.Repeat([]float64{math.Inf(1)}, len(l.variants))}
	for side := range l.variants {
		leaf := l.group.Leaf(side).Slice
		leaf.Span = max(leaf.Span, leaf.Own())
		t.sides = append(t.sides, leaf)
	}
	perOp := t.span()
	if n, done := z.next(t); done && n == 1 && (z.fixed > 0 || t.length() > float64(z.block)) {
		l.choose(t, n, perOp)
		return nil
	}
	// The first call met cold caches and pools.
	budget, began := seconds(l.r.budget()), time.Now()
	for n, done, cold := max(1, z.fixed), false, z.fixed == 0; !done; cold = false {
		rounds, err := l.take(ctx, []roundPlan{{order: l.variants, n: n, reading: worker.Unread}})
		if err != nil {
			return err
		}
		t.n, t.sides = n, nil
		for side, v := range l.variants {
			s := rounds[0].Slices[v]
			s.Span -= l.more[v] * s.Own()
			t.sides, t.setup[side] = append(t.sides, s), min(t.setup[side], max(0, s.Span-s.Own()))
		}
		perOp = min(perOp, t.span()/float64(n))
		before := slices.Max(l.more)
		l.even(rounds)
		// And so did the first slices, and those before a variant has warm-ups.
		if n, done = z.next(t); cold || before == 0 && slices.Max(l.more) > 0 {
			done = false
		}
		if budget > 0 && time.Since(began) > budget/2 { // a long setup
			n, done = t.n, true
		}
		if done {
			l.choose(t, n, perOp)
		}
	}
	return nil
}

// choose plans slices of n iterations from a trial and the least wall time of
// an iteration in nanoseconds.
func (l *workerSet) choose(t trial, n int64, perOp float64) {
	p := &l.b.pilot
	p.Iterations, p.Paused, p.IterationSeconds = n, t.paused(), perOp/1e9
	l.b.untimed = t.withoutSetup() > mostUntimed*t.timed()
	l.perOp = nil
	for i, s := range t.sides {
		l.perOp = append(l.perOp, max(s.Raw, (s.Span-t.setup[i])/mostUntimed)/float64(t.n))
	}
	p.SliceSeconds = t.timed() / 1e9 / float64(t.n) * float64(n)
	p.Rounds, p.Warmup = l.r.size.roundsOf(p), 0
	op := t.timed() / float64(t.n)
	setup := slices.Max(t.setup)
	if setup > t.timed() && !math.IsInf(setup, 1) {
		l.b.setup = setup / 1e9
	}
	if l.r.size.fixed == 0 && !p.Paused && op > 0 && setup <= float64(longestWarmSetup) {
		p.Warmup = min(int64(float64(warmTime)/op), n/8)
	}
}

// probe lengthens the slices of a benchmark until longer ones take the same
// time per operation. Neither a timed setup, nor caches that the other variants
// leave cold, may affect the time. Mostly untimed slices do not change, since
// their timed part does not grow.
//
// Its limit is the time of its slices, which other programs do not affect: with
// a limit of wall time a busy machine would end it in the middle. Only slices
// that are proven to be too short become longer.
func (l *workerSet) probe(ctx context.Context) error {
	if l.r.size.fixed > 0 || l.b.untimed {
		return nil
	}
	p, limit := &l.b.pilot, time.Duration(math.MaxInt64)
	if budget := seconds(l.r.budget()); budget > 0 {
		limit = budget / plannedBlocks
	}
	for far := l.far(p.Iterations); far > p.Iterations && limit > 0; {
		short, b, err := l.short(ctx, p.Iterations, far, &limit)
		if err != nil {
			return err
		}
		p.SliceSeconds = b.of(p.Iterations)
		if !short {
			break
		}
		if p.Iterations *= probeStep; p.Iterations >= far {
			// Longer by as much as makes the constant part small, which needs no proof.
			enough := math.Ceil(b.constant / probeShare / max(b.each, 1e-12))
			p.Iterations = max(far, int64(min(float64(l.most(longestSlice)), enough)))
			far = l.far(p.Iterations)
		}
		p.SliceSeconds = b.of(p.Iterations)
	}
	p.Rounds = l.r.size.roundsOf(p)
	clear(l.used) // the block begins here
	l.r.inSlices = 0
	return nil
}

func (l *workerSet) most(length time.Duration) int64 {
	return int64(min(mostIterations, length.Seconds()/max(l.b.pilot.IterationSeconds, 1e-9)))
}

// far is the number of iterations to compare n with, or n if none fits.
func (l *workerSet) far(n int64) int64 {
	if far := probeStep * n; far <= l.most(longestSlice) {
		return max(far, min(n*probeStep*probeStep*probeStep, l.most(probeLong)))
	}
	return n
}

// length is the time of a slice of the slowest variant, in seconds: a constant
// part, and one for each iteration.
type length struct{ constant, each float64 }

func (b length) of(n int64) float64 { return b.constant + b.each*float64(n) }

// short reports whether slices of n iterations are slower per operation than
// slices of far iterations, in a variant, in all rounds. If the collector's time
// is not known separately, they must not be quicker either, since longer slices
// include the collector. It subtracts the time of its slices from limit, and
// reports false if they take longer.
func (l *workerSet) short(ctx context.Context, n, far int64, limit *time.Duration) (short bool, b length, err error) {
	direct, _ := l.group.Direct()
	alike := make([]bool, len(l.variants))
	b = length{each: math.Inf(1)}
	for i := 0; i < probeRounds && slices.Contains(alike, false); i++ {
		if *limit <= 0 {
			return false, b, nil
		}
		long, took, err := l.warmedTime(ctx, far, 0)
		if err != nil {
			return false, b, err
		}
		perOp, again, err := l.warmedTime(ctx, n, took)
		if err != nil {
			return false, b, err
		}
		*limit -= took + again
		for side, per := range perOp {
			apart := per/long[side] - 1
			alike[side] = alike[side] || apart <= probeShare && (direct || apart >= -probeShare)
		}
		if slow, quick := slices.Max(perOp), slices.Max(long); slow*float64(n) < b.of(n) {
			b.constant = max(0, (slow-quick)/(1/float64(n)-1/float64(far)))
			b.each = slow - b.constant/float64(n)
		}
	}
	return slices.Contains(alike, false), b, nil
}

// warmedTime repeats slices of n iterations for at least this long, without
// waits, so that the caches are as in a block. It returns the time of an
// operation in seconds by side, from the second half of the slices, and the
// total time.
func (l *workerSet) warmedTime(ctx context.Context, n int64, least time.Duration) (perOp []float64, took time.Duration, err error) {
	p := &l.b.pilot
	var rounds []result.Round
	for more := 1; more > 0; {
		some, err := l.take(ctx, slices.Repeat([]roundPlan{{order: l.variants, n: n, warm: p.Warmup, reading: worker.Unread}}, more))
		if err != nil {
			return nil, 0, err
		}
		for _, r := range some {
			slowest := 0.0
			for _, v := range l.variants {
				x := r.Slices[v]
				slowest = max(slowest, x.Span)
				took += max(time.Microsecond, time.Duration(x.Span))
			}
			p.IterationSeconds = min(p.IterationSeconds, slowest/1e9/float64(n))
		}
		rounds = append(rounds, some...)
		l.even(some)
		more = int(max(0, least-took) * time.Duration(len(rounds)) / took)
	}
	for _, v := range l.variants {
		var per []float64
		for _, r := range rounds[len(rounds)/2:] {
			per = append(per, r.Slices[v].Seconds())
		}
		perOp = append(perOp, stats.Median(per))
	}
	return perOp, took, nil
}
