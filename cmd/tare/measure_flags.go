package main

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tarebench/tare/internal/count"
	"github.com/tarebench/tare/internal/session"
)

// countFlags are the flags of what is counted beside the time.
func countFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "count-instructions", Usage: "count instructions/op under valgrind: the same on a busy machine"},
		&cli.BoolFlag{Name: "count-cycles", Usage: "estimate cycles from simulated caches too; implies -count-instructions"},
		&cli.BoolFlag{Name: "counters", Usage: "read hardware and software counters around every slice"},
		&cli.StringFlag{Name: "cpuprofile", Usage: "write a merged CPU profile to `FILE`, from rounds of its own"},
		&cli.StringFlag{Name: "memprofile", Usage: "write a merged allocation profile to `FILE`"},
		&cli.StringFlag{Name: "blockprofile", Usage: "write a merged profile of blocking to `FILE`"},
		&cli.StringFlag{Name: "mutexprofile", Usage: "write a merged profile of contended mutexes to `FILE`"},
		&cli.StringFlag{Name: "trace", Usage: "write an execution trace to `FILE`"},
	}
}

// measureFlags are the flags that run and compare share, with what each takes
// per benchmark unless told otherwise: those of go test where it has them, then
// ours.
func measureFlags(budget time.Duration, blocks int) []cli.Flag {
	return slices.Concat(countFlags(), outputFlags(), []cli.Flag{
		&cli.StringFlag{Name: "bench", Value: ".", Usage: "measure benchmarks that match `REGEXP`, as go test does"},
		&cli.StringFlag{Name: "skip", Usage: "leave out benchmarks that match `REGEXP`"},
		&cli.StringFlag{Name: "benchtime", Usage: "measuring time of one block and variant (`DURATION`), or the iterations of a slice (100x); chosen by default"},
		&cli.IntFlag{Name: "count", HideDefault: true, Usage: "measure `N` blocks at most; the same as -blocks"},
		&cli.StringFlag{Name: "cpu", Usage: "measure with each GOMAXPROCS of `LIST` (1,2,4)"},
		&cli.StringFlag{Name: "cpus", Usage: "measure on the processors of `LIST` (0-3,8), or on all; by default on one that is idle, and on all what uses several"},
		&cli.BoolFlag{Name: "benchmem", Usage: "accepted: allocations are always counted"},
		&cli.StringFlag{Name: "run", Usage: "accepted: tests are never run"},
		&cli.StringFlag{Name: "tags", Usage: "build tags for every variant, separated by commas"},
		&cli.DurationFlag{Name: "timeout", Value: 10 * time.Minute, Usage: "give up on a slice or a set-up that takes longer"},
		&cli.BoolFlag{Name: "v", Usage: "say what is done, on standard error"},

		&cli.StringFlag{Name: "budget", Value: budget.String(), Usage: "most measuring time for one benchmark; it stops as soon as it knows"},
		&cli.IntFlag{Name: "blocks", Value: blocks, Usage: "measure `N` blocks at most"},
		&cli.StringFlag{Name: "alpha", Value: "0.05", Usage: "error rate of one benchmark's verdict"},
		&cli.Uint64Flag{Name: "seed", HideDefault: true, Usage: "seed of all coins; drawn and recorded by default"},
		&cli.BoolFlag{Name: "layouts", Value: true, Usage: "link every block in another random order (-layouts=false: the default order, whose luck is then part of the verdict)"},
		&cli.StringFlag{Name: "lock", Value: "wait", Usage: "while another process measures on this machine: wait, fail or off"},
	})
}

