package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/machine"
	"github.com/tarebench/tare/cmd/tare/internal/report"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/selftest"
)

// knownComparisons is the number of comparisons with each known change without
// -total. Twice as many have no change.
const knownComparisons = 55

// shortCount is the time of each of the usual method's ten counts in a
// self-test of less than an hour.
const shortCount = 20 * time.Millisecond

// ownCount is the same time for the user's benchmarks. Each takes about ten
// seconds of a self-test of two minutes.
const ownCount = 100 * time.Millisecond

func selftestCommand(s streams) *command {
	return verb(s, "selftest", runSelftest, flags("total lock format json", formatFlags("text", "json")...))
}

func runSelftest(ctx context.Context, s streams, c *command) error {
	format, err := readFormat(c, "text", "json")
	if err != nil {
		return err
	}
	o := selftest.Options{
		Null: 2 * knownComparisons, Known: knownComparisons, Seed: value[uint64](c, "seed"), Sequential: true, Benchtime: shortCount, Host: s.host, OnWait: onWait(s),
		Compared: func(truth result.SelfTestTruth, left time.Duration) {
			s.say("%s", report.SelfTestProgress(truth, left))
		},
	}
	if o.Lock, err = readFlag(c, "lock", machine.ParseLockMode); err != nil {
		return err
	}
	if args := c.args; len(args) > 0 {
		if o.Packages, err = measured(args); err != nil {
			return err
		}
		o.Benchtime, o.Null, o.Known = ownCount, 0, 0
	}
	if c.isGiven("total") {
		o.Most, o.Null, o.Known = c.duration("total"), math.MaxInt32, math.MaxInt32
		if o.Most >= time.Hour {
			o.Benchtime = time.Second // as the usual method has it
		}
	}
	out, err := o.Run(ctx)
	if err != nil {
		return err
	}
	err = writeValue(s, c, format, out, func(w io.Writer) error { return report.SelfTestText(w, out) })
	if e := out.Errors(); err == nil && e.Broken {
		return fmt.Errorf("selftest: more errors than α = %g allows: %d of %d runs without a change have a false verdict, and %d of %d intervals miss the truth",
			out.Alpha, e.FalseRuns, e.Runs, e.Intervals-e.Covered, e.Intervals)
	}
	return err
}
