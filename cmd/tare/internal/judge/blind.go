package judge

import (
	"cmp"
	"math"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
)

// A row of time calls a slowdown of its benchmark if the joint interval excludes 0
// and is not inside ±δ, or if it is beyond the limit of the gate: if the estimate is
// half the width of the interval above. The estimate of a slowdown varies by its
// standard error, so that there is a range in which chance decides. A function with a
// share of the benchmark's time must become slower by as much over its share, which
// is an interval too: the squares of the errors of both add. This is about the blocks
// that were measured. A slowdown would have made the study measure more of them, so
// it sees a little more than this.

// blind is what the rows would have seen of the changed functions of a recording.
func blind(rec *result.Recording, rows []*row, limits result.Limits) (all []result.Blind) {
	if len(rec.Changed) == 0 {
		return nil
	}
	of := make(map[rowsKey][]*row)
	for _, r := range rows {
		if k := (rowsKey{r.Key, r.NewVariant}); r.Unit == "sec/op" || result.IsCount(r.Unit) {
			of[k] = append(of[k], r)
		}
	}
	for v := 1; v < len(rec.Study.Variants); v++ {
		b := result.Blind{NewVariant: v, Functions: []result.Seen{}, Production: rec.Production}
		var worth result.Estimate
		known := false
		for i := range rec.Changed {
			c := &rec.Changed[i]
			switch {
			case c.Variant != v:
				continue
			case c.Name == "":
				b.Unknown, b.Elsewhere = c.Unknown, c.Elsewhere
				continue
			}
			f, change := seen(rec, of, limits, c)
			b.Functions = append(b.Functions, f)
			if c.Weight == nil {
				continue
			}
			b.Weight += c.Weight.Own
			if len(f.Benchmarks) == 0 {
				continue
			}
			b.Covered += c.Weight.Own
			if change != nil {
				known = true
				worth.Center += c.Weight.Own * change.Center
				worth.Lo += c.Weight.Own * change.Lo
				worth.Hi += c.Weight.Own * change.Hi
				worth.N++
			}
		}
		if len(b.Functions) == 0 && b.Unknown == "" && len(b.Elsewhere) == 0 {
			continue
		}
		if known {
			b.Worth = &worth
		}
		slices.SortStableFunc(b.Functions, func(f, g result.Seen) int {
			return cmp.Or(cmp.Compare(weight(g), weight(f)), cmp.Compare(leastSeen(f), leastSeen(g)))
		})
		all = append(all, b)
	}
	return all
}

func weight(f result.Seen) float64 {
	if f.Weight == nil {
		return 0
	}
	return f.Weight.Total
}

func leastSeen(f result.Seen) float64 {
	if f.Smallest == nil {
		return math.Inf(1)
	}
	return f.Smallest.Hi
}

type rowsKey struct {
	result.Key
	variant int
}

// seen is what the rows would have seen of a function. change is the relative
// change of the time in changed functions, in the benchmark that sees most of it.
// It is nil if unknown.
func seen(rec *result.Recording, rows map[rowsKey][]*row, limits result.Limits, c *result.ChangedFunction) (f result.Seen, change *result.Estimate) {
	f = result.Seen{Name: c.Name, File: c.File, Line: c.Line, By: c.By, Never: c.Never, Reached: c.Reached, Weight: c.Weight}
	for _, i := range c.Benchmarks {
		f.ReachedBy = append(f.ReachedBy, rec.Benchmarks[i].Key)
	}
	for _, s := range c.Sampled {
		k, n := s.Samples, s.Of
		f.Samples += n
		if k == 0 {
			continue
		}
		share := float64(k) / float64(n)
		in := result.SeenIn{Key: rec.Benchmarks[s.Benchmark].Key, Share: result.Estimate{Center: share, N: n}}
		in.Share.Lo, in.Share.Hi = stats.ShareBounds(k, n)
		var now *result.Estimate
		for _, r := range rows[rowsKey{in.Key, c.Variant}] {
			f.Allocates = f.Allocates || s.Allocates && result.IsCount(r.Unit) && r.Verdict == result.Slower
			if r.Unit != "sec/op" || r.worthless() {
				continue
			}
			if called, ok := calledAt(&r.BenchmarkComparison, rec.Study.Delta, limits); ok {
				in.Smallest = &result.Interval{
					Lo: called.Center / share * math.Exp(-math.Hypot(math.Log(called.Center/called.Lo), math.Log(in.Share.Hi/share))),
					Hi: called.Center / share * math.Exp(math.Hypot(math.Log(called.Hi/called.Center), math.Log(share/in.Share.Lo))),
				}
				now = changeOf(r.Change, float64(s.Changed)/float64(n))
			}
		}
		if in.Smallest != nil && in.Smallest.Hi < leastSeen(f) {
			f.Smallest, change = in.Smallest, now
		}
		f.Benchmarks = append(f.Benchmarks, in)
	}
	slices.SortStableFunc(f.Benchmarks, func(a, b result.SeenIn) int {
		return cmp.Or(cmp.Compare(leastSeen(result.Seen{Smallest: a.Smallest}), leastSeen(result.Seen{Smallest: b.Smallest})), cmp.Compare(b.Share.Center, a.Share.Center))
	})
	return f, change
}

// calledAt is the relative slowdown from which a row would have called it: hardly
// ever below Lo, nearly always above Hi.
func calledAt(r *result.BenchmarkComparison, delta float64, limits result.Limits) (slowdown result.Estimate, ok bool) {
	limit, gate := limits.Of(r.Unit, cmp.Or(r.Delta, delta))
	lo, hi := r.Change.Lo, r.Change.Hi
	if r.Joint != nil {
		lo, hi = r.Joint.Lo, r.Joint.Hi
	}
	half, x := (math.Log(hi)-math.Log(lo))/2, math.Log1p(limit)
	least := max(half, x-half) // without a gate, the limit is δ
	if gate {
		least = x + half
	}
	slowdown = result.Estimate{Center: math.Expm1(least), Lo: max(0, math.Expm1(least-2*r.SE)), Hi: math.Expm1(least + 2*r.SE)}
	return slowdown, slowdown.Center > 0 && !math.IsInf(slowdown.Hi, 0)
}

// changeOf is the relative change of a part of a benchmark from the change of the
// whole, if the part takes a share of the new time and nothing else changed. It is
// nil if the part would have taken no time before.
func changeOf(c result.Change, share float64) *result.Estimate {
	of := func(ratio float64) float64 { return (ratio - 1) / (share*ratio - ratio + 1) }
	e := result.Estimate{Center: of(c.Ratio), Lo: of(c.Lo), Hi: of(c.Hi)}
	if !(min(share*c.Ratio-c.Ratio, share*c.Lo-c.Lo, share*c.Hi-c.Hi) > -1) {
		return nil
	}
	return &e
}
