package bisection

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/tarebench/tare/finding"
	"github.com/tarebench/tare/internal/bisect"
	"github.com/tarebench/tare/internal/lockstep"
	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/internal/session"
	"github.com/tarebench/tare/internal/variant"
)

// prober measures points of the axis against each other.
type prober struct {
	spec   Spec
	log    *answers
	watch  Watcher
	chosen *result.Key // nil until the ends are compared
	others []string
}

// Compare runs the ordinary rule of a comparison.
func (p *prober) Compare(ctx context.Context, a, b int) (bisect.Outcome, error) {
	ans, err := p.ask(ctx, question{Kind: "compare", A: a, B: b})
	if err != nil {
		return bisect.Outcome{}, err
	}
	return ans.outcome(), nil
}

// Blocks measures n further blocks.
func (p *prober) Blocks(ctx context.Context, a, b, n int) ([]float64, error) {
	ans, err := p.ask(ctx, question{Kind: "blocks", A: a, B: b, N: n})
	if err != nil {
		return nil, err
	}
	return ans.Logs, nil
}

// ask answers a question from the log of an interrupted search, or measures.
func (p *prober) ask(ctx context.Context, q question) (answer, error) {
	if ans, ok := p.log.next(q); ok {
		p.choose(ans)
		return ans, ans.broken()
	}
	ans, err := p.measure(ctx, q)
	if err != nil {
		return ans, err
	}
	p.choose(ans)
	if err := p.log.add(ans); err != nil {
		return ans, err
	}
	return ans, ans.broken()
}

func (p *prober) choose(a answer) {
	if p.chosen == nil && a.Benchmark != nil {
		p.chosen, p.others = a.Benchmark, a.Others
	}
}

// measure runs a session of the two points.
func (p *prober) measure(ctx context.Context, q question) (answer, error) {
	spec := p.spec.Session
	spec.Kind, spec.Folder = "compare", p.log.folderOf(len(p.log.all))
	// Fresh random orders for every question, the same when it is repeated.
	spec.Seed += uint64(len(p.log.all)) + 1
	spec.Variants = nil
	for _, k := range []int{q.A, q.B} {
		v, err := variant.Parse(p.spec.Axis[k].Variant)
		if err != nil {
			return answer{}, err
		}
		spec.Variants = append(spec.Variants, v)
	}
	if p.chosen != nil {
		spec.Bench = exactly("Benchmark" + p.chosen.Name)
		spec.Packages = []string{p.chosen.Pkg}
		spec.Procs = []int{p.chosen.Procs}
	}
	if q.Kind == "blocks" {
		spec.Blocks = q.N
		spec.Enough = func(blocks []result.Block) bool { return len(blocks) >= q.N }
	}
	ans := answer{question: q, Seed: spec.Seed, Command: command(spec, q)}
	s, err := session.Open(ctx, spec, p.watch)
	if err != nil {
		if ctx.Err() != nil {
			return ans, err
		}
		return p.failed(ans, err.Error()), nil
	}
	err = s.Run(ctx)
	if cerr := s.Close(); err == nil {
		err = cerr
	}
	if ctx.Err() != nil {
		return ans, context.Cause(ctx)
	}
	if err != nil && !s.Measured() {
		return p.failed(ans, err.Error()), nil
	}
	return p.read(ans, s)
}

// failed is an answer about a point that cannot be measured: of the two, the
// one that is not an end of the series or has not been measured before.
func (p *prober) failed(a answer, reason string) answer {
	a.Reason, a.BrokenPoint = reason, a.B
	if p.log.measured(a.B) && !p.log.measured(a.A) {
		a.BrokenPoint = a.A
	}
	return a
}

// read takes the answer from the recording.
func (p *prober) read(a answer, s *session.Session) (answer, error) {
	c := s.Comparison()
	row := p.row(&a, c)
	if row == nil {
		for _, stop := range s.Recording().Stops {
			if stop.Reason == "failed" || stop.Reason == "skipped" || stop.Reason == "one side only" {
				f := p.failed(a, strings.TrimSpace(stop.Reason+": "+stop.Message))
				if stop.Reason == "failed" {
					f.BrokenPoint = []int{a.A, a.B}[min(stop.Variant, 1)]
				}
				return f, nil
			}
		}
		return p.failed(a, fmt.Sprintf("no row of %s: %s", p.spec.Unit, describe(c))), nil
	}
	rec := s.Recording()
	i := slices.IndexFunc(rec.Benchmarks, func(b result.Benchmark) bool { return b.Key == row.Key })
	a.Logs = lockstep.BlockRatios(rec.Benchmarks[i], p.spec.Unit, 0, 1)
	a.Center, a.Lo, a.Hi = math.Log(row.Change.Ratio), math.Log(row.Change.Lo), math.Log(row.Change.Hi)
	a.Differs = row.Verdict == result.Faster || row.Verdict == result.Slower
	a.Same = row.Verdict == result.Same
	for _, v := range []*float64{&a.Center, &a.Lo, &a.Hi} {
		if math.IsNaN(*v) || math.IsInf(*v, 0) {
			*v = 0 // undecided: the logs say what is known
		}
	}
	return a, nil
}

func describe(c result.Comparison) string {
	for _, f := range c.Findings {
		if f.Severity == finding.Severe {
			return f.Message
		}
	}
	return "nothing was measured"
}

// row finds the benchmark that is searched for. The first comparison chooses
// it: the one that changed most among those that differ.
func (p *prober) row(a *answer, c result.Comparison) *result.BenchmarkComparison {
	var rows []*result.BenchmarkComparison
	for i := range c.Benchmarks {
		r := &c.Benchmarks[i]
		if r.Unit == p.spec.Unit && r.Blocks > 0 && (p.chosen == nil || r.Key == *p.chosen) {
			rows = append(rows, r)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	if p.chosen == nil {
		size := func(r *result.BenchmarkComparison) float64 {
			if r.Verdict != result.Faster && r.Verdict != result.Slower {
				return 0
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

// exactly is the pattern of one benchmark: go test takes one expression for
// each level of the name.
func exactly(name string) string {
	levels := strings.Split(name, "/")
	for i, l := range levels {
		levels[i] = "^" + regexp.QuoteMeta(l) + "$"
	}
	return strings.Join(levels, "/")
}

// command is the tare compare that asks the question again.
func command(s session.Spec, q question) string {
	args := []string{"tare", "compare", "-bench", quote(s.Bench), "-seed", fmt.Sprint(s.Seed)}
	if q.Kind == "blocks" {
		args = append(args, "-blocks", fmt.Sprint(q.N))
	} else {
		args = append(args, "-delta", fmt.Sprintf("%g%%", 100*s.Delta), "-budget", s.Budget.String())
	}
	args = append(args, quote(s.Variants[0].Label), quote(s.Variants[1].Label))
	for _, pkg := range s.Packages {
		args = append(args, quote(pkg))
	}
	return strings.Join(args, " ")
}

// quote protects a word from the shell.
func quote(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
