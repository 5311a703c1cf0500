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
	return verb(s, "explain", runExplain, flags("bench format json tags v", formatFlags("text", "json")...))
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
	live := s.live(c.is("v"), 0)
	defer live.Close()
	folder := ""
	if len(args) > 2 && session.AreResults(ctx, args[0]) {
		folder, args = args[0], args[1:]
	}
	if len(args) < 2 {
		return usagef("explain needs two variants, such as: tare explain main ., or tare explain FOLDER main . for a comparison that is kept")
	}
	spec := session.DefaultSpec()
	spec.Host, spec.Command = s.host, s.command()
	spec.Packages, spec.Args, spec.Procs, spec.Tags = session.PackagesOf(args[2:]), after, []int{runtime.GOMAXPROCS(0)}, readTags(c)
	spec.NewTests = true
	if spec.Variants, err = parseVariants(args[:2]...); err != nil {
		return err
	}
	var out explain.Explained
	if folder != "" {
		out, err = explain.Folder(ctx, folder, spec, match, live)
	} else {
		out, err = explain.Variants(ctx, spec, match, live)
	}
	live.Close()
	if err != nil {
		return err
	}
	return writeValue(s, c, format, &out, func(w io.Writer) error { return report.ExplainText(w, out, terminalOptions(w)) })
}
