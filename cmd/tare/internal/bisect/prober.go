package bisect

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/explain"
	"github.com/tarebench/tare/cmd/tare/internal/instrument"
	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
	"github.com/tarebench/tare/internal/finding"
)

type shared struct {
	log   *answers
	watch Watcher
	began time.Time
	// chosen is the benchmark to search for, nil before the ends are compared.
	// Other benchmarks may differ too.
	chosen *result.Key
	others []string
	// varies is set if the unit is not an exact count.
	varies bool
	// needs is the budget that would decide the ends, or 0 if unknown.
	needs float64
	// ends is the comparison of the ends of the whole search.
	ends outcome
	// causes are the differences in the machine code of a pair of points.
	causes map[string][]string
}

type sessionProber struct {
	*shared
	spec   Spec
	points []result.Point
	// series distinguishes a series inside a merge from the whole one.
	series string
	// known is the comparison of the ends, if they were compared in another series.
	known *outcome
}

func (p *sessionProber) pair(a, b int) string { return fmt.Sprint(p.series, " ", a, " ", b) }

// Compare runs the ordinary rule of a comparison, or counts if the unit is an
// exact count.
func (p *sessionProber) Compare(ctx context.Context, a, b int) (outcome, error) {
	if p.known != nil && a == 0 && b == len(p.points)-1 {
		return *p.known, nil
	}
	if p.spec.Unit != "sec/op" && !p.varies {
		ans, err := p.ask(ctx, question{Kind: "count", Series: p.series, A: a, B: b, N: countBlocks})
		if err != nil || ans.Exact || ans.SameCode {
			return ans.outcome, err
		}
		p.varies = true
	}
	ans, err := p.ask(ctx, question{Kind: "compare", Series: p.series, A: a, B: b})
	if p.series == "" && a == 0 && b == len(p.points)-1 {
		p.ends = ans.outcome
	}
	return ans.outcome, err
}

// share estimates the change from commit a to commit b, which needs no verdict.
func (p *sessionProber) share(ctx context.Context, a, b int) (outcome, error) {
	if p.spec.Unit != "sec/op" {
		return p.Compare(ctx, a, b)
	}
	ans, err := p.ask(ctx, question{Kind: "blocks", Series: p.series, A: a, B: b, N: judge.MinBlocks})
	return ans.outcome, err
}

// Enough blocks show whether a count varies. They are short and share one
// function order, because neither time nor place matters.
const (
	countBlocks = judge.MinBlocks
	countTime   = 5 * time.Millisecond
)

// patience is how many budgets the comparison of a commit with its parent may
// take.
const patience = 3

// Blocks measures n further blocks.
func (p *sessionProber) Blocks(ctx context.Context, a, b, n int) ([]float64, error) {
	ans, err := p.ask(ctx, question{Kind: "blocks", Series: p.series, A: a, B: b, N: n})
	if err == nil && ans.SameCode {
		err = errSameCode
	}
	return ans.Logs, err
}

// SameCode compares the machine code of two points, without running it.
func (p *sessionProber) SameCode(ctx context.Context, a, b int) (bool, error) {
	if p.spec.Session.MeasureAll || strings.HasPrefix(p.spec.Of, "go") { // two toolchains never make the same code
		return false, nil
	}
	ans, err := p.ask(ctx, question{Kind: "code", Series: p.series, A: a, B: b})
	return ans.SameCode, err
}

func (p *sessionProber) ask(ctx context.Context, q question) (answer, error) {
	ans, ok := p.log.next(q)
	if !ok {
		var err error
		if ans, err = p.measure(ctx, q); err != nil {
			return ans, err
		}
		if err := p.log.add(ans); err != nil {
			return ans, err
		}
	}
	if p.chosen == nil && ans.Benchmark != nil {
		p.chosen, p.others, p.needs = ans.Benchmark, ans.Others, ans.NeedsSeconds
	}
	if len(ans.Causes) > 0 {
		p.causes[p.pair(q.A, q.B)] = ans.Causes
	}
	return ans, ans.broken()
}

