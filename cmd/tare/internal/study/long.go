package study

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
	"github.com/tarebench/tare/cmd/tare/internal/worker"
	"github.com/tarebench/tare/internal/finding"
)

// The precision of tare comes from short slices on one CPU, and the question of
// its user is about the long run. So every benchmark also runs as go test runs
// it: one call of many iterations in a process on all CPUs, after a collection,
// in turn. Such runs are noisy, so they are a witness and not an estimate. If
// they contradict the slices, the slices do not measure this benchmark, and the
// block is measured again by longer means: longer slices, and at last long runs
// themselves (docs/decisions/witness.md).

const (
	// longTime is the least time of a long run. The system counts CPU time in
	// steps of up to 4 ms.
	longTime = 50 * time.Millisecond
	// goTestTime is the least time of the calls that go test reports.
	goTestTime = time.Second
	// margin is how much longer a long run is planned, so that one is enough.
	margin = 1.1
)

// sizeLong finds how many iterations a long run of each variant needs, and
// takes the first one of each. It takes at least longTime, and contains
// leastCollections if the benchmark allocates and they fit into the time of a
// block.
func (l *workerSet) sizeLong(ctx context.Context) (result.Round, error) {
	p := &l.b.pilot
	p.Long = slices.Repeat([]int64{max(1, p.Iterations)}, l.r.variants())
	known := make([]result.Slice, l.r.variants())
	for side, perOp := range l.perOp {
		v := l.variants[side]
		known[v] = result.Slice{N: p.Iterations, Raw: perOp * float64(p.Iterations)}
		if raw := known[v].Raw; raw > 0 && raw < float64(longTime) && l.r.size.fixed == 0 {
			p.Long[v] = iterations(result.Slice{}, known[v], float64(longTime)/raw)
		}
	}
	return l.sizeFor(ctx, longTime, known)
}

// iterations is how many make a call that many times as long as the last one. Data
// may grow with b.N, and time with a power of it: a call of half as many or fewer
// before shows which, and after one call it is assumed to be the square.
func iterations(before, last result.Slice, times float64) int64 {
	power, n := 2., float64(last.N)
	if before.Raw > 0 {
		power = 1
		if more := n / float64(before.N); more >= 2 {
			power = max(1, math.Round(2*math.Log(last.Raw/before.Raw)/math.Log(more))/2)
		}
	}
	return int64(min(mostIterations, max(n*min(math.Pow(margin*times, 1/power), 100), n+1)))
}

// sizeFor takes a long run of each variant that takes at least this time, and
// notes its iterations in the plan. If data grow with b.N, the time of an operation
// depends on it. So the calls of all variants have as many iterations, unless one
// variant takes more than twice as long as another. Known are shorter calls.
func (l *workerSet) sizeFor(ctx context.Context, least time.Duration, known []result.Slice) (result.Round, error) {
	p := &l.b.pilot
	longest := max(least, seconds(l.r.budget())/plannedBlocks)
	round := result.Round{At: l.r.elapsed(), Order: l.variants, Slices: make([]result.Slice, l.r.variants())}
	for taken, more := make([]int64, l.r.variants()), true; more; {
		more = false
		most := slices.Max(p.Long)
		for side, v := range l.variants {
			if p.Long[v] >= most/2 {
				p.Long[v] = most
			}
			if taken[v] == p.Long[v] {
				continue
			}
			taken[v], more = p.Long[v], true
			run, err := l.takeLong(ctx, []int{v})
			if err != nil {
				return round, err
			}
			s, use := run.Slices[v], l.group.Uses()[side]
			round.Slices[v] = s
			// At least, if other programs delayed it.
			own := max(1, s.Raw-s.MaxDelay, min(s.CPUTime, s.Raw))
			last, span := result.Slice{N: s.N, Raw: own}, s.Span*own/max(1, s.Raw)
			length := max(own, span/mostUntimed)
			// Little of the time of a call may be timed.
			times := min(float64(least)/own, float64(least+(mostUntimed-1)*longTime)/max(1, span))
			if n := collectionsIn(use, length); n > 0 && n < leastCollections {
				times = max(times, min(leastCollections/n, float64(longest)/max(length, span)))
			}
			if lackedCPU(s) {
				times /= 2 // the delay is at most so much
			}
			if times > 1 && l.r.size.fixed == 0 && s.N < mostIterations {
				p.Long[v] = iterations(known[v], last, times)
			}
			known[v] = last
		}
	}
	return round, nil
}

