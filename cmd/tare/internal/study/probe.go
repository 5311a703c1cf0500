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

// sizing chooses the iterations of a slice and the rounds of a block.
type sizing struct {
	// slice is the timed length a slice should have at least.
	slice time.Duration
	// block is the length per variant a block should have.
	block time.Duration
	// fixed is the number of iterations the user asked for, 0 for none.
	fixed int64
	// rounds is the most rounds of a block, warm-up not counted.
	rounds int
}

const (
	// longestSlice is the greatest length of slices with several iterations.
	longestSlice = 50 * time.Millisecond
	// mostUntimed is the greatest ratio of a slice's time to its timed part,
	// its setup not counted.
	mostUntimed = 4
	// mostIterations is the limit of go test.
	mostIterations = 1e9
	// sizeTries is the number of slices of a length that the search takes: an
	// interruption makes one look too long.
	sizeTries = 3
	// A probe takes slices of n, 4n, 16n and 64n iterations in each of its
	// rounds. Slices of n are too short if all are slower than the longest by
	// more than probeShare. That happens in 1 of 32 probes if length does not
	// matter.
	probeStep, probeSteps = 4, 4
	probeRounds           = 5
	probeShare            = 0.02
	// warmTime is how long a worker runs, untimed, before each slice, since
	// others have used its caches. A setup that takes longest is not repeated
	// for it.
	warmTime         = 2 * time.Microsecond
	longestWarmSetup = 10 * time.Microsecond
)

// roundsOf is the number of rounds of a block whose slices are planned.
func (z sizing) roundsOf(p *result.Pilot) int {
	slice := max(1e-9, p.SliceSeconds, p.IterationSeconds*float64(p.Iterations))
	return int(min(float64(z.rounds), max(1, math.Round(z.block.Seconds()/slice))))
}

// trial is one slice of every variant with the same n.
type trial struct {
	n     int64
	sides []result.Slice
	// setup is the least time that slices of a variant spent outside their
	// timed part.
	setup []float64
}

// length is the time that the search makes long enough: the timed part of the
// quickest variant, or its substitute if most of the slice is untimed.
func (t trial) length() float64 {
	least := math.Inf(1)
	for i, s := range t.sides {
		least = min(least, max(s.Seconds()*float64(s.N)*1e9, (s.Span-t.setup[i])/mostUntimed))
	}
	return least
}

// longest is the longest slice of a variant, by one of its times.
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
	return t.longest(func(_ int, s result.Slice) float64 { return s.Raw })
}

// paused reports whether a variant times many intervals.
func (t trial) paused() bool {
	return slices.ContainsFunc(t.sides, func(s result.Slice) bool { return s.Pauses > 8 && s.Pauses > s.N/8 })
}

// mostlyUntimed reports whether most of a slice is not timed, its setup not
// counted. A slice that used less of a CPU than it took was interrupted.
func (t trial) mostlyUntimed() bool {
	took := t.longest(func(i int, s result.Slice) float64 {
		if s.CPU > 0 {
			return min(s.Span, s.CPU) - t.setup[i]
		}
		return s.Span - t.setup[i]
	})
	return took > mostUntimed*t.timed()
}

// next gives the iterations of the next trial, and done if they are the final
// ones. If the time grows faster than the iterations, a linear step leads too
// far, and the geometric mean leads back.
func (z sizing) next(t trial) (n int64, done bool) {
	if z.fixed > 0 {
		return z.fixed, true
	}
	goal := max(float64(z.slice), min(float64(longestSlice), t.longest(func(i int, _ result.Slice) float64 { return t.setup[i] })))
	length, rest := max(1, t.length()), float64(longestSlice)/max(1, t.withoutSetup())
	ratio := min(goal/length, rest)
	switch {
	case ratio < 0.5:
		return max(1, int64(float64(t.n)*math.Sqrt(ratio))), true
	case ratio < 4./3 || t.n >= mostIterations:
		return max(1, int64(math.Round(float64(t.n)*ratio))), true
	}
	return min(mostIterations, max(t.n+1, int64(float64(t.n)*min(1.1*ratio, 100)))), false
}

// search finds the iterations of the shortest slices that can be timed.
func (l *workerSet) search(ctx context.Context) error {
	z := l.r.size
	t := trial{n: 1, setup: slices.Repeat([]float64{math.Inf(1)}, len(l.variants))}
	for side := range l.variants {
		leaf := l.group.Leaf(side).Slice
		leaf.Span = max(leaf.Span, leaf.Raw)
		t.sides = append(t.sides, leaf)
	}
	perOp := t.span()
	if n, done := z.next(t); done && n == 1 && (z.fixed > 0 || t.length() > float64(z.block)) {
		l.choose(t, n, perOp)
		return nil
	}
	// The very first call met cold caches and pools.
	for n, done := max(1, z.fixed), false; !done; {
		quickest := trial{n: n, setup: t.setup}
		for range sizeTries {
			rounds, err := l.take(ctx, []roundPlan{{order: l.variants, n: n, reading: worker.Unread}})
			if err != nil {
				return err
			}
			t.sides = nil
			for side, v := range l.variants {
				s := rounds[0].Slices[v]
				t.sides, t.setup[side] = append(t.sides, s), min(t.setup[side], max(0, s.Span-s.Raw))
			}
			perOp = min(perOp, t.span()/float64(n))
			if quickest.sides == nil || t.span() < quickest.span() {
				quickest.sides = t.sides
			}
			if t.span() > float64(longestSlice) {
				break
			}
		}
		t = quickest
		n, done = z.next(t)
		if done {
			l.choose(t, n, perOp)
		}
	}
	return nil
}

