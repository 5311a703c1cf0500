package main

import (
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tarebench/tare/internal/hostlock"
)

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

// measureOptions are the flags, read and checked.
type measureOptions struct {
	bench, skip string
	procs       []int
	tags        []string
	args        []string
	iterations  int64
	blockTime   time.Duration
	timeout     time.Duration
	verbose     bool

	budget       time.Duration
	blocks       int
	alpha, delta float64
	seed         uint64
	layouts      bool
	lock         hostlock.Mode

	count countOptions

	out destination
}

func readMeasureFlags(c *cli.Command) (o measureOptions, err error) {
	o = measureOptions{
		bench: c.String("bench"), skip: c.String("skip"),
		timeout: c.Duration("timeout"), verbose: c.Bool("v"),
		blocks: c.Int("blocks"), seed: c.Uint64("seed"),
		layouts: c.Bool("layouts"), count: readCountFlags(c),
	}
	if o.out, err = readDestination(c); err != nil {
		return o, err
	}
	for _, file := range o.count.profiles {
		if err := writable(file); err != nil {
			return o, err
		}
	}
	if t := c.String("tags"); t != "" {
		o.tags = strings.Split(t, ",")
	}
	if o.alpha, err = parseShare(c.String("alpha")); err != nil || o.alpha <= 0 || o.alpha >= 0.5 {
		return o, usagef("flag -alpha: %q is not a rate between 0 and 0.5, such as 0.05", c.String("alpha"))
	}
	if o.budget, err = time.ParseDuration(c.String("budget")); err != nil || o.budget <= 0 {
		return o, usagef("flag -budget: %q is not a duration such as 10s", c.String("budget"))
	}
	for _, name := range []string{"count", "blocks"} {
		if c.IsSet(name) {
			if o.blocks = c.Int(name); o.blocks < 1 {
				return o, usagef("flag -%s: %d is less than 1", name, o.blocks)
			}
		}
	}
	if bt := c.String("benchtime"); bt != "" {
		if n, ok := strings.CutSuffix(bt, "x"); ok {
			if o.iterations, err = strconv.ParseInt(n, 10, 64); err != nil || o.iterations < 1 {
				return o, usagef("flag -benchtime: %q is not a count such as 100x", bt)
			}
		} else if o.blockTime, err = time.ParseDuration(bt); err != nil || o.blockTime <= 0 {
			return o, usagef("flag -benchtime: %q is neither a duration such as 1s nor a count such as 100x", bt)
		}
	}
	if cpu := c.String("cpu"); cpu != "" {
		for _, f := range strings.Split(cpu, ",") {
			n, err := strconv.Atoi(strings.TrimSpace(f))
			if err != nil || n < 1 {
				return o, usagef("flag -cpu: %q is not a list such as 1,2,4", cpu)
			}
			if !slices.Contains(o.procs, n) {
				o.procs = append(o.procs, n)
			}
		}
	} else {
		o.procs = []int{runtime.GOMAXPROCS(0)}
	}
	o.lock, err = readLockMode(c)
	return o, err
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
