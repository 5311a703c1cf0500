package study

import (
	"time"

	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/internal/sequential"
)

// What a benchmark takes in addition to its blocks' slices, for the estimate before
// anything is measured: the pilot, and the processes of a block.
const (
	pilotTime = 250 * time.Millisecond
	startTime = 40 * time.Millisecond
)

// planShare is how much of a total should be enough for every benchmark to
// come to the first look that may call a difference.
const planShare = 0.5

// firstCalled is the number of blocks of the first look that may call a
// difference.
func firstCalled(d sequential.Design) int {
	for i, spend := range d.Adjusted {
		if spend > 0 {
			return d.Looks[i]
		}
	}
	return max(1, d.N)
}

// blockOfTotal is the wall time of a block where a total is divided among all
// benchmarks, at most wall, or longest where there is no budget.
func blockOfTotal(s result.Study, wall, longest time.Duration) time.Duration {
	if wall <= 0 {
		wall = longest
	}
	benchmarks := max(1, s.Family/max(1, len(s.Variants)-1))
	looks := sequential.NewDesign(s.MaxBlocks, s.Alpha, s.Family)
	share := seconds(planShare*s.TotalSeconds) / time.Duration(benchmarks*firstCalled(looks))
	return min(wall, share)
}

// planned is what the study is expected to take before anything is measured:
// on a quiet machine all benchmarks end at the first look that may call a
// difference, and at most they take their budgets or all blocks.
func (r *runner) planned() Event {
	e := Event{Phase: "planned"}
	each := r.size.block*time.Duration(r.variants())*5/4 + startTime
	blocks, most := firstCalled(r.design), r.most()
	if r.variants() == 1 {
		blocks = most
	}
	for _, b := range r.benches {
		if b.done {
			continue
		}
		few, all := pilotTime+time.Duration(blocks)*each, pilotTime+time.Duration(most)*each
		if budget := seconds(r.budget()); budget > 0 {
			few, all = min(few, max(0, budget-b.spent)), min(all, max(0, budget-b.spent))
		}
		e.Left, e.Most = e.Left+few, e.Most+all
	}
	if r.o.Total > 0 {
		e.Left, e.Most = min(e.Left, r.left()), min(e.Most, r.left())
	}
	return e
}

// forecast is the time that the rest of the study is expected to take: of a
// benchmark with a look, what its looks say; of any other, what those with a
// look take on average.
func (r *runner) forecast() time.Duration {
	var left, known time.Duration
	n, unknown := 0, 0
	var begun time.Duration
	first := r.design.Next(0)
	for _, b := range r.benches {
		switch {
		case b.wall == 0 && b.done: // not measured, or in an earlier session
		case b.done:
			known += b.wall
			n++
		case b.goodBlocks() < first || b.wall == 0:
			unknown++
			begun += b.wall
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
		left += max(0, r.planned().Left-begun)
	}
	if r.o.Total > 0 {
		return min(left, r.left())
	}
	return left
}

// expectedRest is what a benchmark with a look is expected to take on.
func (r *runner) expectedRest(b *bench) time.Duration {
	target, far := r.target(b)
	if need := b.decision.Needed; !far && r.variants() > 1 {
		// Some need more than what they are expected to, and some less: no
		// rounding to looks.
		target = max(r.design.Next(b.goodBlocks()), need)
	}
	rest := time.Duration(target-b.goodBlocks()) * b.wall / time.Duration(len(b.Blocks))
	if budget := seconds(r.budget()); budget > 0 {
		rest = min(rest, max(0, budget-b.spent))
	}
	return rest
}
