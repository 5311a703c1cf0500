package main

import (
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tarebench/tare/cmd/tare/internal/count"
	"github.com/tarebench/tare/cmd/tare/internal/machine"
	"github.com/tarebench/tare/cmd/tare/internal/pattern"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
)

// Headings of the help; flags without one come first.
const (
	planHeading    = "How it measures"
	countHeading   = "Counts and profiles"
	ignoredHeading = "Accepted for compatibility with go test"
)

// measureFlags are the flags that run and compare share, with what each takes
// per benchmark by default: those of go test where it has them, then ours. Formats
// are those that the verb has besides the ones of every verb.
func measureFlags(budget time.Duration, blocks int, formats ...string) []cli.Flag {
	return slices.Concat([]cli.Flag{
		&cli.StringFlag{Name: "bench", Value: ".", Usage: "measure benchmarks that match `REGEXP`, as go test does"},
		&cli.StringFlag{Name: "skip", Usage: "leave out benchmarks that match `REGEXP`"},
		&cli.StringFlag{Name: "budget", Value: budget.String(), Usage: "most measuring `TIME` for one benchmark; it stops as soon as the verdict is known"},
		&cli.DurationFlag{Name: "total", HideDefault: true, Usage: "`TIME` for the whole run, builds included (5m), spent where it is needed; names what it does not reach"},
		&cli.StringFlag{Name: "units", Value: "time", Usage: "measure `UNITS`: time (and allocations), or counts, which is allocations alone: seconds on any machine"},
		&cli.BoolFlag{Name: "v", Usage: "report each step on standard error"},
	}, outputFlags(formats...), groupFlags(countHeading,
		&cli.BoolFlag{Name: "count-instructions", Usage: "count instructions/op under valgrind: the same on a busy machine"},
		&cli.BoolFlag{Name: "counters", Usage: "read hardware and software counters around every slice"},
		&cli.StringFlag{Name: "cpuprofile", Usage: "write a merged CPU profile to `FILE`, from rounds of its own"},
		&cli.StringFlag{Name: "memprofile", Usage: "write a merged allocation profile to `FILE`"},
		&cli.StringFlag{Name: "blockprofile", Usage: "write a merged profile of blocking to `FILE`"},
		&cli.StringFlag{Name: "mutexprofile", Usage: "write a merged profile of contended mutexes to `FILE`"},
		&cli.StringFlag{Name: "trace", Usage: "write an execution trace to `FILE`"},
	), groupFlags(planHeading,
		&cli.IntFlag{Name: "blocks", Value: blocks, Usage: "measure `N` blocks at most"},
		&cli.IntFlag{Name: "count", HideDefault: true, Usage: "the same as -blocks"},
		&cli.StringFlag{Name: "benchtime", Usage: "measuring time of one block and variant (a duration), or the iterations of a slice (100x); chosen by default"},
		&cli.StringFlag{Name: "alpha", Value: "0.05", Usage: "error `RATE` of the verdicts of the run"},
		&cli.Uint64Flag{Name: "seed", HideDefault: true, Usage: "random seed (default: random; recorded with the results)"},
		&cli.BoolFlag{Name: "layouts", Value: true, Usage: "link every block in another random order; with -layouts=false, the effect of the default order is part of the verdict"},
		&cli.StringFlag{Name: "cpu", Usage: "measure with each GOMAXPROCS of `LIST` (1,2,4)"},
		&cli.StringFlag{Name: "cpus", Usage: "measure on the processors of `LIST` (0-3,8), or on all; by default on one that is idle, or on all for a benchmark that uses several"},
		&cli.StringFlag{Name: "tags", Usage: "build tags for every variant, separated by commas"},
		&cli.DurationFlag{Name: "timeout", Value: 10 * time.Minute, Usage: "give up on a slice or a set-up that takes longer"},
		lockFlag("wait"),
	), groupFlags(ignoredHeading,
		&cli.BoolFlag{Name: "benchmem", Usage: "allocations are always counted"},
		&cli.StringFlag{Name: "run", Usage: "tests are never run"},
	))
}

// trustFlag is the flag -trust.
func trustFlag() cli.Flag {
	return &cli.BoolFlag{Name: "trust", HideDefault: true, Usage: "build and run variants, and write files, as a recording of someone else asks"}
}

// deltaFlag is the flag -delta.
func deltaFlag() cli.Flag {
	return &cli.StringFlag{Name: "delta", Value: "2%", Usage: "changes smaller than this are the same"}
}

