package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/tarebench/tare/cmd/tare/internal/bisect"
	"github.com/tarebench/tare/cmd/tare/internal/report"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
)

func bisectCommand(s streams) *command {
	return verb(s, "bisect", runBisect, flags("bench of units=sec/op delta budget="+session.CompareBudget.String()+" total format json v resume"+
		" exec blocks=400 tags lock record", formatFlags("text", "json")...))
}

func runBisect(ctx context.Context, s streams, c *command) error {
	format, err := readFormat(c, "text", "json")
	if err != nil {
		return err
	}
	spec, err := readBisect(ctx, s, c)
	if err != nil {
		return err
	}
	keep := keeper(ctx, s, c)
	var kept error
	if keep != nil {
		spec.Compared = func(comparison result.Comparison) { kept = errors.Join(kept, keep(comparison)) }
	}
	live := s.live(c.is("v"), 0)
	defer live.Close()
	found, err := bisect.Run(ctx, spec, &report.LiveBisection{Live: live})
	live.Close()
	if err := errors.Join(err, kept); err != nil {
		return err
	}
	if err := writeValue(s, c, format, &found, func(w io.Writer) error { return report.BisectionText(w, found) }); err != nil {
		return err
	}
	switch {
	case len(found.Steps) > 0, found.Same:
		return nil
	}
	return &exitError{code: exitUndecided}
}

func readBisect(ctx context.Context, s streams, c *command) (spec bisect.Spec, err error) {
	args, after := c.split()
	o := &spec.Session
	if *o, err = readSpec(s, c, after); err != nil {
		return spec, err
	}
	if err := readBudget(c, o); err != nil {
		return spec, err
	}
	if err := o.CheckExec(); err != nil {
		return spec, asUsage(err)
	}
	if o.MaxBlocks < 1 {
		return spec, usagef("flag -blocks: %d is less than 1", o.MaxBlocks)
	}
	spec.Unit, spec.Folder, spec.Total = c.text("units"), c.text("resume"), c.duration("total")
	spec.MaxBlocks, o.MaxBlocks = o.MaxBlocks, session.CompareBlocks
	if o.Dir, err = os.Getwd(); err != nil {
		return spec, fmt.Errorf("find working directory: %w", err)
	}
	what, patterns, err := bisect.Parse(c.text("of"), args)
	if err != nil {
		return spec, asUsage(err)
	}
	if o.Packages, err = measured(patterns); err != nil {
		return spec, err
	}
	if err := spec.List(ctx, what); err != nil || spec.Folder == "" {
		return spec, err
	}
	return spec, spec.Resume(ctx, c.isGiven)
}
