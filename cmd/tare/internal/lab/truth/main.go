// Truth compares the verdicts of tare with long plain runs, for pairs whose
// difference lies outside of short slices. Each side of a pair runs at least ten
// times as go test runs it, in turn, and tare compares the pair once.
//
//	go run ./cmd/tare/internal/lab/truth -bench Heap -runs 10 -time 1s -budget 8s
//
// Without -compare it builds tare. With -runs 0 it prints only what tare says, and
// with -budget 0 only the truth.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/lab/document"
	"github.com/tarebench/tare/cmd/tare/internal/process"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
)

func main() {
	var t truth
	flag.StringVar(&t.bench, "bench", ".", "the pairs that match this pattern, as of go test")
	flag.IntVar(&t.runs, "runs", 10, "plain runs of each side")
	flag.DurationVar(&t.time, "time", time.Second, "time of a plain run")
	flag.DurationVar(&t.budget, "budget", 8*time.Second, "budget of tare for a pair")
	flag.StringVar(&t.tare, "compare", "", "the tare to try")
	pairs := flag.String("pairs", "cmd/tare/internal/lab/pairs/testdata/pairs", "the folder of the pairs")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	if err := t.run(ctx, *pairs); err != nil {
		fmt.Fprintln(os.Stderr, "truth:", err)
		os.Exit(1)
	}
}

type truth struct {
	bench, tare  string
	runs         int
	time, budget time.Duration
	dir          string
	bins         [2]string
}

