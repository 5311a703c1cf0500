package selftest

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/tarebench/tare/internal/hostlock"
	"github.com/tarebench/tare/internal/machine"
	"github.com/tarebench/tare/internal/process"
	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/internal/session"
	"github.com/tarebench/tare/internal/variant"
	"github.com/tarebench/tare/stats"
)

//go:embed bench.go.txt
var benchText string

// movedText is code that no benchmark runs. With it, the two sides of a
// comparison without a change are what they are in life: the same benchmark
// in two binaries in which something else has changed, so that the linker lays
// out everything again. Two copies of one binary are easier.
const movedText = `//go:build moved

package truth

func init() { sink += elsewhere(uint64(len(words))) }

//go:noinline
func elsewhere(n uint64) (sum uint64) {
	for i := range n {
		sum = sum*31 + i
	}
	return sum
}
`

// pair is a pair of variants whose true change is known.
type pair struct {
	change   float64
	moved    bool // no change, but code elsewhere has changed
	old, new string
	wanted   int // comparisons
}

// pairs makes half of the comparisons without a change with two
// copies of one binary, half with different binaries.
func pairs(null, known int) []pair {
	return []pair{
		{old: ".", new: ".", wanted: (null + 1) / 2},
		{moved: true, old: ".", new: ".,tags=moved", wanted: null / 2},
		{change: 0.02, old: ".", new: ".,tags=p20", wanted: known},
		{change: 0.05, old: ".", new: ".,tags=p50", wanted: known},
	}
}

// permille are the lengths of an iteration by build constraint, in
// thousandths.
var permille = map[string]int{"!p20 && !p50": 1000, "p20": 1020, "p50": 1050}

// Options say what the self-test compares, and how often.
type Options struct {
	// Null is the number of comparisons without a change, Known that of
	// comparisons with each known change.
	Null, Known int
	// Seed is the random seed; 0 draws one.
	Seed uint64
	// Deadline ends the self-test after the turn in progress, if not zero.
	Deadline time.Time
	// Sequential runs go test -count=10 and the Mann-Whitney test too, on the
	// binaries without a change.
	Sequential bool
	// Host is the machine to measure on.
	Host session.Host
	// Lock is what to do while another process measures; OnWait, if not nil, is
	// called with the process that is waited for.
	Lock   hostlock.Mode
	OnWait func(holder string)
	// Turn, if not nil, is called after every turn with the counts of its pair
	// and the time that the self-test is expected to take on.
	Turn func(truth result.SelfTestTruth, left time.Duration)
}

// Run compares pairs of variants in turn until each has the number of
// comparisons that was asked for. An interrupted self-test is incomplete, which
// is no error.
func (o Options) Run(ctx context.Context) (out *result.SelfTest, err error) {
	release, err := hostlock.Lock(ctx, o.Lock, o.OnWait)
	if err != nil {
		return nil, err
	}
	defer release()
	if o.Seed == 0 {
		o.Seed = rand.Uint64()>>11 + 1
	}
	dir, err := os.MkdirTemp("", "tare-selftest-")
	if err != nil {
		return nil, fmt.Errorf("make folder for the benchmarks: %w", err)
	}
	defer os.RemoveAll(dir)
	if err := writeModule(dir); err != nil {
		return nil, err
	}
	facts := machine.Facts(o.Host.Tree)
	out = &result.SelfTest{Schema: result.Schema, Seed: o.Seed, Machine: &facts, Alpha: session.DefaultAlpha, Delta: session.DefaultDelta}
	began := time.Now()
	all := pairs(o.Null, o.Known)
	out.Truths = make([]result.SelfTestTruth, len(all))
	for i, p := range all {
		out.Truths[i].Change, out.Truths[i].Moved = p.change, p.moved
	}
	for turn := uint64(0); ; turn++ {
		open := false
		for i, p := range all {
			truth := &out.Truths[i]
			if truth.Comparisons >= p.wanted || !o.Deadline.IsZero() && time.Now().After(o.Deadline) || ctx.Err() != nil {
				continue
			}
			open = true
			if err := o.turn(ctx, dir, p, o.Seed+1000*turn+uint64(i), truth, &out.Sequential); err != nil && ctx.Err() == nil {
				return nil, err
			}
			if o.Turn != nil {
				o.Turn(*truth, left(all, out.Truths, time.Since(began), o.Deadline))
			}
		}
		if !open {
			break
		}
	}
	out.Seconds = time.Since(began).Seconds()
	out.Incomplete = ctx.Err() != nil
	return out, nil
}