// readSpec reads those flags of a session that a verb has.
func readSpec(s streams, c *cli.Command, after []string) (o session.Spec, err error) {
	o = session.Spec{Host: s.host, Plan: result.Plan{
		Bench: c.String("bench"), Skip: c.String("skip"), Tags: readTags(c), CPUs: c.String("cpus"), TimeoutSeconds: c.Duration("timeout").Seconds(),
		MaxBlocks: c.Int("blocks"), Seed: c.Uint64("seed"), Delta: session.DefaultDelta, Layouts: true,
		MeasureAll: c.Bool("measure-all"), Counters: c.Bool("counters"), Args: after, Command: s.command(),
	}}
	if o.Alpha, err = readFlag(c, "alpha", session.ParseAlpha); err != nil {
		return o, err
	}
	if c.String("delta") != "" {
		if o.Delta, err = readFlag(c, "delta", session.ParseDelta); err != nil {
			return o, err
		}
	}
	if o.Procs, err = readFlag(c, "cpu", session.ParseProcs); err != nil {
		return o, err
	}
	o.Lock, err = readFlag(c, "lock", machine.ParseLockMode)
	return o, err
}

// readFlag parses the text of a flag.
func readFlag[T any](c *cli.Command, name string, parse func(string) (T, error)) (T, error) {
	v, err := parse(c.String(name))
	if err != nil {
		return v, usagef("flag -%s: %w", name, err)
	}
	return v, nil
}

// readMeasureFlags reads and checks the flags of run and compare.
func readMeasureFlags(s streams, c *cli.Command, after []string) (o session.Spec, err error) {
	if o, err = readSpec(s, c, after); err != nil {
		return o, err
	}
	o.Layouts = c.Bool("layouts")
	if err := readUnits(c, &o); err != nil {
		return o, err
	}
	if err := readBudget(c, &o); err != nil {
		return o, err
	}
	block, iterations, err := session.ParseBenchtime(c.String("benchtime"))
	if err != nil {
		return o, usagef("flag -benchtime: %w", err)
	}
	o.BlockSeconds, o.Iterations = block.Seconds(), iterations
	if c.IsSet("total") && !c.IsSet("budget") {
		o.BudgetSeconds = 0
	}
	if err := readLimits(c, &o); err != nil {
		return o, err
	}
	return o, readPostRunFlags(c, &o)
}

// readPostRunFlags reads what is done after the study.
func readPostRunFlags(c *cli.Command, o *session.Spec) error {
	o.Instructions = o.Instructions || c.Bool("count-instructions")
	if o.Profiles == nil {
		o.Profiles = make(map[string]string)
	}
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

// minTotal is the least time for a run: builds alone take seconds.
const minTotal = time.Second

// readLimits reads the limits that are typed.
func readLimits(c *cli.Command, o *session.Spec) (err error) {
	if c.IsSet("budget") {
		if err := readBudget(c, o); err != nil {
			return err
		}
	}
	if c.IsSet("total") {
		total := c.Duration("total")
		if total < minTotal {
			return usagef("flag -total: %v is less than %v", total, minTotal)
		}
		o.TotalSeconds = total.Seconds()
	}
	for _, name := range []string{"count", "blocks"} {
		if c.IsSet(name) {
			if o.MaxBlocks = c.Int(name); o.MaxBlocks < 1 {
				return usagef("flag -%s: %d is less than 1", name, o.MaxBlocks)
			}
		}
	}
	return nil
}

// readUnits reads what is measured. Counts do not depend on the function order.
func readUnits(c *cli.Command, o *session.Spec) error {
	if !c.IsSet("units") {
		return nil
	}
	o.Units = strings.Split(c.String("units"), ",")
	for _, u := range o.Units {
		if !slices.Contains(result.AllUnits, u) {
			return usagef("flag -units: %q is none of %s%s", u, strings.Join(result.AllUnits, ", "), pattern.Hint(u, result.AllUnits, ""))
		}
	}
	o.Layouts = o.Layouts && o.Timed()
	return nil
}

// readBudget reads the budget.
func readBudget(c *cli.Command, o *session.Spec) error {
	budget, err := readFlag(c, "budget", session.ParseBudget)
	o.BudgetSeconds = budget.Seconds()
	return err
}

// readTags reads the build tags.
func readTags(c *cli.Command) []string {
	if tags := c.String("tags"); tags != "" {
		return strings.Split(tags, ",")
	}
	return nil
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

// measured are the package patterns of a verb that measures.
func measured(patterns []string) ([]string, error) {
	all, err := session.ParsePackages(patterns)
	return all, asUsage(err)
}
