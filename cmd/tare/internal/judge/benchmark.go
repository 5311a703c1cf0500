package judge

import (
	"hash/fnv"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/tarebench/tare/cmd/tare/internal/kind"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
	"github.com/tarebench/tare/internal/finding"
	"github.com/tarebench/tare/internal/unit"
)

// Judgment is what a benchmark's blocks show so far.
type Judgment struct {
	// Rows are the comparison, one row a unit, sec/op first. They are empty
	// as long as there is no good block.
	Rows []result.BenchmarkComparison
	// Done ends the study: the time per operation is decided, or
	// the last planned look has been taken.
	Done bool
	// Reason is "decided" or "blocks"; empty while Done is false.
	Reason string
	// Alone is true where the time per operation differs when it is judged
	// alone, and not among the benchmarks of the run: more blocks of it may
	// change that.
	Alone bool
	// Needed is the number of blocks that are expected to settle the time per
	// operation, under a gate its outcome; 0 is unknown.
	Needed int

	blocks Blocks // of Rows
}

// Judge compares variants old and new of one benchmark by its blocks
// so far. Only complete, undisturbed blocks count. Between two planned
// looks it says what the last of them said.
func Judge(study result.Study, b result.Benchmark, old, new int) Judgment {
	return judgeUpTo(study, b, old, new, running)
}

// Due reports whether [Judge] would see more than after the block before: at the
// planned looks, and at the last block. Judging takes milliseconds, which short
// blocks do not have to spare.
func Due(study result.Study, b result.Benchmark) bool {
	looks := NewDesign(study.MaxBlocks, study.Alpha, study.Family).Looks
	for v := 1; v < len(study.Variants); v++ {
		n := len(goodBlocks(b.Blocks, 0, v))
		if n == 1 || n >= study.MaxBlocks || slices.Contains(looks, n) {
			return true
		}
	}
	return false
}

// state is how far a study has come when it is judged.
type state int

const (
	// running: only planned looks are taken.
	running state = iota
	// decided: the study stopped at one of its looks for what it saw there, or
	// takes planned looks only.
	decided
	// ended: one more look, where the budget or the user ended the study.
	ended
)

func judgeUpTo(study result.Study, b result.Benchmark, old, new int, at state) Judgment {
	good := goodBlocks(b.Blocks, old, new)
	if len(good) == 0 {
		return Judgment{}
	}
	j := judged{study: study, benchmark: b, blocks: good, old: old, new: new, at: at,
		layout: layouts(good, b.LinkSets, old, new)}
	var out Judgment
	for _, u := range unitsOf(good, old, new) {
		r, ok := j.row(u)
		if !ok && at != running {
			r.BenchmarkComparison, ok = j.missing(u)
			r.blocks = nil
		}
		if !ok {
			continue
		}
		out.Rows = append(out.Rows, r.BenchmarkComparison)
		out.blocks = append(out.blocks, r.blocks)
		if u.name == "sec/op" {
			switch {
			case r.settled:
				out.Done, out.Reason = true, "decided"
			case study.MaxBlocks > 0 && len(good) >= study.MaxBlocks:
				out.Done, out.Reason = true, "blocks"
			}
			out.Needed = r.expected
			out.Alone = !r.settled && r.Verdict == result.Undecided && Between(r.Change).Excludes(0)
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
			u.where = countedBlocks(u.from)
		}
		units = append(units, u)
	}
	return units
}

// judged is a benchmark that is being judged.
type judged struct {
	study     result.Study
	benchmark result.Benchmark
	blocks    []block
	layout    []int
	old, new  int
	at        state
}

// row is a row with what the study and the table need of it.
type row struct {
	result.BenchmarkComparison
	// settled means that measuring may end for it.
	settled bool
	// expected is the number of blocks at which it is expected to be settled.
	expected int
	// blocks are the differences of its first blocks.
	blocks []float64
}

