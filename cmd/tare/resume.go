package main

import (
	"context"

	"github.com/tarebench/tare/cmd/tare/internal/machine"
	"github.com/tarebench/tare/cmd/tare/internal/session"
)

// runResume continues the study in a directory. A flag next to -resume replaces
// the flag of the study, or is refused with the reason.
func runResume(ctx context.Context, s streams, c *command) error {
	if len(c.args) > 0 {
		return usagef("-resume continues with the variants and packages of the study: omit %s", c.args[0])
	}
	for _, name := range c.given() {
		switch name {
		case "resume", "trust", "budget", "total", "blocks", "count", "timeout", "lock", "v", "gate",
			"format", "json", "o", "units",
			"cpuprofile", "memprofile", "blockprofile", "mutexprofile", "trace", "benchmem", "run", "record":
		case "delta":
			return usagef("flag -delta: a resumed study stops by its first delta: when it is finished, tare stat -delta %s %s judges it by another one", c.text("delta"), c.text("resume"))
		case "on":
			return usagef("flags -on and -resume: a study continues on its machine: omit -on, or start a new study with it")
		default:
			return usagef("flag -%s is part of the plan of the study, and its error rate is valid only for that plan: omit the flag, or start a new study", name)
		}
	}
	o, err := session.Resume(c.text("resume"), c.is("trust"))
	if err != nil {
		return err
	}
	to, err := resumeDestination(c, &o)
	if err != nil {
		return err
	}
	if err := resumeOptions(c, &o); err != nil {
		return err
	}
	keep := keeper(ctx, s, c)
	o.Host = s.host
	return measureComparison(ctx, s, o, to, c.is("v"), keep)
}

// resumeOptions applies the flags next to -resume.
func resumeOptions(c *command, o *session.Spec) (err error) {
	planned := o.MaxBlocks
	if err := readLimits(c, o); err != nil {
		return err
	}
	if o.MaxBlocks > planned {
		return usagef("flag -blocks: the study was planned with at most %d blocks, and its error rate is valid only for that plan: give fewer, or start a new study", planned)
	}
	if c.isGiven("timeout") {
		o.TimeoutSeconds = c.duration("timeout").Seconds()
	}
	before := o.Plan
	if err := readUnits(c, o); err != nil {
		return err
	}
	if o.Counters != before.Counters || o.Timed() != before.Timed() {
		return usagef("flag -units: the study was planned with others: give time,instructions alone, or start a new study")
	}
	o.Units, o.FuncOrders = before.Units, before.FuncOrders
	if err := readPostRunFlags(c, o); err != nil {
		return err
	}
	o.Lock, err = readFlag(c, "lock", machine.ParseLockMode)
	return err
}

// resumeDestination returns the format and the file of the report, from the
// study or from the flags that replace them.
func resumeDestination(c *command, o *session.Spec) (destination, error) {
	to, err := readDestination(c, "benchstat", "line")
	if err != nil {
		return to, err
	}
	before := o.Output
	if !c.isGiven("o") && !c.isGiven("format") && !c.isGiven("json") {
		to.file, to.format = before.File, before.Format
	}
	gate := before.Gate
	if c.isGiven("gate") {
		gate = readGate(c)
	}
	o.Output = to.request(gate)
	return to, writable(to.file)
}
