package selftest

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/machine"
	"github.com/tarebench/tare/cmd/tare/internal/process"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
)

// truthFiles are the benchmarks of known truth. truth uses no shared resources.
// shared allocates, locks, waits, reads files or uses all CPUs. moved is code
// that no benchmark runs. With it, the linker moves all functions, as an
// unrelated change does.
//
//go:embed truth/*.txt
var truthFiles embed.FS

type pair struct {
	stratum  result.Stratum
	change   float64
	old, new string
	wanted   int // comparisons
}

// pairs divides the comparisons without a change among three strata. The strata
// that a short run reaches come first.
func pairs(null, known int) []pair {
	third := (null + 2) / 3
	return []pair{
		{stratum: result.Copies, old: ".", new: ".", wanted: third},
		{stratum: result.Changed, change: 0.02, old: ".", new: ".,tags=p20", wanted: known},
		{stratum: result.Changed, change: 0.05, old: ".", new: ".,tags=p50", wanted: known},
		{stratum: result.Moved, old: ".", new: ".,tags=moved", wanted: third},
		{stratum: result.Commit, old: "HEAD", new: ".", wanted: null - 2*third},
	}
}

// usualComparisons is the number of comparisons that the sequential method
// repeats. With runs of a second each takes at least twenty seconds.
const usualComparisons = 100

// permille are the lengths of an iteration by build constraint, in
// thousandths.
var permille = map[string]int{"!p20 && !p50 && !p100 && !p500": 1000, "p20": 1020, "p50": 1050, "p100": 1100, "p500": 1500}

// Options are the comparisons of the self-test, and their number.
type Options struct {
	// Null is the number of comparisons without a change, Known the number of
	// comparisons with each known change.
	Null, Known int
	// Seed is the random seed. 0 draws one.
	Seed uint64
	// Most ends the self-test after this time. A comparison that it interrupts is
	// not counted. 0 is no bound.
	Most time.Duration
	// Sequential runs go test -count=10 -benchtime=Benchtime and the
	// Mann-Whitney test too, on the binaries of comparisons without a change,
	// until there are 100 of them.
	Sequential bool
	Benchtime  time.Duration
	// Packages are patterns of packages whose benchmarks are compared instead of
	// the built-in ones.
	Packages []string
	// Host is the machine to measure on.
	Host session.Host
	// Lock is the action while another process measures. OnWait, if not nil, is
	// called with that process.
	Lock   machine.LockMode
	OnWait func(holder string)
	// Compared, if not nil, is called after every comparison with the counts of its
	// pair and the expected remaining time of the self-test.
	Compared func(truth result.SelfTestTruth, left time.Duration)
}

// Run compares pairs of variants in turn until each has its number of
// comparisons. An interrupted self-test is incomplete, which is no error.
func (o Options) Run(ctx context.Context) (out *result.SelfTest, err error) {
	release, err := machine.Lock(ctx, o.Lock, o.OnWait)
	if err != nil {
		return nil, err
	}
	defer release()
	if o.Seed == 0 {
		o.Seed = rand.Uint64()>>11 + 1
	}
	dir, err := os.MkdirTemp("", "tare-selftest-")
	if err != nil {
		return nil, fmt.Errorf("make directory for the benchmarks: %w", err)
	}
	defer os.RemoveAll(dir)
	began := time.Now()
	limited, cancel := context.WithTimeout(ctx, cmp.Or(o.Most, math.MaxInt64))
	defer cancel()
	var targets []target
	all := pairs(o.Null, o.Known)
	if len(o.Packages) > 0 {
		builder := session.Spec{}.NewBuilder(func(string) {})
		defer builder.Close()
		targets, err = o.ownTargets(limited, dir, builder)
		all = ownPairs(max(o.Null, len(targets)), max(o.Known, len(targets)))
	} else {
		targets, err = []target{{pkg: "truth", bench: ".", packages: ".", dir: dir, work: dir}}, writeModule(ctx, dir)
	}
	if err != nil {
		return nil, err
	}
	facts := machine.Facts(o.Host.Tree)
	out = &result.SelfTest{Schema: result.Schema, Seed: o.Seed, Machine: &facts, Alpha: session.DefaultAlpha, Packages: o.Packages}
	if o.Sequential {
		out.Sequential.Benchtime = o.Benchtime.String()
	}
	if len(o.Packages) > 0 {
		out.Benchmarks = len(targets)
	}
	deadline, _ := limited.Deadline()
	out.Truths = make([]result.SelfTestTruth, len(all))
	for i, p := range all {
		out.Truths[i].Stratum, out.Truths[i].Change = p.stratum, p.change
	}
	for turn := uint64(0); ; turn++ {
		open := false
		for i, p := range all {
			truth := &out.Truths[i]
			if truth.Comparisons >= p.wanted || limited.Err() != nil {
				continue
			}
			open = true
			t := targets[turn%uint64(len(targets))]
			if err := o.comparePair(limited, t, p, o.Seed+1000*turn+uint64(i), truth, &out.Sequential); err != nil && limited.Err() == nil {
				return nil, err
			}
			if o.Compared != nil {
				o.Compared(*truth, left(all, out.Truths, time.Since(began), time.Until(deadline)))
			}
		}
		if !open {
			break
		}
	}
	if limited.Err() != nil && ctx.Err() == nil && !slices.ContainsFunc(out.Truths, func(t result.SelfTestTruth) bool { return t.Comparisons > 0 }) {
		return nil, fmt.Errorf("compare in %v: no comparison ended: give more time", o.Most)
	}
	out.Seconds = time.Since(began).Seconds()
	out.Incomplete = ctx.Err() != nil
	return out, nil
}

