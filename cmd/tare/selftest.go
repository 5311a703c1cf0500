package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tarebench/tare/internal/hostlock"
	"github.com/tarebench/tare/internal/lockstep"
	"github.com/tarebench/tare/internal/machine"
	"github.com/tarebench/tare/internal/process"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/internal/study"
	"github.com/tarebench/tare/stats"
)

//go:embed selftest_bench.go.txt
var selftestBench string

// selftestMoved is code that no benchmark runs. With it, the two sides of a
// comparison of like with like are what they are in life: the same benchmark
// in two binaries in which something else has changed, so that the linker lays
// out everything anew. Two copies of one binary are easier.
const selftestMoved = `//go:build moved

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

// selftestPair is a pair of variants whose true change is known.
type selftestPair struct {
	change   float64
	moved    bool // like with like, but code elsewhere has changed
	old, new string
	wanted   int // comparisons
}

// selftestPairs makes half of the comparisons of like with like with two
// copies of one binary, half with different binaries.
func selftestPairs(null, known int) []selftestPair {
	return []selftestPair{
		{old: ".", new: ".", wanted: (null + 1) / 2},
		{moved: true, old: ".", new: ".,tags=moved", wanted: null / 2},
		{change: 0.02, old: ".", new: ".,tags=p20", wanted: known},
		{change: 0.05, old: ".", new: ".,tags=p50", wanted: known},
	}
}

// selftestPermille are the lengths of an iteration by build constraint, in
// thousandths.
var selftestPermille = map[string]int{"!p20 && !p50": 1000, "p20": 1020, "p50": 1050}

func selftestCommand(s streams) *cli.Command {
	return &cli.Command{
		Name:  "selftest",
		Usage: "how often is tare wrong on this machine? False alarms, power and coverage, measured",
		Description: `Compares variants whose true change is known (none, 2 % and 5 %) over eleven
small benchmarks, again and again with other coins and layouts, and counts what
the verdicts get right. Of the comparisons of like with like one half has two copies
of a binary, the other two binaries that differ in code which no benchmark runs,
and so in their layout. The customary method (go test -count=10 -benchtime=20ms,
all old and then all new, Mann-Whitney test at 0.05) runs beside them on the same
binaries.

Example: two minutes, for an impression:

   tare selftest -quick

