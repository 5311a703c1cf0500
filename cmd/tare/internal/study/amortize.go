package study

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/stats"
	"github.com/tarebench/tare/cmd/tare/internal/worker"
)

// A b.N benchmark that does not reset its timer times its set-up too. go test
// divides that by the iterations of a second; a slice of 0.1 ms would show
// little else, and a change of the operation would vanish in it.
const (
	// amortizedTimes is how many times as long the slices are that show a timed
	// set-up: all of amortizedPairs of them take amortizedShare less per
	// operation than the short ones before them.
	amortizedTimes = 8
	amortizedPairs = 7
	amortizedShare = 0.2
	// longestAmortized is how long slices become for it at most.
	longestAmortized = 50 * time.Millisecond
)

// amortize lengthens the slices that the pilot chose, t, until the set-up that is
// timed with the operations is less than coldShare of them. A benchmark that resets
// its timer in every iteration times next to nothing, however many there are, and
// is left as it is: all but the untimed set-up of t should be timed.
func (l *workerSet) amortize(ctx context.Context, t trial) (trial, error) {
	for side := range l.variants {
		if l.group.Leaf(side).Loop != "b.N" {
			return t, nil // b.Loop resets the timer
		}
	}
	for !t.paused() && t.timed() > 0 && t.wall() < longestAmortized && t.n <= mostIterations/amortizedTimes {
		if t.wall()-t.setup > 2*t.timed() {
			break
		}
		times := min(amortizedTimes, int64(longestAmortized/t.timed()))
		if times < 2 {
			break
		}
		share, err := l.timedSetup(ctx, t.n, times)
		if err != nil || share == 0 {
			return t, err
		}
		ops := float64(t.timed()) / (1 + share) // of n operations, without the set-up
		grow := min(share/coldShare, float64(longestAmortized)/ops)
		n := int64(min(mostIterations, math.Ceil(float64(t.n)*max(2, grow))))
		rounds, err := l.take(ctx, []roundPlan{{order: l.variants, n: n, reading: worker.Unread}})
		if err != nil {
			return t, err
		}
		longer := trialOf(rounds[0], l.variants)
		longer.setup = t.setup
		t = longer
	}
	return t, nil
}

// timedSetup compares slices of n iterations with longer ones, in turn. Where
// the longer ones take less per operation, it gives the time of the set-up in
// parts of that of n operations without it; of several variants the largest.
func (l *workerSet) timedSetup(ctx context.Context, n, times int64) (share float64, err error) {
	ratios := make([][]float64, len(l.variants))
	for range amortizedPairs {
		var pair [2]trial
		for k, of := range []int64{n, n * times} {
			rounds, err := l.take(ctx, []roundPlan{{order: l.variants, n: of, reading: worker.Unread}})
			if err != nil {
				return 0, err
			}
			pair[k] = trialOf(rounds[0], l.variants)
		}
		quicker := false
		for side := range l.variants {
			ratios[side] = append(ratios[side], pair[1].sides[side].Seconds()/pair[0].sides[side].Seconds())
			quicker = quicker || slices.Max(ratios[side]) < 1-amortizedShare
		}
		if !quicker {
			return 0, nil
		}
	}
	for _, of := range ratios {
		if slices.Max(of) < 1-amortizedShare {
			ratio := stats.Median(of) // (share/times + 1) / (share + 1)
			share = max(share, (1-ratio)/max(ratio-1/float64(times), coldShare/10))
		}
	}
	return share, nil
}
