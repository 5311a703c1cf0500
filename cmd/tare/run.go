package main

import (
	"context"
	"strconv"

	"github.com/tarebench/tare/cmd/tare/internal/report"
	"github.com/tarebench/tare/cmd/tare/internal/session"
)

func runVerb(s streams) *command {
	return verb(s, "run", runRun, flags("bench budget="+session.RunBudget.String()+" total units format json o variant=. v cpu"+
		" tags blocks="+strconv.Itoa(session.RunBlocks)+" benchtime layouts lock keep q"+goTest, reportFormat(false)...))
}

func runRun(ctx context.Context, s streams, c *command) error {
	patterns, after := c.split()
	o, err := readMeasureFlags(s, c, after)
	if err != nil {
		return err
	}
	to, err := readDestination(c, false)
	if err != nil {
		return err
	}
	if (o.BlockSeconds > 0 || o.Iterations > 0) && !c.isGiven("budget") {
		// The user chose the length and the number of blocks.
		o.BudgetSeconds = 0
	}
	if o.Packages, err = measured(patterns); err != nil {
		return err
	}
	if o.Variants, err = parseVariants(c.text("variant")); err != nil {
		return err
	}
	o.Kind, o.Output = "run", to.request(nil)
	return measure(ctx, s, o, c.is("v"), func(m *session.Session, err error) error {
		run := m.Comparison()
		var exit error
		if m.Interrupted() || run.Summary.Failed > 0 {
			exit = &exitError{code: exitFailed}
		}
		return to.writeSession(s, m, err, report.Document{Comparison: &run}, exit)
	})
}