Example: the acceptance list: 400 comparisons of like with like, 200 of each
known change:

   tare selftest -null 400 -known 200`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "quick", Usage: "stop after about two minutes"},
			&cli.IntFlag{Name: "null", Value: 110, Usage: "make `N` comparisons of like with like"},
			&cli.IntFlag{Name: "known", Value: 55, Usage: "make `N` comparisons with each known change"},
			&cli.BoolFlag{Name: "customary", Value: true, Usage: "run the customary method beside the comparisons of like with like"},
			&cli.Uint64Flag{Name: "seed", HideDefault: true, Usage: "seed of all coins (`N`); drawn by default"},
			&cli.StringFlag{Name: "lock", Value: "wait", Usage: "while another process measures on this machine: wait, fail or off"},
			&cli.StringFlag{Name: "format", Value: "text", Usage: "text or json"},
			&cli.BoolFlag{Name: "json", Usage: "short for -format json"},
			&cli.StringFlag{Name: "o", Usage: "write to `FILE`, not to standard output"},
		},
		Action: func(ctx context.Context, c *cli.Command) error { return runSelftest(ctx, s, c) },
	}
}

func runSelftest(ctx context.Context, s streams, c *cli.Command) error {
	format := c.String("format")
	if c.Bool("json") {
		format = "json"
	}
	if format != "text" && format != "json" {
		return usagef("flag -format: %q is none of text, json", format)
	}
	lock, err := readLockMode(c)
	if err != nil {
		return err
	}
	if err := writable(c.String("o")); err != nil {
		return err
	}
	t := selftest{machine: s.machine, seed: c.Uint64("seed"), say: s.err, customary: c.Bool("customary"), pairs: selftestPairs(c.Int("null"), c.Int("known"))}
	if t.seed == 0 {
		t.seed = rand.Uint64()>>11 + 1
	}
	if c.Bool("quick") {
		t.deadline = time.Now().Add(2 * time.Minute)
	}
	release, err := hostlock.Lock(ctx, lock, onWait(s))
	if err != nil {
		return err
	}
	defer release()
	out, err := t.run(ctx)
	if err != nil {
		return err
	}
	return writeTo(s.out, c.String("o"), func(w io.Writer) error {
		if format == "json" {
			return report.JSON(w, out)
		}
		return report.SelfTestText(w, out)
	})
}

// selftest compares variants of known truth.
type selftest struct {
	machine   fs.FS // whose counters tell which blocks were disturbed
	seed      uint64
	pairs     []selftestPair
	deadline  time.Time
	customary bool
	say       io.Writer
}

func (t selftest) run(ctx context.Context) (out *result.SelfTest, err error) {
	dir, err := os.MkdirTemp("", "tare-selftest-")
	if err != nil {
		return nil, fmt.Errorf("make folder for the benchmarks: %w", err)
	}
	defer os.RemoveAll(dir)
	files := map[string]string{"go.mod": "module truth\n\ngo 1.24\n", "truth_test.go": selftestBench, "moved_test.go": selftestMoved}
	for constraint, permille := range selftestPermille {
		files[fmt.Sprintf("p%d_test.go", permille)] = fmt.Sprintf("//go:build %s\n\npackage truth\n\nconst permille = %d\n", constraint, permille)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			return nil, fmt.Errorf("write benchmarks: %w", err)
		}
	}
	facts := machine.Facts(os.DirFS("/"))
	out = &result.SelfTest{Schema: result.Schema, Seed: t.seed, Machine: &facts, Alpha: 0.05, Delta: 0.02}
	began := time.Now()
	out.Truths = make([]result.SelfTestTruth, len(t.pairs))
	for i, p := range t.pairs {
		out.Truths[i].Change, out.Truths[i].Moved = p.change, p.moved
	}
	for turn := uint64(0); ; turn++ {
		open := false
		for i, p := range t.pairs {
			truth := &out.Truths[i]
			if truth.Comparisons >= p.wanted || !t.deadline.IsZero() && time.Now().After(t.deadline) || ctx.Err() != nil {
				continue
			}
			open = true
			if err := t.turn(ctx, dir, p, t.seed+1000*turn+uint64(i), truth, &out.Customary); err != nil && ctx.Err() == nil {
				return nil, err
			}
			fmt.Fprintln(t.say, report.SelfTestProgress(*truth))
		}
		if !open {
			break
		}
	}
	out.Seconds = time.Since(began).Seconds()
	out.Incomplete = ctx.Err() != nil
	return out, nil
}

// turn compares all benchmarks once, with coins and layouts of its own, and
// the customary method right before it where the two sides are alike.
func (t selftest) turn(ctx context.Context, dir string, p selftestPair, seed uint64, truth *result.SelfTestTruth, customary *result.SelfTestCustomary) (err error) {
	built, err := openVariants(ctx, dir, []string{p.old, p.new}, []string{"."}, nil, func(string) {})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, built.close()) }()
	if t.customary && p.change == 0 {
		if err := t.customaryTurn(ctx, built, customary); err != nil {
			return err
		}
	}
	head := result.Study{
		Schema: result.Schema, Kind: "compare", Variants: built.variants, Seed: seed,
		Alpha: 0.05, Delta: 0.02, MaxBlocks: defaultBlocks, BudgetSeconds: defaultBudget.Seconds(),
	}
	var rec result.Recording
	err = study.Run(ctx, study.Options{
		Study: head, Sources: built.sources, Packages: built.packages, Bench: ".",
		Procs: []int{runtime.GOMAXPROCS(0)}, Timeout: time.Minute, Layouts: true,
		Write: func(l result.Line) error { rec.Append(l); return nil },
		Judge: func(b result.Benchmark, rounds []result.Round, blocks []result.Block) (bool, string) {
			j := lockstep.Judge(head, b, rounds, blocks, 0, 1)
			return j.Done, j.Reason
		},
		Disturbed: (&disturbances{machine: t.machine}).bracket,
	})
	if err != nil {
		return err
	}
	for _, row := range lockstep.Compare(&rec).Benchmarks {
		if row.Unit == "sec/op" {
			truth.Add(row)
		}
	}
	return nil
}

// customaryTurn does what everybody does: all old, then all new.
func (t selftest) customaryTurn(ctx context.Context, built *variants, out *result.SelfTestCustomary) error {
	var sides [2]map[string][]float64
	began := time.Now()
	for side := range sides {
		bin, err := built.sources[side].Binary(ctx, built.packages[0], 0)
		if err != nil {
			return err
		}
		cmd := process.Command(ctx, time.Second, bin.Path, "-test.run=^$", "-test.bench=.", "-test.count=10", "-test.benchtime=20ms")
		cmd.Dir, cmd.Env = bin.Dir, bin.Env
		text, err := cmd.Output()
		if err := process.Ended(err); err != nil {
			return fmt.Errorf("run the customary method: %w", err)
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