// left is the time that comparisons still take if each takes as long as those so
// far have, up to the deadline.
func left(all []pair, truths []result.SelfTestTruth, took time.Duration, deadline time.Time) time.Duration {
	done, open := 0, 0
	for i, p := range all {
		done += truths[i].Comparisons
		open += max(0, p.wanted-truths[i].Comparisons)
	}
	rest := time.Duration(float64(took) / float64(max(1, done)) * float64(open))
	if !deadline.IsZero() {
		rest = min(rest, max(0, time.Until(deadline)))
	}
	return rest
}

// writeModule writes the benchmarks of known truth.
func writeModule(dir string) error {
	files := map[string]string{"go.mod": "module truth\n\ngo 1.24\n", "truth_test.go": benchText, "moved_test.go": movedText}
	for constraint, n := range permille {
		files[fmt.Sprintf("p%d_test.go", n)] = fmt.Sprintf("//go:build %s\n\npackage truth\n\nconst permille = %d\n", constraint, n)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			return fmt.Errorf("write benchmarks: %w", err)
		}
	}
	return nil
}

// turn compares all benchmarks once, as tare compare does by default, with
// seeds of its own, and then by the usual method where the two sides are alike.
// A known change is judged with half of it as δ.
func (o Options) turn(ctx context.Context, dir string, p pair, seed uint64, truth *result.SelfTestTruth, sequential *result.SelfTestSequential) (err error) {
	spec := comparison(dir, o.Host, seed)
	if p.change != 0 {
		// A change of exactly δ is neither the same nor more: it lies on the
		// edge of both verdicts.
		spec.Delta = p.change / 2
	}
	if spec.Variants, err = parse(p.old, p.new); err != nil {
		return err
	}
	run, err := session.Open(ctx, spec, session.Quiet{})
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, run.Close(), os.RemoveAll(run.Folder()))
	}()
	if err := run.Run(ctx); err != nil {
		return err
	}
	for _, row := range run.Comparison().Benchmarks {
		if row.Unit == "sec/op" {
			truth.Add(row)
		}
	}
	if !o.Sequential || p.change != 0 {
		return nil
	}
	return sequentialTurn(ctx, dir, run.Folder(), sequential)
}

// comparison is what tare compare measures by default, in a folder.
func comparison(dir string, host session.Host, seed uint64) session.Spec {
	host.Root = "" // who calls has restored what there was
	return session.Spec{
		Kind: "compare", Dir: dir, Packages: []string{"."}, Bench: ".",
		Timeout: time.Minute, Layouts: true,
		MeasureAll: true, // also where nothing but the layout differs
		Budget:     session.CompareBudget, Blocks: session.CompareBlocks,
		Alpha: session.DefaultAlpha, Delta: session.DefaultDelta, Seed: seed,
		Lock: hostlock.Off, // the caller holds it
		Host: host,
	}
}

func parse(texts ...string) ([]variant.Spec, error) {
	specs := make([]variant.Spec, len(texts))
	for i, text := range texts {
		var err error
		if specs[i], err = variant.Parse(text); err != nil {
			return nil, err
		}
	}
	return specs, nil
}

// sequentialTurn measures all old and then all new, with the binaries that the
// session kept.
func sequentialTurn(ctx context.Context, dir, folder string, out *result.SelfTestSequential) error {
	var sides [2]map[string][]float64
	began := time.Now()
	for side := range sides {
		cmd := process.Command(ctx, filepath.Join(folder, session.KeptName("truth", side)), "-test.run=^$", "-test.bench=.", "-test.count=10", "-test.benchtime=20ms")
		cmd.Dir = dir
		text, err := cmd.Output()
		if err := process.Ended(err); err != nil {
			return fmt.Errorf("run the sequential method: %w", err)
		}
		sides[side] = make(map[string][]float64)
		for line := range strings.Lines(string(text)) {
			f := strings.Fields(line)
			if len(f) < 4 || f[3] != "ns/op" {
				continue
			}
			if v, err := strconv.ParseFloat(f[2], 64); err == nil && !math.IsNaN(v) {
				sides[side][f[0]] = append(sides[side][f[0]], v)
			}
		}
	}
	for name, old := range sides[0] {
		out.Comparisons++
		if stats.MannWhitney(old, sides[1][name]).P < 0.05 {
			out.Wrong++
		}
	}
	out.Seconds += time.Since(began).Seconds()
	return nil
}
