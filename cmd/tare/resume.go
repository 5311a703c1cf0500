package main

import (
	"context"

	"github.com/tarebench/tare/cmd/tare/internal/machine"
	"github.com/tarebench/tare/cmd/tare/internal/session"
)

// runResume goes on with the study in a folder. What is typed with -resume
// replaces what the study was started with, or is refused with the reason.
func runResume(ctx context.Context, s streams, c *command) error {
	if len(c.args) > 0 {
		return usagef("-resume goes on with the variants and packages of the study: leave %s out", c.args[0])
	}
	for _, name := range c.given() {
		switch name {
		case "resume", "trust", "budget", "total", "blocks", "count", "timeout", "lock", "v", "gate",
			"format", "json", "o", "units",
			"cpuprofile", "memprofile", "blockprofile", "mutexprofile", "trace", "benchmem", "run", "record":
		case "delta":
			return usagef("flag -delta: a resumed study stops by the delta it was started with: tare stat -delta %s %s judges it by another one when it is done", c.text("delta"), c.text("resume"))
		case "on":
			return usagef("flags -on and -resume: a study goes on on the machine where it was measured: leave -on out, or start a new study with it")
		default:
			return usagef("flag -%s belongs to the plan of the study, and its error rate holds for that plan only: leave the flag out, or start a new study", name)
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
	keep, err := keeper(ctx, s, c)
	if err != nil {
		return err
	}
	o.Host = s.host
	return measureComparison(ctx, s, o, to, c.is("v"), keep)
}

// resumeOptions replaces what was typed.
func resumeOptions(c *command, o *session.Spec) (err error) {
	planned := o.MaxBlocks
	if err := readLimits(c, o); err != nil {
		return err
	}
	if o.MaxBlocks > planned {
		return usagef("flag -blocks: the study was planned with at most %d blocks, and its error rate holds for that plan only: give fewer, or start a new study", planned)
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
	o.Units, o.Layouts = before.Units, before.Layouts
	if err := readPostRunFlags(c, o); err != nil {
		return err
	}
	o.Lock, err = readFlag(c, "lock", machine.ParseLockMode)
	return err
}

// resumeDestination is the form of the report and where it goes: as the study
// was started, unless one of the two is typed.
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
