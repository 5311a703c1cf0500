package explain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/machine"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// The maximum numbers of mechanisms and files of a benchmark that are removed,
// one at a time. Each takes a comparison.
const (
	mostFlips = 2
	mostFiles = 2
)

// errSubBenchmarks reports that a benchmark has no time apart from its
// sub-benchmarks.
var errSubBenchmarks = errors.New("it has sub-benchmarks: compare them, and explain the directory of the comparison")

// prover measures again with a mechanism removed.
type prover struct {
	*explainer
	e        *Explanation
	old, new build.Spec
	watcher  session.Watcher
	// ordered links all blocks in the linker's own function order.
	ordered bool
}

// measureWhole measures the whole change if no recording has it.
func (p *prover) measureWhole(ctx context.Context) error {
	rows, err := p.measure(ctx, p.old, p.new)
	if err != nil {
		return fmt.Errorf("prove cause of %s: %w", p.e.Name, err)
	}
	row := rows[1]
	p.e.Change, p.e.Verdict, p.e.OldRuntime, p.e.NewRuntime = row.Change, row.Verdict, row.OldRuntime, row.NewRuntime
	return nil
}

// takeAway removes the mechanisms of the first causes, one at a time, and
// restores the changed files with the causes. It measures after each. A
// mechanism proves or refutes its cause. A file proves only itself, because it
// may contain several changes.
func (p *prover) takeAway(ctx context.Context) error {
	e := p.e
	if e.Verdict != result.Faster && e.Verdict != result.Slower {
		p.note("it is neither faster nor slower: there is nothing to explain")
		return nil
	}
	tried := 0
	for i := range e.Causes {
		cause := &e.Causes[i]
		if tried == mostFlips {
			continue
		}
		proof, ok, err := p.flip(ctx, *cause)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			p.note(fmt.Sprintf("%s could not be removed: %v", cause.Kind, words.FirstLine(err.Error())))
		case ok:
			cause.Proof = &proof
		}
		if ok || err != nil {
			tried++
		}
	}
	if err := p.takeFilesBack(ctx); err != nil {
		return err
	}
	sortByProof(e.Causes)
	return nil
}

func (p *prover) note(text string) { p.e.Notes = append(p.e.Notes, text) }

// flip removes the mechanism of a cause. ok is false if no flip does.
func (p *prover) flip(ctx context.Context, cause Cause) (proof Proof, ok bool, err error) {
	flip := flipOf(cause)
	old, new := p.old, p.new
	switch flip {
	case NoCollector:
		env := []string{"GOGC=off", "GOMEMLIMIT=4GiB"}
		old, new = withEnv(old, env...), withEnv(new, env...)
	case NoProfile:
		old, new = withFlag(old, "-pgo=off"), withFlag(new, "-pgo=off")
	case OrderHeld:
		if !p.spec.FuncOrders {
			return proof, false, nil
		}
		p.ordered = true
		defer func() { p.ordered = false }()
	default:
		return proof, false, nil
	}
	if e := p.e; flip == NoCollector && e.OldRunning != nil && e.NewRunning != nil && !collectorAccounts(*e.OldRunning, *e.NewRunning, e.Change) {
		p.note("the time of the collector is less than half of the change: it was not removed")
		return proof, false, nil
	}
	variants := []build.Spec{old, new, p.old}
	if p.ordered {
		variants = variants[:2] // the function order applies to the whole session
	}
	rows, err := p.measure(ctx, variants...)
	if err != nil {
		return proof, false, err
	}
	if flip == NoCollector && stillCollects(rows[1].OldRuntime, rows[1].NewRuntime) {
		p.note("the program sets the limits of the collector itself: it could not be removed")
		return proof, false, nil
	}
	back := result.Change{Ratio: 1, Lo: 1, Hi: 1}
	if !p.ordered {
		back = rows[2].Change
	}
	if proof, ok = proveByRest(flip, rows[1].Change, back, p.e.Change); !ok {
		p.note(fmt.Sprintf("%s was removed, and its part has no interval: raise -budget", cause.Kind))
	}
	return proof, ok, nil
}

func withFlag(v build.Spec, flag string) build.Spec {
	v.Flags = append(slices.Clone(v.Flags), flag)
	v.Label += ",flags=" + flag
	return v
}

func withEnv(v build.Spec, pairs ...string) build.Spec {
	v.Env = append(slices.Clone(v.Env), pairs...)
	for _, pair := range pairs {
		v.Label += ",env=" + pair
	}
	return v
}

// measure compares variants by the benchmark and returns their rows of time, by
// variant, from the second on.
func (p *prover) measure(ctx context.Context, variants ...build.Spec) (rows []result.BenchmarkComparison, err error) {
	spec := p.spec
	spec.Kind, spec.Variants, spec.Packages, spec.MeasureAll, spec.Explain = "compare", variants, []string{p.e.Pkg}, true, false
	var levels []string
	for level := range strings.SplitSeq("Benchmark"+p.e.Name, "/") {
		levels = append(levels, "^"+regexp.QuoteMeta(level)+"$")
	}
	spec.Bench, spec.Skip, spec.Profiles, spec.Instructions = strings.Join(levels, "/"), "", nil, false
	spec.FuncOrders = spec.FuncOrders && !p.ordered
	spec.Alpha /= mostFlips + mostFiles // the error rate covers all proofs of a benchmark
	spec.Lock = cmp.Or(spec.Lock, machine.LockWait)
	run, err := session.Open(ctx, spec, p.watcher)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, run.Close()) }()
	if err := run.Run(ctx); err != nil {
		return nil, err
	}
	rows = make([]result.BenchmarkComparison, len(variants))
	for _, row := range run.Comparison().Benchmarks {
		switch {
		case row.Unit != "sec/op" || row.Verdict == result.Failed || row.Verdict == result.Missing:
		case row.Name != p.e.Name:
			return nil, errSubBenchmarks
		default:
			rows[row.NewVariant] = row
		}
	}
	if slices.ContainsFunc(rows[1:], func(row result.BenchmarkComparison) bool { return row.Name == "" }) {
		return nil, errors.New("it gave no time")
	}
	return rows, nil
}