func (t *truth) run(ctx context.Context, pairs string) (err error) {
	if t.dir, err = os.MkdirTemp("", "tare-truth-"); err != nil {
		return err
	}
	defer os.RemoveAll(t.dir)
	if t.tare == "" && t.budget > 0 {
		t.tare = filepath.Join(t.dir, "tare")
		if out, err := process.Command(ctx, "go", "build", "-o", t.tare, "./cmd/tare").CombinedOutput(); err != nil {
			return fmt.Errorf("build tare: %w: %s", err, out)
		}
	}
	module := filepath.Join(t.dir, "pairs")
	if err := os.CopyFS(module, os.DirFS(pairs)); err != nil {
		return err
	}
	for side, tags := range []string{"", "changed"} {
		t.bins[side] = filepath.Join(t.dir, "test"+tags)
		if err := t.command(ctx, module, "go", "test", "-c", "-tags", tags, "-o", t.bins[side]).Run(); err != nil {
			return fmt.Errorf("build pairs: %w", err)
		}
	}
	names, err := t.names(ctx, module)
	if err != nil {
		return err
	}
	fmt.Println("pair, plain old, plain change, CPU change | tare, verdict | right?")
	var all tally
	for _, name := range names {
		wall, cpu, old, err := t.plain(ctx, module, name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		said, err := t.compare(ctx, module, name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		fmt.Printf("%-32s %9.4g s  %s  %s | %s | %s\n", name, old, wall, cpu, said, all.add(wall, said))
	}
	fmt.Println(all)
	return nil
}

// change is a ratio minus one, with its bounds.
type change struct{ center, lo, hi float64 }

func (c change) String() string {
	if c == (change{}) {
		return "-"
	}
	return fmt.Sprintf("%+.1f%% (%+.1f … %+.1f)", 100*c.center, 100*c.lo, 100*c.hi)
}

// changeOf is the change by ratios of pairs of runs.
func changeOf(logs []float64) change {
	lo, hi, err := stats.CenterBounds(logs, 0.05)
	if err != nil {
		lo, hi = slices.Min(logs), slices.Max(logs)
	}
	return change{math.Expm1(stats.Center(logs)), math.Expm1(lo), math.Expm1(hi)}
}

// verdict is a row of tare.
type verdict struct {
	change
	verdict result.Verdict
	blocks  int
	ids     []string
}

func (v verdict) String() string {
	return fmt.Sprintf("%s %s, %d blocks %s", v.change, v.verdict, v.blocks, strings.Join(v.ids, " "))
}

// tally counts right and wrong rows.
type tally struct{ pairs, wrongSign, wrongSame, intervals, overlap, decided int }

func (a tally) String() string {
	return fmt.Sprintf("%d pairs: %d decided, %d wrong signs, %d \"same\" beyond 2δ, %d of %d intervals overlap the truth's", a.pairs, a.decided, a.wrongSign, a.wrongSame, a.overlap, a.intervals)
}

const delta = 0.02

func (a *tally) add(wall change, said verdict) string {
	if wall == (change{}) || said.verdict == "" {
		return "-"
	}
	a.pairs++
	words := []string{"right"}
	switch v := said.verdict; {
	case v == result.Faster && wall.lo > 0, v == result.Slower && wall.hi < 0:
		a.wrongSign++
		words[0] = "WRONG SIGN"
	case v == result.Same && (wall.lo > 2*delta || wall.hi < -2*delta):
		a.wrongSame++
		words[0] = "WRONG SAME"
	case v != result.Faster && v != result.Slower && v != result.Same:
		words[0] = string(v)
	}
	if words[0] != string(said.verdict) {
		a.decided++
	}
	switch {
	case math.IsNaN(said.lo):
		return words[0] // too few blocks for an interval
	case said.lo <= wall.hi && wall.lo <= said.hi:
		a.overlap++
	default:
		words = append(words, "outside")
	}
	a.intervals++
	return strings.Join(words, ", ")
}

// names are the pairs that the pattern matches, found by one iteration of each.
func (t *truth) names(ctx context.Context, module string) (names []string, err error) {
	cmd := t.command(ctx, module, t.bins[0], "-test.run=^$", "-test.bench="+t.bench, "-test.benchtime=1x", "-test.cpu=1")
	cmd.Stdout = nil
	out, err := cmd.Output()
	for _, m := range regexp.MustCompile(`(?m)^Benchmark(\S+)\s+1\s`).FindAllStringSubmatch(string(out), -1) {
		names = append(names, m[1])
	}
	return names, err
}

var resultLine = regexp.MustCompile(`(?m)^Benchmark\S+\s+(\d+)\s+([0-9.]+) ns/op`)

// once runs one side, and returns its iterations, its time per operation, and the
// CPU time of its process.
func (t *truth) once(ctx context.Context, module string, side int, name, length string) (n, perOp, cpu float64, err error) {
	cmd := t.command(ctx, module, t.bins[side], "-test.run=^$", "-test.bench="+result.ExactPattern("Benchmark"+name), "-test.benchtime="+length)
	cmd.Stdout = nil
	out, err := cmd.Output()
	m := resultLine.FindSubmatch(out)
	if err != nil || m == nil {
		return 0, 0, 0, cmp.Or(err, fmt.Errorf("no line of a benchmark in %q", out))
	}
	n, _ = strconv.ParseFloat(string(m[1]), 64)
	perOp, _ = strconv.ParseFloat(string(m[2]), 64)
	return n, perOp, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), nil
}

// plain is the change in plain runs: of the printed time, and of the CPU time of
// an operation, the difference of runs of n and of n/4 operations over 3n/4.
func (t *truth) plain(ctx context.Context, module, name string) (wall, cpu change, old float64, err error) {
	var iterations [2]float64
	for side := range iterations {
		if t.runs == 0 {
			return wall, cpu, 0, nil
		}
		if iterations[side], _, _, err = t.once(ctx, module, side, name, t.time.String()); err != nil {
			return wall, cpu, 0, err
		}
	}
	var walls, cpus, olds []float64
	for i := range t.runs {
		var perOp, cpuPerOp [2]float64
		for k := range 2 {
			side := (i + k) % 2
			full := iterations[side]
			fewer := math.Ceil(full / 4)
			_, _, short, err := t.once(ctx, module, side, name, fmt.Sprintf("%.0fx", fewer))
			if err != nil {
				return wall, cpu, 0, err
			}
			var long float64
			if _, perOp[side], long, err = t.once(ctx, module, side, name, fmt.Sprintf("%.0fx", full)); err != nil {
				return wall, cpu, 0, err
			}
			cpuPerOp[side] = (long - short) / max(1, full-fewer)
		}
		olds = append(olds, perOp[0]/1e9)
		walls = append(walls, math.Log(perOp[1]/perOp[0]))
		if cpuPerOp[0] > 0 && cpuPerOp[1] > 0 {
			cpus = append(cpus, math.Log(cpuPerOp[1]/cpuPerOp[0]))
		}
	}
	if len(cpus) == t.runs {
		cpu = changeOf(cpus)
	}
	return changeOf(walls), cpu, stats.Median(olds), nil
}

// compare is what tare says.
func (t *truth) compare(ctx context.Context, module, name string) (v verdict, err error) {
	if t.budget <= 0 {
		return v, nil
	}
	cmd := t.command(ctx, module, t.tare, "compare", "-format", "json", "-budget", t.budget.String(), "-bench", result.ExactPattern("Benchmark"+name), ".", ".,tags=changed")
	cmd.Stdout = nil
	out, err := cmd.Output()
	if err != nil {
		return v, err
	}
	var c result.Comparison
	if err := document.Read(out, &c); err != nil {
		return v, err
	}
	for _, b := range c.Benchmarks {
		if b.Unit != "sec/op" || b.Name != name {
			continue
		}
		v = verdict{change{b.Change.Ratio - 1, b.Change.Lo - 1, b.Change.Hi - 1}, b.Verdict, b.Blocks, nil}
		for _, f := range b.Findings {
			v.ids = append(v.ids, f.ID)
		}
		return v, nil
	}
	return v, fmt.Errorf("tare has no row: %.200s", out)
}

func (t *truth) command(ctx context.Context, dir, name string, args ...string) *exec.Cmd {
	cmd := process.Command(ctx, name, args...)
	cmd.Dir, cmd.Stderr, cmd.Stdout = dir, os.Stderr, os.Stderr
	cmd.Env = append(os.Environ(), "GOWORK=off", "NO_COLOR=1", "CI=1", "TARE_LOCK="+filepath.Join(t.dir, "lock"))
	return cmd
}