func (p *sessionProber) measure(ctx context.Context, q question) (answer, error) {
	spec, err := p.session(q)
	if err != nil {
		return answer{}, err
	}
	ans := answer{question: q}
	if q.Kind == "code" {
		return p.compareCode(ctx, spec, ans)
	}
	s, err := session.Open(ctx, spec, p.watch)
	if err != nil {
		if ctx.Err() != nil {
			return ans, err
		}
		return p.failed(ans, err.Error()), nil
	}
	err = s.Run(ctx)
	if err == nil || s.Measured() {
		ans, err = p.read(ans, s), nil
		if q.Kind != "count" {
			p.compared(s.Comparison())
		}
	} else if ctx.Err() == nil {
		ans, err = p.failed(ans, err.Error()), nil
	}
	if cerr := s.Close(); err == nil {
		err = cerr
	}
	if ctx.Err() != nil {
		return ans, context.Cause(ctx)
	}
	return ans, err
}

func (p *sessionProber) compared(c result.Comparison) {
	if p.spec.Compared != nil {
		p.spec.Compared(c)
	}
}

func (p *sessionProber) session(q question) (session.Spec, error) {
	spec := p.spec.Session
	spec.Kind, spec.Folder = "compare", p.log.folderOf(len(p.log.all))
	// Every question has its own random orders, the same ones when it is repeated.
	spec.Seed += uint64(len(p.log.all)) + 1
	var err error
	if spec.Variants, err = build.ParseAll(p.points[q.A].Variant, p.points[q.B].Variant); err != nil {
		return spec, err
	}
	if p.chosen != nil {
		spec.Bench = result.ExactPattern("Benchmark" + p.chosen.Name)
		spec.Packages = []string{p.chosen.Pkg}
		spec.Procs = []int{p.chosen.Procs}
	}
	switch {
	case q.Kind == "compare" && p.chosen != nil: // undecided, it would waste the search
		spec.BudgetSeconds *= patience
	case q.Kind == "blocks":
		spec.MaxBlocks = q.N
		spec.Enough = func(blocks []result.Block) bool { return len(blocks) >= q.N }
	case p.spec.Unit == instrument.UnitInstructions && q.Kind == "count":
		spec.Instructions, spec.MaxBlocks = true, 1
		spec.Enough = func([]result.Block) bool { return true }
	case q.Kind == "count":
		spec.MaxBlocks, spec.BlockSeconds, spec.FuncOrders = q.N, countTime.Seconds(), false
		spec.Level = spec.Alpha / float64(len(p.points)) // every point may be asked about
		spec.Enough = func(blocks []result.Block) bool { return len(blocks) >= q.N }
	}
	return spec, nil
}

func (p *sessionProber) compareCode(ctx context.Context, spec session.Spec, ans answer) (answer, error) {
	same, rec, err := session.CompareCode(ctx, spec, p.watch)
	switch {
	case ctx.Err() != nil:
		return ans, context.Cause(ctx)
	case err != nil:
		return p.failed(ans, err.Error()), nil
	}
	code, ok := same[*p.chosen]
	if !ok {
		return p.absent(ans, rec, judge.Compare(rec)), nil
	}
	ans.SameCode = code
	if code {
		p.compared(result.Comparison{Variants: rec.Study.Variants, Machine: rec.Study.Machine, Benchmarks: []result.BenchmarkComparison{
			{Key: *p.chosen, Unit: "sec/op", NewVariant: 1, Verdict: result.Same, Reason: result.ReasonSameCode}}})
	}
	return ans, nil
}

// failed is an answer about a point that cannot be measured. It blames the
// point that is not an end of the series or was not measured before.
func (p *sessionProber) failed(a answer, reason string) answer {
	a.Reason, a.BrokenPoint = reason, a.B
	if p.log.measured(a.Series, a.B) && !p.log.measured(a.Series, a.A) {
		a.BrokenPoint = a.A
	}
	for _, k := range []int{a.A, a.B} { // the reason is next to the name of the point
		a.Reason = strings.ReplaceAll(a.Reason, " "+p.points[k].Variant+":", ":")
	}
	return a
}

// absent is an answer about a point without the benchmark.
func (p *sessionProber) absent(a answer, rec *result.Recording, c result.Comparison) answer {
	for _, stop := range rec.Stops {
		switch stop.Reason {
		case "failed":
			f := p.failed(a, strings.TrimSuffix("failed: "+stop.Message, ": "))
			f.BrokenPoint = []int{a.A, a.B}[min(stop.Variant, 1)]
			return f
		case "skipped":
			return p.failed(a, strings.TrimSuffix("skipped: "+stop.Message, ": "))
		case "one side only":
			f := p.failed(a, unbuilt(rec, "it does not have the benchmark"))
			if slices.Equal(rec.Benchmarks[stop.Benchmark].Missing, []int{0}) {
				f.BrokenPoint = a.A
			}
			return f
		}
	}
	return p.failed(a, unbuilt(rec, fmt.Sprintf("no row of %s: %s", p.spec.Unit, describe(c))))
}

