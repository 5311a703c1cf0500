package study

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/worker"
	"github.com/tarebench/tare/internal/finding"
)

// tailTime is the length of a slice of the tail. Few of its operations then
// meet caches that another worker left cold. tailLap is the least time of a
// batch: an overhead known to 4 ns is then known to 5% of it.
const (
	tailTime = 20 * time.Millisecond
	tailLap  = 80 * time.Nanosecond
	mostLaps = 100_000
)

func (l *workerSet) takeExtra(ctx context.Context, used []result.Process) ([]result.Round, error) {
	clear(l.more) // of slices alone
	tail, err := l.takeTail(ctx)
	if err != nil {
		return nil, err
	}
	memory, err := l.takeMemory(ctx, used)
	return append(tail, memory...), err
}

func (l *workerSet) takeTail(ctx context.Context) ([]result.Round, error) {
	b := l.b
	if !l.r.o.Measures("tail") || b.noTail {
		return nil, nil
	}
	each := b.pilot.SliceSeconds / float64(max(1, b.pilot.Iterations))
	if b.lap == 0 {
		for b.lap = 1; float64(b.lap)*each < tailLap.Seconds() && b.lap < 1<<20; b.lap *= 2 {
		}
	}
	n := b.lap * max(1, min(mostLaps, int64(tailTime.Seconds()/max(each, 1e-9)/float64(b.lap))))
	turn := roundPlan{order: l.variants, n: n, warm: max(1, b.pilot.Warmup), reading: worker.Tail | worker.Reading(b.lap<<8)}
	back := turn
	back.order = turned(l.variants)
	var rounds []result.Round
	if !b.pilot.Stops {
		var err error
		if rounds, err = l.take(ctx, []roundPlan{turn, back}); err != nil {
			return rounds, err
		}
	}
	untimed := func(r result.Round) bool { return len(r.Slices[l.variants[0]].Metrics) == 0 }
	switch {
	case b.pilot.Stops || slices.ContainsFunc(rounds, untimed):
		b.noTail = true
		return nil, l.r.once(catalog.TailNeedsLoop.Of(b.Name))
	case b.lap > 1:
		return rounds, l.r.once(catalog.TailBatch.Of(b.Name, finding.Count("operations", b.lap, "operation")))
	}
	return rounds, nil
}

// memoryShare is the number of iterations between two memory readings, as a
// share of the iterations before.
const memoryShare = 0.125

// takeMemory reads the memory of the processes at the end of a block, twice. The
// iterations between the readings show what grows. used is the resource use of
// the processes in the timed rounds.
func (l *workerSet) takeMemory(ctx context.Context, used []result.Process) ([]result.Round, error) {
	if !l.r.o.Measures("memory") {
		return nil, nil
	}
	done := int64(mostIterations)
	for _, v := range l.variants {
		done = min(done, used[v].N)
	}
	rounds, err := l.take(ctx, []roundPlan{
		{order: l.variants, n: 1, reading: worker.Memory},
		{order: l.variants, n: max(1, int64(memoryShare*float64(done))), reading: worker.Memory},
	})
	if err != nil {
		return nil, err
	}
	for _, v := range l.variants {
		if err := l.findGrowth(v, rounds[0].Slices[v], rounds[1].Slices[v]); err != nil {
			return nil, err
		}
		for _, r := range rounds {
			m := r.Slices[v].Metrics
			maps.DeleteFunc(m, func(unit string, _ float64) bool { return l.r.o.Unit(unit).Group != "memory" })
			if u := used[v]; m != nil && u.User+u.System > 0 {
				m["gc-sec/op"] = u.GCTime / 1e9 / float64(max(1, u.N))
			}
		}
	}
	return rounds, nil
}

func (l *workerSet) findGrowth(v int, before, after result.Slice) error {
	say := func(k finding.Kind, values ...finding.Value) error {
		values = append(values, finding.Text("variant", l.r.o.Study.Variants[v].Label), finding.Count("iterations", after.N, "iteration"))
		f := k.Of(l.b.Name, values...)
		return l.r.findOnce(f, func(g finding.Finding) bool {
			return g.ID == f.ID && g.Subject == f.Subject && g.Values["variant"] == f.Values["variant"]
		})
	}
	bytes := make(map[string]float64)
	for unit, n := range after.Metrics {
		if site, ok := strings.CutPrefix(unit, "retains "); ok {
			bytes[site] = n
		}
	}
	if len(bytes) > 0 {
		sites := slices.SortedFunc(maps.Keys(bytes), func(a, b string) int { return cmp.Compare(bytes[b], bytes[a]) })
		if err := say(catalog.Retains, finding.Quantity("bytes", after.Metrics["live-B"]-before.Metrics["live-B"], "B"), finding.Text("sites", strings.Join(sites, ", "))); err != nil {
			return err
		}
	}
	if more := int64(after.Metrics["goroutines"] - before.Metrics["goroutines"]); more > 0 && 10*more >= after.N {
		if err := say(catalog.GoroutinesLeft, finding.Count("goroutines", more, "goroutine")); err != nil {
			return err
		}
	}
	if _, ok := after.Metrics["peak-RSS-B"]; !ok {
		return l.r.once(catalog.NoPeak.Of(""))
	}
	return nil
}