// row judges one unit. It reports false where the unit is not there on both
// sides in every block.
func (j judged) row(q namedReading) (r row, ok bool) {
	name := q.name
	if j.blocks = q.blocks(j.blocks, j.old, j.new); q.where != nil {
		j.layout = layouts(j.blocks, j.benchmark.LinkSets, j.old, j.new)
	}
	both := read(j.blocks, q.from, j.old, j.new)
	old, new := both[0], both[1]
	if !old.present() || !new.present() {
		return r, false
	}
	r.BenchmarkComparison = result.BenchmarkComparison{
		Key: j.benchmark.Key, Unit: name,
		OldVariant: j.old, NewVariant: j.new,
		Change:  UnknownChange(),
		Verdict: result.Undecided,
		Blocks:  len(j.blocks),
	}
	for _, b := range j.blocks {
		r.Rounds += len(b.rounds)
		r.Seconds += b.Seconds
	}
	if a, b, ok := j.exactly(q, old, new); ok {
		Exact(&r.BenchmarkComparison, a, b, len(j.blocks), len(j.blocks))
		r.blocks = repeated(r.Change.Ratio)
		r.settled = true
		if a, b := strayAllocations(j.blocks, j.old), strayAllocations(j.blocks, j.new); name == "allocs/op" && !q.overridden && a+b > 0 {
			r.Findings = append(r.Findings, kind.StrayAllocations.Of(r.Name, finding.Number("old", a), finding.Number("new", b)))
		}
		return r, true
	}
	if counts(name) && !q.overridden { // a typical slice would hide what the others allocate
		old, new = old.averaged(), new.averaged()
	}
	p := pair(old, new, j.layout)
	p.machine = machinesOf(j.blocks)
	var g *guard
	if scale, ok := timeScale(q, j.blocks, j.old, j.new); ok {
		if a, b := p.collect(j.blocks, j.old, j.new, processorsOf(j.benchmark)); a != nil {
			old, new = scale.levels(a, b)
			scale.reverse(p.typical, p.means)
		}
		g = j.guard(p, scale)
	}
	d, look, looked := j.settledFirst(p, name, j.decisions(p, p.typical, name), g)
	means := d
	if j.at != running && looked { // only the end of a study reports them
		means, _ = j.decide(p, p.means, name)
	}
	if !looked {
		inf := math.Inf(1)
		d = Decision{Center: p.center(), Lo: -inf, Hi: inf, JointLo: -inf, JointHi: inf, Units: p.units()}
	}
	iv := interval(d, p.relative)
	r.Change, r.Joint = iv.Change(), iv.Joint()
	r.Old, r.New = sides(level(old, p.layout, j.study.Alpha), level(new, p.layout, j.study.Alpha), iv)
	if looked {
		r.P = &d.P
		r.Verdict = iv.Verdict(j.study.Delta, unit.Better(name), d.P <= j.adjusted())
		r.settled = iv.Settled(j.study.Delta, unit.Better(name), j.gate())
		if g.hold(&r.BenchmarkComparison, iv, j, look) {
			r.settled = false
		}
		if !r.settled && j.at == running {
			sd := 1.4826 * stats.MAD(p.typical)
			r.expected = iv.Expected(sd, j.study.Delta, unit.Better(name), j.gate(), j.study.Alpha, j.study.Family)
		}
	}
	if r.Verdict == result.Undecided {
		r.Needed = iv.Needed(j.study.Delta, float64(len(j.blocks)))
	}
	if p.relative {
		r.blocks = p.first(MinBlocks)
	}
	r.Findings = j.findings(r.BenchmarkComparison, p, d, means, looked)
	if name == "sec/op" && !q.overridden {
		j.ofTime(&r.BenchmarkComparison)
	}
	return r, true
}