// unbuilt returns the error of a variant that does not list its benchmarks.
// Without one it returns otherwise.
func unbuilt(rec *result.Recording, otherwise string) string {
	for _, f := range rec.Findings {
		if why, ok := f.Values["why"].(string); ok && (f.ID == catalog.NotBuilt.ID || f.ID == catalog.NotRun.ID) {
			return why
		}
	}
	return otherwise
}

func (p *sessionProber) read(a answer, s *session.Session) answer {
	c, rec := s.Comparison(), s.Recording()
	row := p.row(&a, c)
	if row == nil {
		return p.absent(a, rec, c)
	}
	if row.Reason == result.ReasonSameCode {
		a.Same, a.SameCode = true, true
		return a
	}
	if i := slices.IndexFunc(rec.Benchmarks, func(b result.Benchmark) bool { return b.Key == row.Key }); i >= 0 && row.Blocks > 0 {
		a.Logs = judge.BlockRatios(rec.Benchmarks[i], p.spec.Unit, 0, 1)
	}
	if row.Verdict == result.Undecided && row.Blocks > 0 && row.Needed <= session.CompareBlocks {
		a.NeedsSeconds = row.Seconds / float64(row.Blocks) * float64(max(row.Needed, row.Blocks+1, judge.MinBlocks))
	}
	a.Center, a.Lo, a.Hi = math.Log(row.Change.Ratio), math.Log(row.Change.Lo), math.Log(row.Change.Hi)
	a.Differs = row.Verdict.Differs()
	a.Same = row.Verdict == result.Same
	for _, v := range []*float64{&a.Center, &a.Lo, &a.Hi} {
		if math.IsNaN(*v) || math.IsInf(*v, 0) {
			*v = 0 // undecided: the logs contain the blocks
		}
	}
	a.exactly(row)
	if a.Differs && a.Kind != "blocks" {
		a.Causes = explain.Causes(s, row.Key, a.Center > 0 || a.New > a.Old)
		if p.spec.Of != "go" { // points of "go" are releases
			a.Causes = append(otherToolchain(rec.Study.Variants), a.Causes...)
		}
	}
	return a
}

// otherToolchain reports that go.mod chose another Go release for each of two
// commits.
func otherToolchain(v []result.Variant) []string {
	if len(v) != 2 || v[0].Go == v[1].Go {
		return nil
	}
	return []string{fmt.Sprintf("compiled by %s, not by %s", v[1].Go, v[0].Go)}
}

// exactly takes exact counts from a row. Instructions are counted, not sampled.
// They vary far less than any change that the rule of the ends accepts.
func (a *answer) exactly(row *result.BenchmarkComparison) {
	if a.Kind == "count" && (row.Exact || row.Unit == instrument.UnitInstructions) {
		a.Exact, a.Old, a.New = true, row.Old.Center, row.New.Center
	}
}

func describe(c result.Comparison) string {
	for _, f := range c.Findings {
		if f.Severity == finding.Severe {
			return f.Message
		}
	}
	return "nothing was measured"
}

// row finds the searched benchmark. The first comparison chooses it: the
// benchmark with the greatest change.
func (p *sessionProber) row(a *answer, c result.Comparison) *result.BenchmarkComparison {
	var rows []*result.BenchmarkComparison
	for i := range c.Benchmarks {
		r := &c.Benchmarks[i]
		mine := r.Reason == result.ReasonSameCode || r.Unit == p.spec.Unit && (r.Blocks > 0 || r.Unit == instrument.UnitInstructions)
		if mine && (p.chosen == nil || r.Key == *p.chosen) {
			rows = append(rows, r)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	if p.chosen == nil {
		size := func(r *result.BenchmarkComparison) float64 {
			if !r.Verdict.Differs() {
				return 0
			}
			if d := r.Change.Difference; d != nil && !(r.Old.Center > 0 && r.New.Center > 0) {
				return math.Inf(1) // from or to none
			}
			return math.Abs(math.Log(r.Change.Ratio))
		}
		slices.SortStableFunc(rows, func(x, y *result.BenchmarkComparison) int { return cmp.Compare(size(y), size(x)) })
		key := rows[0].Key
		a.Benchmark = &key
		for _, r := range rows[1:] {
			if size(r) > 0 {
				a.Others = append(a.Others, r.Name)
			}
		}
	}
	return rows[0]
}
