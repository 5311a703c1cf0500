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

// readSpec reads those flags of a session that a verb has.
func readSpec(s streams, c *cli.Command, after []string) (o session.Spec, err error) {
	o = session.Spec{Host: s.host, Plan: result.Plan{
		Bench: c.String("bench"), Skip: c.String("skip"), Tags: readTags(c), TimeoutSeconds: session.DefaultSpec().TimeoutSeconds,
		MaxBlocks: c.Int("blocks"), Seed: c.Uint64("seed"), Alpha: session.DefaultAlpha, Delta: session.DefaultDelta, Layouts: true,
		MeasureAll: c.Bool("measure-all"), Args: after, Command: s.command(),
	}}
	if c.IsSet("timeout") {
		o.TimeoutSeconds = c.Duration("timeout").Seconds()
	}
	if c.String("alpha") != "" {
		if o.Alpha, err = readFlag(c, "alpha", session.ParseAlpha); err != nil {
			return o, err
		}
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
	o.Keep = c.Int("keep")
	if c.IsSet("keep") && o.Keep < 1 {
		return o, usagef("flag -keep: %d is less than 1", o.Keep)
	}
	o.Layouts = !c.IsSet("layouts") || c.Bool("layouts")
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
	o.Units = nil
	for u := range strings.SplitSeq(c.String("units"), ",") {
		switch {
		case slices.Contains(result.AllUnits, u):
			o.Units = append(o.Units, u)
		case u == "instructions":
			o.Instructions = true
		case u == "counters":
			o.Counters = true
		default:
			known := append(slices.Clone(result.AllUnits), "instructions", "counters")
			return usagef("flag -units: %q is none of %s%s", u, strings.Join(known, ", "), pattern.Hint(u, known, ""))
		}
	}
	if len(o.Units) == 0 {
		o.Units = []string{"counts"} // instructions and counters come beside
	}
	if (o.Measures("memory") || o.Measures("tail")) && !o.Timed() {
		o.Units = append(o.Units, "time") // their rounds follow timed ones
	}
	if o.Counters && !o.Timed() {
		return usagef("flag -units: counters are read around timed slices: -units time,counters")
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