// ofTime adds what only the row of sec/op has.
func (j judged) ofTime(r *result.BenchmarkComparison) {
	r.Findings = append(r.Findings, resolution(j.blocks, r.Name, j.study.Delta, j.old, j.new)...)
	if j.at == running { // the rest is not used while a study runs
		return
	}
	for _, v := range []int{j.old, j.new} {
		if short := sliceLength(r.Name, j.blocks, v, j.study.Delta, assumptionAlpha(j.adjusted())/2); len(short) > 0 {
			r.Findings = append(r.Findings, short...)
			break
		}
	}
	r.CPUs = cpusOf(j.benchmark)
	r.OldRuntime, r.NewRuntime = runtimeCounts(j.blocks, j.old), runtimeCounts(j.blocks, j.new)
}

func interval(d Decision, relative bool) Interval {
	return Interval{Center: d.Center, Lo: d.Lo, Hi: d.Hi, JointLo: d.JointLo, JointHi: d.JointHi, Relative: relative, N: d.Units}
}

// adjusted is the level at which a row stands whatever the others show.
func (j judged) adjusted() float64 { return j.study.Alpha / float64(max(j.study.Family, 1)) }

// gate reports whether measuring goes on until δ is decided.
func (j judged) gate() bool { return j.study.Request != nil && j.study.Request.Output.Gate }

// design is the plan of looks for the blocks there are.
func (j judged) design() Design {
	if j.study.Once {
		return Single(len(j.blocks), j.study.Alpha, j.study.Family)
	}
	design := NewDesign(j.study.MaxBlocks, j.study.Alpha, j.study.Family)
	for _, n := range j.benchmark.Looked {
		design = design.WithEnd(n)
	}
	if j.at == ended {
		design = design.WithEnd(len(j.blocks))
	}
	return design
}

// decide judges values, which are p's typical differences or its means. It
// reports false with too few blocks, or with fewer layouts than can carry an
// interval.
//
// A row of time stands as it was at the first look that settled it: another
// variant of the same study may have needed more blocks.
func (j judged) decide(p pairing, values []float64, name string) (d Decision, ok bool) {
	d, _, ok = j.settledFirst(p, name, j.decisions(p, values, name), nil)
	return d, ok
}

// settledFirst is the first of decisions that settles a row of time and that
// the guard allows, or the last; look is which it is.
func (j judged) settledFirst(p pairing, name string, all []Decision, g *guard) (d Decision, look int, ok bool) {
	if len(all) == 0 {
		return d, 0, false
	}
	for k, d := range all {
		iv := interval(d, p.relative)
		if Family(name) == "sec/op" && iv.Settled(j.study.Delta, unit.Better(name), j.gate()) && g.held(iv, j, name, k) == result.NotHeld {
			return d, k, true
		}
	}
	return all[len(all)-1], len(all) - 1, true
}

// decisions are those of all looks so far, none with too few blocks.
func (j judged) decisions(p pairing, values []float64, name string) []Decision {
	looks := j.looks(p, values)
	if k := len(looks); k == 0 || len(looks[k-1].Center) < MinBlocks {
		return nil
	}
	all, err := j.design().Decide(j.seed(Family(name)), looks...)
	if err != nil {
		return nil
	}
	return all
}

// looks are those that the blocks have reached.
func (j judged) looks(p pairing, values []float64) []Look {
	design := j.design()
	var looks []Look
	for _, n := range design.Looks[:design.Reached(len(j.blocks))] {
		looks = append(looks, p.look(n, values))
	}
	return looks
}

// seed gives every benchmark and unit random numbers of its own.
func (j judged) seed(name string) uint64 {
	h := fnv.New64a()
	for _, s := range []string{strconv.FormatUint(j.study.Seed, 10), j.benchmark.Pkg, j.benchmark.Name,
		strconv.Itoa(j.benchmark.Procs), name, strconv.Itoa(j.old), strconv.Itoa(j.new)} {
		io.WriteString(h, s)
		h.Write([]byte{0})
	}
	return h.Sum64()
}

// cpusOf are the processors that a benchmark ran on, empty for all.
func cpusOf(b result.Benchmark) string {
	if b.Plan == nil {
		return ""
	}
	return b.Plan.CPUs
}
