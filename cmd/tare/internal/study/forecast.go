package study

import (
	"slices"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// The time that a benchmark needs besides its slices, estimated before
// anything is measured: for the pilot, and for the processes of a block.
const (
	pilotTime = 350 * time.Millisecond
	startTime = 40 * time.Millisecond
)

// planShare is the share of a total in which every benchmark should reach the
// first look that may call a difference.
const planShare = 0.5

// blockOfTotal is the wall time of a block if all benchmarks share a
// total. It is at most wall, or longest if there is no budget.
func blockOfTotal(s result.Study, wall, longest time.Duration) time.Duration {
	if wall <= 0 {
		wall = longest
	}
	benchmarks := max(1, s.Family/max(1, len(s.Variants)-1))
	share := seconds(planShare*s.TotalSeconds) / time.Duration(benchmarks*judge.DesignOf(s).FirstCalled())
	return min(wall, share)
}

// planned is the expected time of the study before anything is measured. On a
// quiet machine all benchmarks end at the first look that may call a
// difference.
func (r *runner) planned() Event {
	e := Event{Phase: "planned", Reach: r.reach()}
	blocks := r.design.FirstCalled()
	if r.variants() == 1 {
		blocks = r.most()
	}
	for _, b := range r.benches {
		if b.done {
			continue
		}
		left := r.plannedLook(b, blocks)
		if budget := seconds(r.budget()); budget > 0 {
			left = min(left, max(0, budget-b.spent))
		}
		e.Left += left
	}
	if r.o.TotalSeconds > 0 {
		e.Left = min(e.Left, r.left())
	}
	return e
}

// plannedLook is the time of the blocks of b up to a look on a quiet machine,
// including its pilot. A worker runs one iteration when it starts, and at
// least one in the block. The rounds of a short operation do not fill a
// block.
func (r *runner) plannedLook(b *bench, upTo int) time.Duration {
	timed := min(r.size.block, time.Duration(r.size.rounds)*max(r.size.slice, b.iteration))
	block := (b.took + max(timed*5/4, b.took)) * time.Duration(r.variants())
	counting := r.countingTime(b, 1)
	if r.countsSlowly(b) {
		counting = 0
	}
	return counting + pilotTime + time.Duration(upTo)*(block+startTime)
}

// reach is how many benchmarks a total reaches, at the pace of the looks so
// far, or as planned before the first look.
func (r *runner) reach() (to result.Reach) {
	if r.o.TotalSeconds <= 0 {
		return to
	}
	first := r.design.Next(0)
	var rest []time.Duration
	var pace time.Duration
	looked := 0
	for _, b := range r.benches {
		if n := len(b.Blocks); n > 0 && b.wall > 0 {
			pace += b.once + b.perBlock()*time.Duration(first)
			looked++
		}
	}
	if looked > 0 {
		pace = time.Duration(r.waits() * float64(pace) / float64(looked))
	}
	for _, b := range r.benches {
		switch {
		case b.GoodBlocks() >= first:
			to.Reached++
		case b.done: // not selected, or not measurable
		case looked > 0:
			rest = append(rest, max(0, pace-b.wall))
		default:
			rest = append(rest, r.plannedLook(b, first))
		}
	}
	slices.Sort(rest)
	to.Expected, to.Of = to.Reached, to.Reached+len(rest)
	var sum time.Duration
	for _, d := range rest {
		if sum += d; sum <= r.left() {
			to.Expected++
		}
	}
	to.Enough = time.Duration(float64(time.Since(r.o.Begun)+sum) / (1 - finishShare))
	return to
}

// waits is the time of the study so far over the time of its benchmarks, which
// does not include waiting for links.
func (r *runner) waits() float64 {
	var walls time.Duration
	for _, b := range r.benches {
		walls += b.wall
	}
	if walls == 0 || r.measuring.IsZero() {
		return 1
	}
	return max(1, float64(time.Since(r.measuring))/float64(walls))
}

// forecast is the expected time of the rest of the study, links included. A
// benchmark with a look has an estimate from its looks. Any other takes the
// average of these, or before the first look of the blocks so far.
func (r *runner) forecast() time.Duration {
	var left, known time.Duration
	n, unknown := 0, 0
	var begun, pace time.Duration
	first := r.design.Next(0)
	for _, b := range r.benches {
		switch {
		case b.wall == 0 && b.done: // not measured, or in an earlier session
		case b.done:
			known += b.wall
			n++
		case b.GoodBlocks() < first || b.wall == 0:
			unknown++
			begun += b.wall
			if len(b.Blocks) > 0 {
				pace = max(pace, b.once+b.perBlock()*time.Duration(r.design.FirstCalled()))
			}
		default:
			rest := r.expectedRest(b)
			left += rest
			known += b.wall + rest
			n++
		}
	}
	switch {
	case unknown > 0 && n > 0:
		left += max(0, known/time.Duration(n)*time.Duration(unknown)-begun)
	case unknown > 0:
		left += max(0, r.planned().Left-begun, pace*time.Duration(unknown)-begun)
	}
	left = time.Duration(float64(left) * r.waits())
	if r.o.TotalSeconds > 0 {
		return min(left, r.left())
	}
	return left
}

// perBlock is the time of a further block. The first block also includes the
// probe and most of the counting.
func (b *bench) perBlock() time.Duration {
	return max(0, b.wall-b.once) / time.Duration(max(1, len(b.Blocks)))
}

func (r *runner) expectedRest(b *bench) time.Duration {
	target, far := r.target(b)
	if need := b.decision.Needed; !far && r.variants() > 1 {
		// Half of the benchmarks need more than expected, and exceed it by more
		// than the others fall below it. So do not round to looks.
		target = max(r.design.Next(b.GoodBlocks()), min(need*3/2, r.most()))
	}
	rest := time.Duration(target-b.GoodBlocks()) * b.perBlock()
	if budget := seconds(r.budget()); budget > 0 {
		rest = min(rest, max(0, budget-b.spent))
	}
	return rest
}
