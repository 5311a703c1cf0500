package main

import (
	"context"
	"encoding/json"
	"io"
	"runtime"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tarebench/tare/internal/explain"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/session"
)

func explainCommand(s streams) *cli.Command {
	return &cli.Command{
		DisableSliceFlagSeparator: true,

		Name:      "explain",
		Usage:     "why is it slower? What differs in machine code, and what the compiler says",
		ArgsUsage: "[FOLDER | OLD NEW [packages]] [-- arguments of the test binary]",
		Description: `Builds both variants and lists, for each benchmark, what differs in the machine
code of the functions in which its time goes: calls that are no longer inlined,
allocations, bounds checks, locks and so on, with the compiler's reasons. Each
is a suspicion. -prove takes the file of the first cause back, in an overlay,
and measures how much of the change goes with it.

With FOLDER, a comparison that tare compare kept, it explains the benchmarks
that became faster or slower. A working tree must be what it was then.

Example: why did the last comparison turn red?

   tare explain .tare/20260130-101112-compare

Example: what does my change do to the machine code of Decode?

   tare explain -bench Decode main .`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "bench", Value: ".", Usage: "explain benchmarks that match `REGEXP`"},
			&cli.StringFlag{Name: "tags", Usage: "build tags for every variant, separated by commas"},
			&cli.BoolFlag{Name: "prove", Usage: "take the file of the first cause back and measure again, where NEW is the working tree"},
			&cli.StringFlag{Name: "format", Value: "text", Usage: "text or json"},
			&cli.BoolFlag{Name: "json", Usage: "short for -format json"},
			&cli.StringFlag{Name: "o", Usage: "write to `FILE`, not to standard output"},
			&cli.BoolFlag{Name: "v", Usage: "report commands on standard error"},
		},
		Action: func(ctx context.Context, c *cli.Command) error { return runExplain(ctx, s, c) },
	}
}

func runExplain(ctx context.Context, s streams, c *cli.Command) (err error) {
	args, after := splitDash(c, s.typed)
	format := c.String("format")
	if c.Bool("json") {
		format = "json"
	}
	if format != "text" && format != "json" {
		return usagef("flag -format: %q is none of text, json", format)
	}
	match, err := session.Matcher(c.String("bench"))
	if err != nil {
		return usagef("flag -bench: %v", err)
	}
	if err := writable(c.String("o")); err != nil {
		return err
	}
	watch := newWatcher(s.err, c.Bool("v"))
	defer watch.live.Close()
	var out explain.Explained
	switch len(args) {
	case 0:
		return usagef("explain needs the folder of a comparison, or two variants, such as: tare explain main .")
	case 1:
		out, err = session.ExplainFolder(ctx, args[0], func(o *session.Spec) {
			o.Host, o.Command, o.ProveCauses = s.host, s.typed, c.Bool("prove")
		}, match, watch)
	default:
		spec := session.Spec{
			Kind: "compare", Packages: args[2:], Args: after, Host: s.host, Command: s.typed, ProveCauses: c.Bool("prove"),
			Procs: []int{runtime.GOMAXPROCS(0)}, Timeout: 10 * time.Minute, Layouts: true,
			Budget: session.CompareBudget, Blocks: session.CompareBlocks, Alpha: session.DefaultAlpha, Delta: session.DefaultDelta,
		}
		if len(spec.Packages) == 0 {
			spec.Packages = []string{"."}
		}
		if t := c.String("tags"); t != "" {
			spec.Tags = strings.Split(t, ",")
		}
		if spec.Variants, err = parseVariants(args[:2]...); err != nil {
			return err
		}
		out, err = session.Explain(ctx, spec, match, watch)
	}
	watch.live.Close()
	if err != nil {
		return err
	}
	return writeTo(s.out, c.String("o"), func(w io.Writer) error {
		if format == "text" {
			return report.ExplainText(w, out)
		}
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		return encoder.Encode(out)
	})
}