// sizeCPUs finds how many CPUs the operations of a delayed run would have used, in
// further runs.
func (r *runner) sizeCPUs(ctx context.Context, a *attempt, variants []int) error {
	long := a.long[0].Slices
	if a.b.Procs == 1 || !slices.ContainsFunc(long, lackedCPU) {
		return nil
	}
	l, err := r.start(ctx, a.b, a.bins, variants, nil, true)
	if err != nil {
		return err
	}
	defer l.group.Close()
	run, err := l.take(ctx, []roundPlan{{order: variants, long: a.b.pilot.Long, reading: worker.Ready}})
	if err != nil {
		return err
	}
	for _, v := range variants {
		if lackedCPU(long[v]) {
			long[v].CPUs = run[0].Slices[v].CPUs
		}
	}
	return l.end(ctx, nil)
}

// lackedCPU reports whether the process of a long run had work and no CPU at times.
func lackedCPU(s result.Slice) bool { return s.MaxDelay > judge.LeastTolerance*s.Raw }

// collectionsIn is the number of collections of a process per call that took some
// time, or 0 if the collector does not matter. Its process also collected once
// before the call.
func collectionsIn(use result.Process, took float64) float64 {
	if use.GCs == 0 || use.HeapGoal <= use.HeapLive {
		return 0
	}
	n := float64(use.Bytes) / float64(use.HeapGoal-use.HeapLive)
	if n*use.GCTime/float64(use.GCs) < judge.LeastTolerance*took {
		return 0
	}
	return n
}

func (l *workerSet) takeLong(ctx context.Context, order []int) (result.Round, error) {
	turn := roundPlan{order: order, long: l.b.pilot.Long, reading: worker.Few}
	if l.b.pilot.Paused {
		turn.reading = worker.Unread
	}
	rounds, err := l.take(ctx, []roundPlan{turn})
	if err != nil {
		return result.Round{}, err
	}
	return rounds[0], nil
}

// parallel reports whether a variant kept more than one CPU busy, or would have
// if other programs had not used it.
func (b *bench) parallel(long result.Round) bool {
	switch {
	case b.Procs == 1:
		return false
	case !b.direct:
		return true // it is not known
	}
	return slices.ContainsFunc(long.Slices, judge.Parallel)
}

// climb measures the first block by longer means while its slices contradict
// its long runs. It takes no further pair of these once they have taken a budget: other
// programs may delay them all.
func (r *runner) climb(ctx context.Context, a *attempt) error {
	b, began := a.b, time.Now()
	if a.observe(); a.delayed() && len(a.long) == 1 && b.pilot.CPUs != "" && !b.pilot.Alone {
		if err := r.moreLong(ctx, a); err != nil {
			return err
		}
	}
	for len(a.long) > 0 && len(a.which) == r.variants() && !b.pilot.Whole {
		a.observe()
		known := b.Benchmark
		known.Blocks, known.Pilot = []result.Block{*a.blk}, &b.pilot
		f, open, contradicted := judge.Contradiction(r.o.Study, known)
		if !contradicted {
			// Of twice as many, as many are known if other programs delay the rest.
			budget := seconds(r.budget())
			if !open || len(a.long) >= 2*judge.LeastPairs || budget > 0 && time.Since(began) > budget {
				return nil
			}
			if err := r.moreLong(ctx, a); err != nil {
				return err
			}
			continue
		}
		next := a.longer(r.size)
		if next.Whole && !a.delayed() { // or other programs would be in the time
			next.CPUs = ""
			if err := r.dependsOnN(ctx, a, &next); err != nil {
				return err
			}
		}
		b.once = 0 // the earlier tries are not charged
		undo := r.retry(a, next)
		if err := r.oneWay(ctx, a); err != nil {
			if undo(); ctx.Err() != nil {
				return err
			}
			return nil
		}
		if b.pilot.Whole {
			return r.once(f)
		}
	}
	return nil
}