// readMeasureFlags reads and checks the flags.
func readMeasureFlags(c *cli.Command) (o session.Spec, err error) {
	o = session.Spec{
		Bench: c.String("bench"), Skip: c.String("skip"),
		CPUs: c.String("cpus"), Timeout: c.Duration("timeout"), Blocks: c.Int("blocks"), Seed: c.Uint64("seed"), Delta: session.DefaultDelta,
		Layouts: c.Bool("layouts"), Counters: c.Bool("counters"),
	}
	if err := readPostRunFlags(c, &o); err != nil {
		return o, err
	}
	if t := c.String("tags"); t != "" {
		o.Tags = strings.Split(t, ",")
	}
	if o.Alpha, err = readAlpha(c); err != nil {
		return o, err
	}
	if err := readLimits(c, &o); err != nil {
		return o, err
	}
	if bt := c.String("benchtime"); bt != "" {
		if n, ok := strings.CutSuffix(bt, "x"); ok {
			if o.Iterations, err = strconv.ParseInt(n, 10, 64); err != nil || o.Iterations < 1 {
				return o, usagef("flag -benchtime: %q is not a count such as 100x", bt)
			}
		} else if o.BlockTime, err = time.ParseDuration(bt); err != nil || o.BlockTime <= 0 {
			return o, usagef("flag -benchtime: %q is neither a duration such as 1s nor a count such as 100x", bt)
		}
	}
	if o.Procs, err = readProcs(c.String("cpu")); err != nil {
		return o, err
	}
	o.Lock, err = readLockMode(c)
	return o, err
}

// readPostRunFlags reads what is done after the study.
func readPostRunFlags(c *cli.Command, o *session.Spec) error {
	o.Instructions = c.Bool("count-instructions") || c.Bool("count-cycles")
	o.Cycles = c.Bool("count-cycles")
	o.Profiles = make(map[string]string)
	for _, k := range count.ProfileKinds {
		if file := c.String(string(k)); file != "" {
			o.Profiles[string(k)] = file
			if err := writable(file); err != nil {
				return err
			}
		}
	}
	return nil
}

// readLimits reads how far a benchmark is measured.
func readLimits(c *cli.Command, o *session.Spec) (err error) {
	if o.Budget, err = time.ParseDuration(c.String("budget")); err != nil || o.Budget <= 0 {
		return usagef("flag -budget: %q is not a duration such as 10s", c.String("budget"))
	}
	for _, name := range []string{"count", "blocks"} {
		if c.IsSet(name) {
			if o.Blocks = c.Int(name); o.Blocks < 1 {
				return usagef("flag -%s: %d is less than 1", name, o.Blocks)
			}
		}
	}
	return nil
}

// readProcs reads a -cpu list; without one it is left to the runtime, and to a
// variant's env=GOMAXPROCS=n.
func readProcs(list string) (procs []int, err error) {
	if list == "" {
		return nil, nil
	}
	for _, f := range strings.Split(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(f))
		if err != nil || n < 1 {
			return nil, usagef("flag -cpu: %q is not a list such as 1,2,4", list)
		}
		if !slices.Contains(procs, n) {
			procs = append(procs, n)
		}
	}
	return procs, nil
}

// readAlpha reads an error rate.
func readAlpha(c *cli.Command) (float64, error) {
	alpha, err := parseShare(c.String("alpha"))
	if err != nil || alpha <= 0 || alpha >= 0.5 {
		return 0, usagef("flag -alpha: %q is not a rate between 0 and 0.5, such as 0.05 or 5%%", c.String("alpha"))
	}
	return alpha, nil
}

// readDelta reads the band of changes that are the same.
func readDelta(c *cli.Command) (float64, error) {
	delta, err := parseShare(c.String("delta"))
	if err != nil {
		return 0, usagef("flag -delta: %q is not a share such as 2%%", c.String("delta"))
	}
	return delta, nil
}

// parseShare reads "2%" or "0.02".
func parseShare(s string) (float64, error) {
	number, percent := strings.CutSuffix(strings.TrimSpace(s), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil {
		return 0, errors.New("want a share such as 2% or 0.02")
	}
	if percent {
		v /= 100
	}
	if !(v >= 0 && v < 1) || math.IsNaN(v) {
		return 0, errors.New("want a share from 0 to below 100%")
	}
	return v, nil
}

// splitDash cuts what follows "--" off the arguments: it goes to the test
// binary. The flag parser drops the mark itself, so it is looked for in the
// command line as typed.
func splitDash(c *cli.Command, typed []string) (args, after []string) {
	args = c.Args().Slice()
	i := slices.Index(typed, "--")
	if i < 0 {
		return args, nil
	}
	n := len(typed) - i - 1
	return args[:len(args)-n], args[len(args)-n:]
}
