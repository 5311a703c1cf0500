package main

import (
	"context"
	"io"
	"runtime"

	"github.com/tarebench/tare/cmd/tare/internal/explain"
	"github.com/tarebench/tare/cmd/tare/internal/report"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
)

func explainCommand(s streams) *command {
	return verb(s, "explain", runExplain, flags("bench prove budget="+session.CompareBudget.String()+" format json trust v", formatFlags("text", "json")...))
}

func runExplain(ctx context.Context, s streams, c *command) (err error) {
	args, after := c.split()
	format, err := readFormat(c, "text", "json")
	if err != nil {
		return err
	}
	match, err := result.MatchNames(c.text("bench"))
	if err != nil {
		return usagef("flag -bench: %v", err)
	}
	budget, err := readFlag(c, "budget", session.ParseBudget)
	if err != nil {
		return err
	}
	live := s.live(c.is("v"), 0)
	defer live.Close()
	var out explain.Explained
	switch len(args) {
	case 0:
		return usagef("explain needs the directory of a comparison, or two variants, such as: tare explain main .")
	case 1:
		out, err = explain.Folder(ctx, args[0], c.is("trust"), func(o *session.Spec) {
			o.Host, o.Command, o.ProveCauses, o.BudgetSeconds = s.host, s.command(), c.is("prove"), budget.Seconds()
		}, match, live)
	default:
		spec := session.DefaultSpec()
		spec.Host, spec.Command, spec.ProveCauses, spec.BudgetSeconds = s.host, s.command(), c.is("prove"), budget.Seconds()
		spec.Packages, spec.Args, spec.Procs = session.PackagesOf(args[2:]), after, []int{runtime.GOMAXPROCS(0)}
		spec.NewTests = true
		if spec.Variants, err = parseVariants(args[:2]...); err != nil {
			return err
		}
		out, err = explain.Variants(ctx, spec, match, live)
	}
	live.Close()
	if err != nil {
		return err
	}
	return writeValue(s, c, format, out, func(w io.Writer) error { return report.ExplainText(w, out) })
}