// dependsOnN compares long runs with calls as long as those that go test reports. If
// an operation takes another time in these, whole calls are as long.
func (r *runner) dependsOnN(ctx context.Context, a *attempt, next *result.Pilot) error {
	b, before := a.b, slices.Clone(a.b.pilot.Long)
	if r.size.fixed > 0 {
		return nil
	}
	l, err := r.start(ctx, b, a.bins, a.which, nil, false)
	if err != nil {
		return err
	}
	defer l.group.Close()
	run, err := l.sizeFor(ctx, goTestTime, make([]result.Slice, r.variants()))
	longest := b.pilot.Long
	if b.pilot.Long = before; err != nil {
		return err
	}
	for _, v := range a.which {
		var logs []float64
		for _, pair := range a.long {
			logs = append(logs, math.Log(pair.Slices[v].Seconds()))
		}
		short, s := math.Exp(stats.Median(logs)), run.Slices[v]
		if judge.Undelayed(s) && math.Abs(math.Log(s.Seconds()/short)) > math.Log1p(judge.LevelTolerance)+2*stats.Deviation(logs) {
			next.Long, next.SliceSeconds = longest, goTestTime.Seconds()
			next.Rounds = r.size.roundsOf(next)
			f := catalog.DependsOnN.Of(b.Name, finding.Text("unit", "sec/op"),
				finding.Quantity("first", short, "sec"), finding.Count("n", before[v], "iteration"),
				finding.Quantity("later", s.Seconds(), "sec"), finding.Count("more", s.N, ""))
			return errors.Join(r.once(f), l.end(ctx, nil))
		}
	}
	return l.end(ctx, nil)
}

// delayed reports whether other programs delayed the first long runs, as far as the
// block has been observed. Their time is then not known, since it is known for
// workers on one CPU only. Further long runs use the CPU of the slices.
func (a *attempt) delayed() bool {
	return len(a.long) > 0 && !judge.Quiet(*a.blk) && slices.ContainsFunc(a.long[0].Slices, func(s result.Slice) bool { return !judge.Undelayed(s) })
}

// moreLong takes a further pair of long runs. If other programs delay them, they run
// at the same time on the CPU of the slices, where the delays of a thread are known.
// A pair then takes half the time, and its runs meet the same neighbors.
func (r *runner) moreLong(ctx context.Context, a *attempt) error {
	began, inSlices := time.Now(), r.inSlices
	defer func() { a.began, r.inSlices = a.began.Add(time.Since(began)), inSlices }()
	order := a.which
	if len(a.long)%2 == 1 {
		order = turned(order)
	}
	var cpus []int
	if a.delayed() {
		cpus = r.cpusOf(a.b)
	}
	if cpus == nil {
		defer a.beside(r.processes.watchOthers())() // after the workers have ended
	}
	l, err := r.start(ctx, a.b, a.bins, order, cpus, cpus != nil)
	if err != nil {
		return err
	}
	defer l.group.Close()
	pair, err := l.takeLong(ctx, order)
	if err != nil {
		return err
	}
	a.long = append(a.long, pair)
	return l.end(ctx, nil)
}

// starved reports whether others had the CPU for most of the last block, whose slices
// are longer than turns of the scheduler.
func (b *bench) starved() bool {
	p := &b.pilot
	if len(b.Blocks) == 0 || p.CPUs == "" || p.Alone || max(p.SliceSeconds, p.IterationSeconds*float64(p.Iterations)) < longTime.Seconds() {
		return false
	}
	delay, raw := 0.0, 0.0
	for _, r := range b.Blocks[len(b.Blocks)-1].Rounds {
		for _, s := range r.Slices {
			delay, raw = delay+s.Delay, raw+s.Raw
		}
	}
	return delay > raw/2
}

// lengthen makes slices longer by a factor, once, if they then are short enough.
func (b *bench) lengthen(p *result.Pilot, z sizing) bool {
	slice := max(p.SliceSeconds, p.IterationSeconds*float64(p.Iterations))
	if z.fixed > 0 || judge.LongerSlice*slice > longestSlice.Seconds() || b.longerTried {
		return false
	}
	b.longerTried = true
	p.Iterations, p.SliceSeconds = judge.LongerSlice*p.Iterations, judge.LongerSlice*p.SliceSeconds
	p.Rounds = z.roundsOf(p)
	return true
}

// longer is the pilot by the next longer means. A block of long runs that fill it
// is one pair.
func (a *attempt) longer(z sizing) result.Pilot {
	next := a.b.pilot
	if !a.b.lengthen(&next, z) {
		next.Whole, next.SliceSeconds = true, longTime.Seconds()
		for _, s := range a.long[0].Slices {
			next.SliceSeconds = max(next.SliceSeconds, s.Seconds()*float64(s.N)-s.MaxDelay/1e9)
		}
		next.Rounds = z.roundsOf(&next)
	}
	return next
}
