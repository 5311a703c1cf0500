package lockstep

import (
	"hash/fnv"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/tarebench/tare/internal/judge"
	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/internal/sequential"
	"github.com/tarebench/tare/unit"
)

// Judgement is what a benchmark's blocks show so far.
type Judgement struct {
	// Rows are the comparison, one row a unit, sec/op first. They are empty
	// as long as there is no good block.
	Rows []result.BenchmarkComparison
	// Done tells the study to stop: the time per operation is decided, or
	// the last planned look has been taken.
	Done bool
	// Reason is "decided" or "blocks"; empty while Done is false.
	Reason string
}

// Judge compares variants old and new of one benchmark by its blocks
// so far. Only complete, undisturbed blocks count. Between two planned
// looks it says what the last of them said.
func Judge(study result.Study, b result.Benchmark, old, new int) Judgement {
	return judgeUpTo(study, b, old, new, false)
}

// judgeUpTo takes one more look, at the blocks there are, when the study is over.
func judgeUpTo(study result.Study, b result.Benchmark, old, new int, over bool) Judgement {
	good := goodBlocks(b.Blocks, old, new)
	if len(good) == 0 {
		return Judgement{}
	}
	j := judged{study: study, benchmark: b, blocks: good, old: old, new: new, over: over,
		layout: layouts(good, b.LinkSets, old, new)}
	var out Judgement
	for _, u := range unitsOf(good, old, new) {
		row, decided, ok := j.row(u)
		if !ok && over {
			row, ok = j.missing(u)
		}
		if !ok {
			continue
		}
		out.Rows = append(out.Rows, row)
		if u.name == "sec/op" {
			switch {
			case decided:
				out.Done, out.Reason = true, "decided"
			case study.MaxBlocks > 0 && len(good) >= study.MaxBlocks:
				out.Done, out.Reason = true, "blocks"
			}
		}
	}
	return out
}

type namedReading struct {
	name string
	from reading
	// where picks the blocks that have the quantity, each with the rounds
	// that have it; nil for all blocks and their timed rounds.
	where func(all []block, variants ...int) []block
	// overridden is set where the benchmark reports what is measured here.
	overridden bool
}

// blocks are those that have the quantity.
func (q namedReading) blocks(all []block, variants ...int) []block {
	if q.where != nil {
		return q.where(all, variants...)
	}
	return all
}

