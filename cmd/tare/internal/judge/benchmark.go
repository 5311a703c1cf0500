package judge

import (
	"math"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
	"github.com/tarebench/tare/internal/unit"
)

// Judgment is the result of a benchmark's blocks so far.
type Judgment struct {
	// Rows are the comparison, one row per unit, with sec/op first. There are
	// none until a block is good.
	Rows []result.BenchmarkComparison
	// Done ends the study, since the time per operation is decided or the last
	// planned look was taken.
	Done bool
	// Reason is "decided" or "blocks", and empty while Done is false.
	Reason string
	// Alone is true if the time per operation differs when it is judged alone,
	// but not among the benchmarks of the run. More blocks of it may change that.
	Alone bool
	// Needed is the expected number of blocks to settle the time per operation,
	// or its outcome under a gate. 0 is unknown.
	Needed int

	rows []row // Rows with the data for their decisions
}

// Judge compares variants old and new of one benchmark from its blocks so far.
// Only complete, undisturbed blocks count. Between two planned looks it returns
// the judgment of the last look.
func Judge(study result.Study, b result.Benchmark, old, new int) Judgment {
	return judgeUpTo(study, b, old, new, running)
}

// Ended is [Judge] of a benchmark that has ended between two planned looks.
func Ended(study result.Study, b result.Benchmark, old, new int) Judgment {
	return judgeUpTo(study, b, old, new, ended)
}

// Due reports whether [Judge] can give a new result after this block, which
// is true at the planned looks and at the last block. Judging takes
// milliseconds, which is too long after every short block.
func Due(study result.Study, b result.Benchmark) bool {
	looks := DesignOf(study).Looks
	for v := 1; v < len(study.Variants); v++ {
		n := len(goodBlocks(b.Blocks, 0, v))
		if n == 1 || n >= study.MaxBlocks || slices.Contains(looks, n) {
			return true
		}
	}
	return false
}

type state int

const (
	// running: only planned looks are taken.
	running state = iota
	// decided: the study stopped at one of its looks because of its result, or
	// has planned looks only.
	decided
	// ended: one more look, at the block where the budget or the user ended the
	// study.
	ended
)

func judgeUpTo(study result.Study, b result.Benchmark, old, new int, at state) Judgment {
	good := goodBlocks(b.Blocks, old, new)
	if len(good) == 0 {
		return Judgment{}
	}
	j := judged{study: study, benchmark: b, blocks: good, old: old, new: new, at: at,
		funcOrder: funcOrders(good, b.FuncOrders, old, new)}
	var out Judgment
	open := false
	units := unitsOf(good, old, new)
	j.others = len(units) - 1
	for _, u := range units {
		r, ok := j.row(u)
		if !ok && at != running {
			r = row{iv: unknown()}
			r.BenchmarkComparison, ok = j.missing(u)
		}
		if !ok {
			continue
		}
		out.Rows = append(out.Rows, r.BenchmarkComparison)
		out.rows = append(out.rows, r)
		if study.Unit(u.name).Decides {
			open = open || !r.settled
			out.Needed = max(out.Needed, r.expected)
			out.Alone = out.Alone || !r.settled && r.Verdict == result.Undecided && r.iv.Excludes(0)
		}
	}
	if at != running && study.Timed() && (len(out.rows) == 0 || out.rows[0].Unit != "sec/op") {
		// A study of time without a time, as somebody else's recording may be.
		r := row{iv: unknown(), BenchmarkComparison: j.absent("sec/op")}
		out.Rows = slices.Insert(out.Rows, 0, r.BenchmarkComparison)
		out.rows = slices.Insert(out.rows, 0, r)
	}
	switch {
	case len(out.rows) == 0 || out.rows[0].Unit != "sec/op":
	case !open:
		out.Done, out.Reason = true, "decided"
	case study.MaxBlocks > 0 && len(good) >= study.MaxBlocks:
		out.Done, out.Reason = true, "blocks"
	}
	return out
}

// row judges one unit. It reports false if a variant lacks the unit in some
// block.
func (j judged) row(q namedReading) (r row, ok bool) {
	e, ok := j.evidence(q)
	if !ok {
		return r, false
	}
	j, name := e.judged, q.name
	r.BenchmarkComparison = j.absent(name)
	r.Verdict = result.Undecided
	for _, b := range j.blocks {
		r.Rounds += len(b.rounds)
		r.Seconds += b.Seconds
	}
	if e.exact != nil {
		Exact(&r.BenchmarkComparison, e.exact[0], e.exact[1], len(j.blocks), len(j.blocks))
		r.iv, r.family = intervalOf(&r.BenchmarkComparison), j.study.Family
		r.decide(j.study.Plan, j.study.Output.Gate, true)
		r.blocks = repeated(r.Change.Ratio)
		r.settled = true
		return r, true
	}
	look, looked := e.settledFirst(name)
	d := look.Decision
	if !looked {
		inf, all := math.Inf(1), e.whole()
		d.Interval = Interval{Center: all.Median(), Lo: -inf, Hi: inf, JointLo: -inf, JointHi: inf, Relative: e.relative, N: len(all.Center)}
	}
	r.iv, r.witness, r.family = d.Interval, look.witness, j.study.Family
	r.Change, r.Joint = r.iv.Change(), r.iv.Joint()
	if e.relative && j.at != running {
		r.SE = e.whole().standardError()
	}
	r.Old, r.New = sides(level(e.before, e.pairing.layout, j.study.Alpha), level(e.after, e.pairing.layout, j.study.Alpha), r.iv)
	if looked {
		r.P = &d.P
		if r.settled = look.settled; !r.settled && j.at == running {
			sd := stats.Deviation(e.typical)
			limit, gate := j.gate()
			r.expected = r.iv.Expected(sd, limit, unit.Better(name), gate, j.study.Alpha, j.study.Family)
		}
	}
	r.decide(j.study.Plan, j.study.Output.Gate, d.P <= j.adjusted())
	if e.relative {
		r.blocks = e.first(MinBlocks)
	}
	if e.relative && name == "sec/op" && machinesOf(j.blocks) == nil {
		r.changes = e.typical
	}
	r.Findings = j.findings(r.BenchmarkComparison, d, looked)
	if e.time {
		j.ofTime(&r.BenchmarkComparison, r.witness)
	}
	return r, true
}

func (j judged) ofTime(r *result.BenchmarkComparison, w *witness) {
	r.Findings = append(r.Findings, resolution(j.blocks, r.Name, j.study.Delta, j.old, j.new)...)
	if j.at == running { // a running study does not use the rest
		return
	}
	for i, v := range []int{j.old, j.new} {
		center := []float64{r.Old.Center, r.New.Center}[i]
		if f, found := waited(j.blocks, r.Name, j.study.Variants[v].Label, v, center); found {
			r.Findings = append(r.Findings, f)
		}
	}
	if w.contradicts(j.study.Delta) {
		f, _ := w.finding(catalog.LongRunsDiffer, r.Name, j.study.Delta)
		r.Findings = append(r.Findings, f)
	}
	r.CPUs = cpusOf(j.benchmark)
	r.OldBytes, r.NewBytes = bytesOf(j.blocks, j.old), bytesOf(j.blocks, j.new)
	r.OldRuntime, r.NewRuntime = runtimeCounts(j.blocks, j.old), runtimeCounts(j.blocks, j.new)
}
