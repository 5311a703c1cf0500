package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/instrument"
	"github.com/tarebench/tare/cmd/tare/internal/machine"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

func readSpec(s streams, c *command, after []string) (o session.Spec, err error) {
	o = session.Spec{Host: s.host, Plan: result.Plan{
		Bench: c.text("bench"), Skip: c.text("skip"), Tags: readTags(c), TimeoutSeconds: session.DefaultSpec().TimeoutSeconds,
		MaxBlocks: c.number("blocks"), Seed: value[uint64](c, "seed"), Alpha: session.DefaultAlpha, Delta: session.DefaultDelta, FuncOrders: true,
		MeasureAll: c.is("measure-all"), Args: after, Command: s.command(), Exec: c.texts("exec"),
	}}
	if c.isGiven("timeout") {
		o.TimeoutSeconds = c.duration("timeout").Seconds()
	}
	if c.text("alpha") != "" {
		if o.Alpha, err = readFlag(c, "alpha", session.ParseAlpha); err != nil {
			return o, err
		}
	}
	if c.text("delta") != "" {
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

func readFlag[T any](c *command, name string, parse func(string) (T, error)) (T, error) {
	v, err := parse(c.text(name))
	if err != nil {
		return v, usagef("flag -%s: %w", name, err)
	}
	return v, nil
}

func readMeasureFlags(s streams, c *command, after []string) (o session.Spec, err error) {
	if o, err = readSpec(s, c, after); err != nil {
		return o, err
	}
	o.Keep = c.number("keep")
	if c.isGiven("keep") && o.Keep < 1 {
		return o, usagef("flag -keep: %d is less than 1", o.Keep)
	}
	o.FuncOrders = !c.isGiven("layouts") || c.is("layouts")
	if err := readUnits(c, &o); err != nil {
		return o, err
	}
	if err := readBudget(c, &o); err != nil {
		return o, err
	}
	block, iterations, err := session.ParseBenchtime(c.text("benchtime"))
	if err != nil {
		return o, usagef("flag -benchtime: %w", err)
	}
	o.BlockSeconds, o.Iterations = block.Seconds(), iterations
	if c.isGiven("total") && !c.isGiven("budget") {
		o.BudgetSeconds = 0
	}
	if err := readLimits(c, &o); err != nil {
		return o, err
	}
	o.Profiles = make(map[string]string)
	for _, k := range instrument.ProfileKinds {
		if file := c.text(string(k)); file != "" {
			o.Profiles[string(k)] = file
			if err := writable(file); err != nil {
				return o, err
			}
		}
	}
	return o, nil
}

// minTotal is the least time for a run: builds alone take seconds.
const minTotal = time.Second

func readLimits(c *command, o *session.Spec) (err error) {
	if c.isGiven("total") {
		total := c.duration("total")
		if total < minTotal {
			return usagef("flag -total: %v is less than %v", total, minTotal)
		}
		o.TotalSeconds = total.Seconds()
	}
	for _, name := range []string{"count", "blocks"} {
		if c.isGiven(name) {
			if o.MaxBlocks = c.number(name); o.MaxBlocks < 1 || o.MaxBlocks > result.MostBlocks {
				return usagef("flag -%s: %d is not 1 to %d", name, o.MaxBlocks, result.MostBlocks)
			}
		}
	}
	return nil
}

// readUnits reads -units. Counts do not depend on the function order.
func readUnits(c *command, o *session.Spec) error {
	if !c.isGiven("units") {
		return nil
	}
	o.Units = nil
	for u := range strings.SplitSeq(c.text("units"), ",") {
		switch {
		case u == "instructions":
			o.Instructions = true
		case slices.Contains(result.AllUnits, u):
			o.Units = append(o.Units, u)
		default:
			return usagef("flag -units: %q is none of %s%s", u, strings.Join(result.AllUnits, ", "), words.Hint(u, result.AllUnits, ""))
		}
	}
	if len(o.Units) == 0 {
		o.Units = []string{"counts"} // instructions are added to them
	}
	if (o.Measures("memory") || o.Measures("tail")) && !o.Timed() {
		o.Units = append(o.Units, "time") // their rounds follow timed ones
	}
	o.FuncOrders = o.FuncOrders && o.Timed()
	return nil
}

func readBudget(c *command, o *session.Spec) error {
	budget, err := readFlag(c, "budget", session.ParseBudget)
	o.BudgetSeconds = budget.Seconds()
	return err
}

func readTags(c *command) []string {
	if tags := c.text("tags"); tags != "" {
		return strings.Split(tags, ",")
	}
	return nil
}

// measured are the package patterns of a verb that measures. The go command builds
// nothing in a directory whose path is not text.
func measured(patterns []string) ([]string, error) {
	if dir, err := os.Getwd(); err == nil && words.Printable(dir) != dir {
		return nil, fmt.Errorf("find packages: the path %q is not text, and the go command builds nothing in it: rename the directory", dir)
	}
	all, err := session.ParsePackages(patterns)
	return all, asUsage(err)
}
