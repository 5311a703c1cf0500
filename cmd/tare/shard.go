package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
	"github.com/tarebench/tare/cmd/tare/internal/study"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// notForParts are the flags of compare that a part does not have. A part has no
// report, and counts and profiles are from one machine.
var notForParts = []string{"on", "explain", "record", "format", "json",
	"cpuprofile", "memprofile", "blockprofile", "mutexprofile", "trace"}

func runPart(ctx context.Context, s streams, c *command, o session.Spec) error {
	for _, name := range c.given() {
		if slices.Contains(notForParts, name) {
			return usagef("flags -shard and -%s: tare show PART… judges and reports all parts together", name)
		}
	}
	p, err := readFlag(c, "shard", study.ParsePart)
	if err != nil {
		return err
	}
	to := c.text("o")
	if err := writable(to); err != nil {
		return err
	}
	o.Part, o.Output = &p, result.Output{Gate: readGate(c)}
	if err := resume(c, &o); err != nil {
		return err
	}
	return measure(ctx, s, o, c.is("v"), func(m *session.Session, err error) error {
		switch {
		case err != nil:
			return err
		case m.Interrupted():
			return &exitError{exitFailed, fmt.Errorf("part %d was interrupted: continue with %s", p.Number, words.Again(s.command(), "-resume", m.Folder()))}
		case to != "":
			err = m.CopyTo(to)
		default:
			to = m.Folder()
		}
		blocks := 0
		for _, b := range m.Recording().Benchmarks {
			blocks += len(b.Blocks)
		}
		_, werr := fmt.Fprintf(s.out, "part %d of %d: %s, %s: %s\ntare show with all parts judges them\n", p.Number, p.Of,
			words.Plural(len(m.Recording().Benchmarks), "benchmark"), words.Plural(blocks, "block"), to)
		return errors.Join(err, werr)
	})
}
