package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v3"

	"github.com/tarebench/tare/cmd/tare/internal/part"
	"github.com/tarebench/tare/cmd/tare/internal/report"
	"github.com/tarebench/tare/cmd/tare/internal/report/formats"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
)

func shardCommand(s streams) *cli.Command {
	return verb(s, "shard", runShard, append([]cli.Flag{
		&cli.IntFlag{Name: "n", Required: true, Usage: "measure part `N`, from 1 to -of"},
		&cli.IntFlag{Name: "of", Required: true, Usage: "divide the comparison into `N` parts"},
		&cli.StringFlag{Name: "by", Value: result.ByBenchmark, Usage: "what the parts have: benchmark, some benchmarks each; block, some blocks of each benchmark"},
		&cli.StringFlag{Name: "o", Usage: "copy the part to `FILE`"},
		deltaFlag(),
		&cli.BoolFlag{Name: "gate", Usage: "measure until -delta is decided, for tare merge -gate"},
		&cli.StringSliceFlag{Name: "with", Usage: "compare one more `VARIANT` with OLD; may be repeated"},
		&cli.BoolFlag{Name: "measure-all", Usage: "measure also benchmarks whose machine code is the same in all variants"},
	}, partFlags()...))
}

// partFlags are the flags of compare that say how to measure: a part is not
// reported, and what is counted or profiled after a study is for one machine.
func partFlags() []cli.Flag {
	others := []string{"o", "format", "json", "ascii", "github", "count-instructions",
		"cpuprofile", "memprofile", "blockprofile", "mutexprofile", "trace"}
	return slices.DeleteFunc(measureFlags(session.CompareBudget, session.CompareBlocks), func(f cli.Flag) bool {
		return slices.Contains(others, f.Names()[0])
	})
}

func runShard(ctx context.Context, s streams, c *cli.Command) error {
	args, after := splitDash(c, s.typed)
	if len(args) < 2 {
		return usagef("shard needs two variants, OLD and NEW, such as: tare shard -n 1 -of 8 main HEAD")
	}
	p := result.Part{Number: c.Int("n"), Of: c.Int("of"), By: c.String("by")}
	if err := part.Check(p); err != nil {
		return asUsage(err)
	}
	o, err := readComparison(s, c, args, after)
	if err != nil {
		return err
	}
	if p.By == result.ByBlock && o.Total > 0 {
		return usagef("flags -by block and -total: by block, a machine measures a fixed share of every benchmark: give -budget or -blocks, or divide by benchmark")
	}
	to := c.String("o")
	if err := formats.Writable(to); err != nil {
		return err
	}
	o.Part, o.Output = &p, result.Output{Gate: c.Bool("gate")}
	return measure(ctx, s, o, c.Bool("v"), func(m *session.Session, err error) error {
		switch {
		case err != nil:
			return err
		case m.Interrupted():
			return &exitError{exitFailed, fmt.Errorf("part %d was interrupted: go on with tare compare -resume %s", p.Number, m.Folder())}
		case to != "":
			err = m.CopyTo(to)
		default:
			to = m.Folder()
		}
		return errors.Join(err, report.PartText(s.out, p, m.Recording(), to))
	})
}