// choose plans slices of n iterations by a trial and the least wall time of an
// iteration, in nanoseconds.
func (l *workerSet) choose(t trial, n int64, perOp float64) {
	p := &l.b.plan
	p.Iterations, p.Paused, p.IterationSeconds = n, t.paused(), perOp/1e9
	l.b.untimed = t.mostlyUntimed()
	p.SliceSeconds = t.timed() / 1e9 / float64(t.n) * float64(n)
	p.Rounds, p.Warmup = l.r.size.roundsOf(p), 0
	op := t.timed() / float64(t.n)
	setup := t.longest(func(i int, _ result.Slice) float64 { return t.setup[i] })
	if l.r.size.fixed == 0 && !p.Paused && op > 0 && setup <= float64(longestWarmSetup) {
		p.Warmup = min(int64(float64(warmTime)/op), n/8)
	}
}

// probe lengthens the slices of a benchmark until longer ones take the same
// time per operation. The time of an operation must not depend on how long the
// other variants ran before, nor on a timed setup. Slices that are mostly
// untimed do not change: their timed part does not grow.
func (l *workerSet) probe(ctx context.Context) error {
	if l.r.size.fixed > 0 || l.b.untimed {
		return nil
	}
	p, began := &l.b.plan, time.Now()
	over := func() bool {
		budget := seconds(l.r.budget())
		return budget > 0 && time.Since(began) > budget/plannedBlocks
	}
	for lengths := l.lengths(); len(lengths) > 1 && !over(); lengths = l.lengths() {
		n, err := l.enough(ctx, lengths, over)
		if err != nil {
			return err
		}
		p.Iterations = n
		if n < lengths[len(lengths)-1] {
			break
		}
	}
	p.Rounds = l.r.size.roundsOf(p)
	clear(l.used) // the block begins here
	l.r.inSlices = 0
	return nil
}

// lengths are the numbers of iterations that a probe compares.
func (l *workerSet) lengths() (all []int64) {
	p := l.b.plan
	for n := p.Iterations; len(all) < probeSteps && n <= mostIterations && seconds(p.IterationSeconds*float64(n)) <= longestSlice; n *= probeStep {
		all = append(all, n)
	}
	return all
}

// enough gives the least of these iterations whose time per operation equals
// the time with the most, on all variants, and notes how long such slices are.
// If the collector's time is not known apart, it must not be shorter either:
// the longest slices include the collector.
func (l *workerSet) enough(ctx context.Context, lengths []int64, over func() bool) (int64, error) {
	p, last := &l.b.plan, len(lengths)-1
	direct, _ := l.group.Direct()
	alike, slowest := make([][]bool, len(lengths)), make([]float64, len(lengths))
	for k := range lengths {
		alike[k] = make([]bool, len(l.variants))
		slowest[k] = math.Inf(1)
	}
	for i := 0; i < probeRounds && slices.Contains(alike[0], false) && (i == 0 || !over()); i++ {
		perOp := make([][]float64, len(lengths))
		least := time.Duration(0)
		for k := last; k >= 0; k-- {
			var err error
			if perOp[k], least, err = l.steady(ctx, lengths[k], least); err != nil {
				return 0, err
			}
			slowest[k] = min(slowest[k], slices.Max(perOp[k]))
		}
		for k, sides := range perOp {
			for side, per := range sides {
				apart := per/perOp[last][side] - 1
				alike[k][side] = alike[k][side] || apart <= probeShare && (direct || apart >= -probeShare)
			}
		}
	}
	k := max(0, slices.IndexFunc(alike, func(sides []bool) bool { return !slices.Contains(sides, false) }))
	p.SliceSeconds = slowest[k] * float64(lengths[k])
	return lengths[k], nil
}

// undisturbed is the time of an operation, in seconds: the CPU time if that is
// less than the time of the clock. On a busy machine a slice of 50 ms loses the
// CPU many times and one of 0.1 ms seldom, so that its clock would show short
// ones as quicker.
func undisturbed(s result.Slice) float64 {
	if s.CPU > 0 {
		return min(s.Seconds(), s.CPU/1e9/float64(s.N))
	}
	return s.Seconds()
}

// spent is the time of a slice with its setup, like [undisturbed].
func spent(s result.Slice) time.Duration {
	if s.CPU > 0 {
		return time.Duration(min(s.Span, s.CPU))
	}
	return time.Duration(s.Span)
}

// steady repeats slices of n iterations for at least this long, waits not
// counted, so that the caches are as in a block. It returns the time of an
// operation by side, in seconds, from the second half of the slices, and the
// time of all.
func (l *workerSet) steady(ctx context.Context, n int64, least time.Duration) (perOp []float64, took time.Duration, err error) {
	p := &l.b.plan
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
				took += max(time.Microsecond, spent(x))
			}
			p.IterationSeconds = min(p.IterationSeconds, slowest/1e9/float64(n))
		}
		rounds = append(rounds, some...)
		more = int(max(0, least-took) * time.Duration(len(rounds)) / took)
	}
	for _, v := range l.variants {
		var per []float64
		for _, r := range rounds[len(rounds)/2:] {
			per = append(per, undisturbed(r.Slices[v]))
		}
		perOp = append(perOp, stats.Median(per))
	}
	return perOp, took, nil
}