func left(all []pair, truths []result.SelfTestTruth, took, most time.Duration) time.Duration {
	done, open := 0, 0
	for i, p := range all {
		done += truths[i].Comparisons
		open += max(0, p.wanted-truths[i].Comparisons)
	}
	rest := time.Duration(float64(took) / float64(max(1, done)) * float64(open))
	return min(rest, max(0, most))
}

func writeModule(ctx context.Context, dir string) error {
	files := map[string]string{".gitignore": "/.tare/\n"}
	entries, err := truthFiles.ReadDir("truth")
	if err != nil {
		return fmt.Errorf("read benchmarks: %w", err)
	}
	for _, e := range entries {
		text, err := truthFiles.ReadFile("truth/" + e.Name())
		if err != nil {
			return fmt.Errorf("read benchmarks: %w", err)
		}
		files[strings.TrimSuffix(e.Name(), ".txt")] = string(text)
	}
	for constraint, n := range permille {
		files[fmt.Sprintf("p%d_test.go", n)] = fmt.Sprintf("//go:build %s\n\npackage truth\n\nconst permille = %d\n", constraint, n)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			return fmt.Errorf("write benchmarks: %w", err)
		}
	}
	run := process.GitIn(dir)
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=tare", "-c", "user.email=tare@localhost", "-c", "commit.gpgSign=false", "commit", "-q", "-m", "benchmarks"}} {
		if _, err := run(ctx, nil, args...); err != nil {
			return fmt.Errorf("commit benchmarks: %w", err)
		}
	}
	return nil
}

// comparePair compares the benchmarks of a target once, as tare compare does by
// default. If the two variants are alike, or the benchmarks are the user's, it
// then uses the usual method too. δ is half of the known change.
func (o Options) comparePair(ctx context.Context, t target, p pair, seed uint64, truth *result.SelfTestTruth, usual *result.SelfTestSequential) (err error) {
	spec := t.comparison(o.Host, seed)
	// A change of exactly δ is on the edge between same and more. If nothing changed,
	// δ is 0: "same" would hide whether a difference is claimed too often.
	spec.Delta = p.change / 2
	if spec.Variants, err = build.ParseAll(p.old, p.new); err != nil {
		return err
	}
	run, err := session.Open(ctx, spec, session.Quiet{})
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, run.Close(), os.RemoveAll(run.Folder()))
	}()
	if err := run.Run(ctx); err != nil || ctx.Err() != nil {
		return err // an interrupted comparison has rows that were not reached
	}
	truth.AddRun(slices.DeleteFunc(run.Comparison().Benchmarks, func(r result.BenchmarkComparison) bool { return r.Unit != "sec/op" }))
	if !o.Sequential || len(o.Packages) == 0 && (!p.stratum.Null() || usual.Comparisons >= usualComparisons) {
		return nil
	}
	return o.sequentialTurn(ctx, t, p, spec.Variants[1].Env, run.Folder(), usual)
}

func comparison(dir string, host session.Host, seed uint64) session.Spec {
	return session.Spec{
		Plan: result.Plan{
			Kind: "compare", Packages: []string{"."}, Bench: ".", TimeoutSeconds: 60, FuncOrders: true,
			MeasureAll:    true, // also if only the function order differs
			BudgetSeconds: session.CompareBudget.Seconds(), MaxBlocks: session.CompareBlocks,
			Alpha: session.DefaultAlpha, Delta: session.DefaultDelta, Seed: seed,
		},
		Dir: dir, Host: host,
		Lock: machine.LockOff, // the caller has it
	}
}

// sequentialTurn measures all old and then all new, with the binaries that the
// session kept.
func (o Options) sequentialTurn(ctx context.Context, t target, p pair, env []string, folder string, out *result.SelfTestSequential) error {
	var sides [2]map[string][]float64
	began := time.Now()
	for side := range sides {
		cmd := process.Command(ctx, filepath.Join(folder, session.KeptName(t.pkg, side)), "-test.run=^$", "-test.bench="+t.bench, "-test.count=10", "-test.benchtime="+o.Benchtime.String())
		cmd.Dir = t.dir
		if side == 1 {
			cmd.Env = append(cmd.Environ(), env...)
		}
		text, err := cmd.Output()
		if err := process.Ended(err); err != nil {
			return fmt.Errorf("run the sequential method: %w", err)
		}
		sides[side] = timesPerOp(string(text))
	}
	for name, old := range sides[0] {
		claimed := stats.MannWhitney(old, sides[1][name]).P < 0.05
		slower := stats.Median(sides[1][name]) > stats.Median(old)
		if p.change == 0 {
			out.Comparisons++
			if claimed {
				out.Wrong++
			}
			continue
		}
		out.Known++
		if claimed && slower {
			out.Found++
		} else if claimed {
			out.Reversed++
		}
	}
	out.Seconds += time.Since(began).Seconds()
	return nil
}

// timesPerOp are the times of every benchmark in the output of go test, in seconds.
func timesPerOp(text string) map[string][]float64 {
	times := make(map[string][]float64)
	for r := benchfmt.NewReader(strings.NewReader(text), "go test"); r.Scan(); {
		if line, ok := r.Result().(*benchfmt.Result); ok {
			if v, ok := line.Value("sec/op"); ok {
				name := "Benchmark" + string(line.Name)
				times[name] = append(times[name], v)
			}
		}
	}
	return times
}
