package judge

import (
	"hash/fnv"
	"io"
	"strconv"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/unit"
)

type judged struct {
	study     result.Study
	benchmark result.Benchmark
	blocks    []block
	funcOrder []int
	old, new  int
	others    int // units of the benchmark other than time
	at        state
}

// evidence is the data of one unit in the blocks. It has a number per
// block, and the levels of the variants.
type evidence struct {
	judged // with the blocks that have the unit
	pairing
	before, after series
	// exact are the values of the variants, if both are constant.
	exact *[2]float64
	// time is set in the row of sec/op, if it is measured here.
	time bool
}

// evidence reduces the blocks to numbers of one unit. It reports false if a
// variant lacks the unit in a block. Every number comes from one block, or does
// not change if the variants of any block are exchanged.
func (j judged) evidence(q namedReading) (e evidence, ok bool) {
	j.study.Family = familyOf(j.study, q.name, j.others)
	if j.blocks = q.blocks(j.blocks, j.old, j.new); q.source != result.Slices {
		sets := j.benchmark.FuncOrders
		if j.study.Unit(q.name).AnyOrder {
			sets = 0
		}
		j.funcOrder = funcOrders(j.blocks, sets, j.old, j.new)
	}
	time := q.name == "sec/op" && !q.overridden
	both := read(j.blocks, q.from, j.old, j.new)
	e = evidence{judged: j, before: both[0], after: both[1], time: time}
	if !e.before.present() || !e.after.present() {
		return e, false
	}
	if values, ok := exact(j.study, q, j.blocks, j.old, j.new); ok {
		e.exact = &[2]float64{values[0], values[1]}
	}
	if result.IsCount(q.name) && !q.overridden { // a typical slice would hide the allocations of others
		e.before, e.after = e.before.averaged(), e.after.averaged()
	}
	e.pairing = pair(e.before, e.after, j.funcOrder)
	e.machine = machinesOf(j.blocks)
	if e.time && e.relative && !wholeCalls(j.benchmark) { // a long run contains the collector
		if a, b := e.collect(j.blocks, j.old, j.new, processorsOf(j.benchmark)); a != nil {
			e.before, e.after = a, b
		}
	}
	return e, true
}

func evidenceOf(study result.Study, b result.Benchmark, name string, old, new int) (e evidence, ok bool) {
	good := goodBlocks(b.Blocks, old, new)
	j := judged{study: study, benchmark: b, blocks: good, old: old, new: new, funcOrder: funcOrders(good, b.FuncOrders, old, new)}
	units := unitsOf(good, old, new)
	j.others = len(units) - 1
	for _, q := range units {
		if q.name == name {
			return j.evidence(q)
		}
	}
	return e, false
}

// A run has two families of hypotheses: the rows of time, and the rows of all
// other units. Each has the error rate α.

// familyOf is the number of rows that are judged together with a row of a
// benchmark with this many units other than time.
func familyOf(study result.Study, name string, others int) int {
	if name == "sec/op" {
		return max(1, study.Family)
	}
	return max(1, study.Family) * max(1, others)
}

// adjusted is the level at which a row is significant, whatever the other
// rows are.
func (j judged) adjusted() float64 { return j.study.Alpha / float64(max(j.study.Family, 1)) }

// gate reports whether measuring continues until it is decided whether the time
// rose by more than the limit. Without a gate the limit is δ.
func (j judged) gate() (limit float64, ok bool) {
	limits := j.study.Output.Gate
	limit, ok = limits.Of("sec/op", j.study.Delta)
	if a := limits.Accepts(j.study.Plan, j.benchmark.Name, j.new); a != nil {
		limit = max(limit, a.Limit)
	}
	return limit, ok
}

func (j judged) design() Design {
	design := DesignOf(j.study)
	for _, n := range j.benchmark.Looked {
		design = design.WithEnd(n)
	}
	if j.at == ended {
		design = design.WithEnd(len(j.blocks))
	}
	return design
}

type taken struct {
	Decision
	witness *witness
	settled bool
}

// settledFirst is the first look that settles a row of time, or else the last
// one, since another variant of the study may have needed more blocks. It
// reports false with too few blocks.
func (e evidence) settledFirst(name string) (t taken, ok bool) {
	design := e.design()
	var looks []Look
	for _, n := range design.Looks[:design.Reached(len(e.blocks))] {
		looks = append(looks, e.look(n))
	}
	all, err := design.Decide(e.seed(name), looks...)
	if err != nil {
		return t, false
	}
	better := unit.Better(name)
	limit, gate := e.gate()
	for k, d := range all {
		if name != "sec/op" && k < len(all)-1 {
			continue
		}
		d.Relative = e.relative
		t = taken{Decision: d, witness: e.witness(design.Looks[k])}
		iv := t.witness.around(d.Interval, e.study.Delta, e.study.Alpha)
		if t.settled = iv.settled(limit, better, gate); t.settled && name == "sec/op" {
			break
		}
	}
	return t, true
}

func (j judged) seed(name string) uint64 {
	h := fnv.New64a()
	for _, s := range []string{strconv.FormatUint(j.study.Seed, 10), j.benchmark.Pkg, j.benchmark.Name,
		strconv.Itoa(j.benchmark.Procs), name, strconv.Itoa(j.old), strconv.Itoa(j.new)} {
		io.WriteString(h, s)
		h.Write([]byte{0})
	}
	return h.Sum64()
}

func cpusOf(b result.Benchmark) string {
	if b.Pilot == nil {
		return ""
	}
	return b.Pilot.CPUs
}

// Medians are the medians of the slices of every good block, in one unit.
type Medians struct {
	Unit   string
	Values []float64
}

// BlockMedians returns the medians of all units that every good block of a
// variant has.
func BlockMedians(b result.Benchmark, variant int) (out []Medians) {
	good := goodBlocks(b.Blocks, variant)
	for _, u := range unitsOf(good, variant) {
		values := read(u.blocks(good, variant), u.from, variant)[0]
		if values.present() && len(values) == len(good) {
			out = append(out, Medians{u.name, values.medians()})
		}
	}
	return out
}

// BlockRatios returns ln(new/old) of the good blocks of a benchmark in one unit,
// in the order in which they ran. A time includes the collector's part. It is
// nil if a variant lacks the unit, or if a value is zero or negative.
func BlockRatios(b result.Benchmark, unit string, old, new int) []float64 {
	e, ok := evidenceOf(result.Study{}, b, unit, old, new)
	if !ok || !e.relative {
		return nil
	}
	return e.typical
}
