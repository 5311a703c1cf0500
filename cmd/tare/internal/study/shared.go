package study

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/kind"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
	"github.com/tarebench/tare/cmd/tare/internal/worker"
	"github.com/tarebench/tare/internal/finding"
)

const (
	// loopbackTrip is the time of an iteration from which two live workers may
	// share a server or a file: less than a round trip over the loopback
	// device takes.
	loopbackTrip = 20 * time.Microsecond
	// sharedFactor is how far the level alone must be from the level together.
	sharedFactor = 2
	// aloneSlices are taken to know the level alone, and as many as the first
	// block has in longestAlone: a new process touches new memory in its first
	// slices, until the collector gives it some back.
	aloneSlices  = 10
	longestAlone = 200 * time.Millisecond
)

// sharedState compares the level of each variant in its first block, where all
// workers are alive together, with its level alone. Where they differ by far,
// twice, the workers share something, as a server on a port that only one of
// them got: the finding says so. The look is not charged to the budget.
func (r *runner) sharedState(ctx context.Context, a *attempt) (*finding.Finding, error) {
	if seconds(a.b.plan.IterationSeconds) < loopbackTrip {
		return nil, nil
	}
	began := time.Now()
	defer func() { a.began = a.began.Add(time.Since(began)) }()
	for _, v := range a.which {
		together, quick, quickest := levels(a.blk.Rounds, v)
		if !(together > 0) {
			continue
		}
		var alone float64
		shared := true
		for range 2 {
			var err error
			if alone, err = r.levelAlone(ctx, a, v, sharedFactor*quick); err != nil {
				// What one live worker cannot do is no reason to run one at a time.
				return nil, ctx.Err()
			}
			if shared = shared && (alone > sharedFactor*quick || alone*sharedFactor < quickest); !shared {
				break
			}
		}
		if shared {
			f := kind.SharedState.Of(a.b.Name, finding.Text("variant", r.label(v)),
				finding.Quantity("alone", alone, "sec/op"), finding.Quantity("together", together, "sec/op"))
			return &f, nil
		}
	}
	return nil, nil
}

// levels are the median, the tenth and the least time of an operation in the
// timed rounds of a variant, in seconds. The least of ten slices, as levelAlone
// has it, is about the tenth: while workers wait they may serve each other
// slowly, so that the median says little.
func levels(rounds []result.Round, v int) (median, tenth, least float64) {
	var all []float64
	for s := range timedSlices(rounds, v) {
		all = append(all, s.Seconds())
	}
	if len(all) == 0 {
		return 0, 0, 0
	}
	return stats.Median(all), stats.Quantile(all, 0.1), slices.Min(all)
}

// levelAlone is the least time of an operation, in seconds, in the slices of a
// variant whose worker is the only one. It stops looking below enough.
func (r *runner) levelAlone(ctx context.Context, a *attempt, v int, enough float64) (least float64, err error) {
	only := []int{v}
	l, err := r.start(ctx, a.b, a.bins, only, a.b.cpus)
	if err != nil {
		return 0, err
	}
	defer l.close()
	least = math.Inf(1)
	var last []result.Slice
	began := time.Now()
	for i := range max(aloneSlices, len(a.blk.Rounds)) {
		if i >= aloneSlices && time.Since(began) > longestAlone {
			break
		}
		rounds, err := l.take(ctx, []roundPlan{{order: only, n: a.b.plan.Iterations, warm: a.b.plan.Warmup, reading: worker.Unread}})
		if err != nil {
			return 0, err
		}
		last = rounds[0].Slices
		if least = min(least, last[v].Seconds()); i > 1 && least <= enough {
			break
		}
	}
	return least, l.end(ctx, last)
}