// unitsOf lists the units of the slices: time, allocations, then what the
// benchmark reported and what was counted, by name. Those that counting rounds
// have are read there.
func unitsOf(blocks []block, variants ...int) []namedReading {
	units := []namedReading{{name: "sec/op", from: seconds}, {name: "B/op", from: bytesPerOp, where: counted}, {name: "allocs/op", from: allocsPerOp, where: counted}}
	names := make(map[string]bool) // true where counting rounds have it
	for _, b := range blocks {
		for counting, rounds := range map[bool][]result.Round{false: b.rounds, true: b.counting} {
			for _, r := range rounds {
				for _, v := range variants {
					for name := range r.Slices[v].Metrics {
						names[name] = names[name] || counting
					}
				}
			}
		}
	}
	for i, u := range units {
		if _, reported := names[u.name]; reported {
			units[i] = overridden(u, blocks, variants)
			delete(names, u.name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		u := namedReading{name: name, from: metric(name)}
		if names[name] {
			u.where = apart(u.from)
		}
		units = append(units, u)
	}
	return units
}

// judged is a benchmark under judgement.
type judged struct {
	study     result.Study
	benchmark result.Benchmark
	blocks    []block
	layout    []int
	old, new  int
	over      bool
}

// row judges one unit. It reports whether the unit is decided, and false for
// ok where the unit is not there on both sides in every block.
func (j judged) row(q namedReading) (row result.BenchmarkComparison, decided, ok bool) {
	name := q.name
	if j.blocks = q.blocks(j.blocks, j.old, j.new); q.where != nil {
		j.layout = layouts(j.blocks, j.benchmark.LinkSets, j.old, j.new)
	}
	both := read(j.blocks, q.from, j.old, j.new)
	old, new := both[0], both[1]
	if !old.present() || !new.present() {
		return row, false, false
	}
	row = result.BenchmarkComparison{
		Key: j.benchmark.Key, Unit: name,
		OldVariant: j.old, NewVariant: j.new,
		Change:  judge.UnknownChange(),
		Verdict: result.Undecided,
		Blocks:  len(j.blocks),
	}
	for _, b := range j.blocks {
		row.Rounds += len(b.rounds)
		row.Seconds += b.Seconds
	}
	a, constantOld := old.constant()
	b, constantNew := new.constant()
	if constantOld && constantNew && name != "sec/op" && (len(j.blocks) > 1 || !judge.Measured(name)) {
		judge.Exact(&row, a, b, len(j.blocks), len(j.blocks))
		return row, true, true
	}
	p := pair(old, new, j.layout)
	row.Old = level(old, p.layout, j.study.Alpha)
	row.New = level(new, p.layout, j.study.Alpha)
	d, looked := j.decide(p, p.typical, name, j.study.Alpha)
	means := d
	if j.over && looked { // only the end of a study tells of them
		means, _ = j.decide(p, p.means, name, j.study.Alpha)
	}
	if !looked {
		d = sequential.Decision{Center: p.center(), Lo: math.Inf(-1), Hi: math.Inf(1), Units: row.Old.N}
	}
	iv := judge.Interval{Center: d.Center, Lo: d.Lo, Hi: d.Hi, Relative: p.relative, N: d.Units}
	row.Change = iv.Change()
	if looked {
		row.P = j.pValue(p, name, d)
		row.Verdict = iv.Verdict(j.study.Delta, unit.Better(name), true)
	}
	if row.Verdict == result.Undecided {
		row.Needed = iv.Needed(j.study.Delta, float64(len(j.blocks)))
	}
	row.Findings = j.findings(row, p, d, means, looked)
	if name == "sec/op" && !q.overridden {
		row.Findings = append(row.Findings, resolution(j.blocks, row.Name, j.study.Delta, j.old, j.new)...)
		if j.over { // nobody reads them while a study runs
			for _, v := range []int{j.old, j.new} {
				if short := sliceLength(row.Name, j.blocks, v, j.study.Delta); len(short) > 0 {
					row.Findings = append(row.Findings, short...)
					break
				}
			}
			row.OldRuntime, row.NewRuntime = runtimeCounts(j.blocks, j.old), runtimeCounts(j.blocks, j.new)
		}
	}
	return row, looked && j.settled(p, name, row.Verdict), true
}

// looks are what the planned looks that the blocks have reached see of
// values. There are none with too few blocks, or with fewer layouts than can
// carry an interval.
func (j judged) looks(p pairing, values []float64, alpha float64) (sequential.Design, []sequential.Look) {
	n := len(j.blocks)
	design := sequential.NewDesign(j.study.MaxBlocks, alpha)
	for _, n := range j.benchmark.Looked {
		design = design.WithLook(n)
	}
	if j.over {
		design = design.WithLook(n)
	}
	var looks []sequential.Look
	for _, n := range design.Looks[:design.Reached(n)] {
		looks = append(looks, p.look(n, values))
	}
	if k := len(looks); k > 0 && len(looks[k-1].Center) < sequential.MinBlocks {
		return design, nil
	}
	return design, looks
}

// decide judges values, which are p's typical differences or its means.
func (j judged) decide(p pairing, values []float64, name string, alpha float64) (d sequential.Decision, ok bool) {
	design, looks := j.looks(p, values, alpha)
	if len(looks) == 0 {
		return d, false
	}
	all, err := design.Decide(j.seed(name), looks...)
	if err != nil {
		return d, false
	}
	return all[len(all)-1], true
}

// pValue belongs to decision d on p's typical differences. The levels of the
// critical values and of the p-value grow alike but for their grain: at the
// edge the interval decides, and the p-value follows it.
func (j judged) pValue(p pairing, name string, d sequential.Decision) *float64 {
	alpha := j.study.Alpha
	design, looks := j.looks(p, p.typical, alpha)
	v, err := design.P(j.seed(name), looks...)
	if err != nil {
		return nil
	}
	if d.Excludes(0) {
		v = min(v, alpha)
	} else {
		v = max(v, math.Nextafter(alpha, 1))
	}
	return &v
}

// seed gives every benchmark and unit coins of its own.
func (j judged) seed(name string) uint64 {
	h := fnv.New64a()
	for _, s := range []string{strconv.FormatUint(j.study.Seed, 10), j.benchmark.Pkg, j.benchmark.Name,
		strconv.Itoa(j.benchmark.Procs), name, strconv.Itoa(j.old), strconv.Itoa(j.new)} {
		io.WriteString(h, s)
		h.Write([]byte{0})
	}
	return h.Sum64()
}

// settled tells whether the study may stop. A benchmark judged alone may when
// its verdict is known. One of a family may stop at a difference only when
// the difference outlasts the correction for the family: at Alpha/Family,
// Bonferroni's level, which Holm's never exceeds.
func (j judged) settled(p pairing, name string, v result.Verdict) bool {
	switch v {
	case result.Same:
		return true
	case result.Faster, result.Slower:
		if j.study.Family <= 1 {
			return true
		}
		strict, ok := j.decide(p, p.typical, name, j.study.Alpha/float64(j.study.Family))
		return ok && strict.Excludes(0)
	}
	return false
}
