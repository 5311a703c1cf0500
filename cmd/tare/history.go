package main

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tarebench/tare/cmd/tare/internal/git"
	"github.com/tarebench/tare/cmd/tare/internal/history"
	"github.com/tarebench/tare/cmd/tare/internal/report"
	"github.com/tarebench/tare/cmd/tare/internal/report/html"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

func historyCommand(s streams) *cli.Command {
	root := verb(s, "history", showHistory, append(formatFlags("text", "json", "csv", "html"),
		storeFlag(),
		&cli.StringFlag{Name: "bench", Value: ".", Usage: "show benchmarks that match `REGEXP`"},
		&cli.StringFlag{Name: "since", Usage: "show levels relative to `COMMIT`; by default the oldest one"},
	))
	add := func(name, arguments, text string, run func(context.Context, streams, *cli.Command) error, flags ...cli.Flag) {
		v := verb(s, name, run, append(flags, storeFlag()))
		v.ArgsUsage, v.Usage = arguments, text
		root.Commands = append(root.Commands, v)
	}
	add("record", "[packages]", "compare a commit with its parent and with the last tag, then measure candidates for a change", recordHistory,
		append(measureFlags(session.CompareBudget, session.CompareBlocks), deltaFlag(),
			&cli.StringFlag{Name: "commit", Value: "HEAD", Usage: "the commit to record"},
			&cli.StringSliceFlag{Name: "against", Usage: "compare with this `COMMIT`, not with the last tag; may be repeated"})...)
	add("import", "PATH…", "add the comparisons of studies that were made without -record", importStudies)
	add("check", "", "report comparisons that the rest of the history contradicts", checkHistory)
	add("accept", "COMMIT", "note why a change is accepted", acceptChange, &cli.StringFlag{Name: "why", Usage: "the reason"})
	add("push", "[REMOTE]", "publish refs/tare/history; files of other writers are merged", exchange(history.Ref.Push))
	add("fetch", "[REMOTE]", "merge refs/tare/history of a remote into the history", exchange(history.Ref.Fetch))
	return root
}

func storeFlag() cli.Flag {
	return &cli.StringFlag{Name: "store", Value: "git", Usage: "where the history is: git (refs/tare/history of this repository), or a folder"}
}

// recordFlags are those of verbs whose comparisons may join the history.
func recordFlags() []cli.Flag {
	return []cli.Flag{&cli.BoolFlag{Name: "record", Usage: "add what is compared to the history: see tare history"}, storeFlag()}
}

// keeper adds comparisons to the history, nil without -record. What it leaves
// out, and why, goes to standard error.
func keeper(ctx context.Context, s streams, c *cli.Command) (func(result.Comparison) error, error) {
	if !c.Bool("record") {
		if c.IsSet("store") {
			return nil, usagef("flag -store: where to -record")
		}
		return nil, nil
	}
	store, repo, err := openHistory(c)
	if err != nil {
		return nil, err
	}
	return func(comparison result.Comparison) error {
		_, left, err := history.Keep(ctx, store, repo, comparison, time.Now())
		for _, why := range left {
			fmt.Fprintf(s.err, "tare: not recorded: %s\n", words.Printable(why))
		}
		return err
	}, nil
}

// openHistory opens what -store names, and the repository of the working
// folder.
func openHistory(c *cli.Command) (store history.Store, repo history.Repository, err error) {
	if store, err = history.Open(c.String("store"), git.In(".")); err != nil {
		return nil, repo, usagef("flag -store: %w", err)
	}
	return store, history.Repository{Git: git.In(".")}, nil
}

func showHistory(ctx context.Context, s streams, c *cli.Command) error {
	if c.Args().Present() {
		return asUsage(unknownVerb(c, c.Args().First()))
	}
	format, err := readFormat(c, "text", "json", "csv", "html")
	if err != nil {
		return err
	}
	match, err := regexp.Compile(c.String("bench"))
	if err != nil {
		return usagef("flag -bench: %v", err)
	}
	store, repo, err := openHistory(c)
	if err != nil {
		return err
	}
	g, skipped, err := repo.Load(ctx, store)
	if err != nil {
		return err
	}
	reference := 0
	if since := c.String("since"); since != "" {
		if reference, err = repo.Find(ctx, g, since); err != nil {
			return err
		}
	}
	h := report.NewHistory(g, skipped, reference, match.MatchString)
	if len(g.Keys()) > 0 && len(h.Series) == 0 {
		return fmt.Errorf("show history: no benchmark matches -bench %q", c.String("bench"))
	}
	write := map[string]func(io.Writer, report.History) error{"text": report.HistoryText, "json": report.HistoryJSON, "csv": report.HistoryCSV,
		"html": func(w io.Writer, h report.History) error { return html.WriteHistory(w, h, repo.Remote(ctx)) }}[format]
	return writeFile(s.out, c.String("o"), func(w io.Writer) error { return write(w, h) })
}

func recordHistory(ctx context.Context, s streams, c *cli.Command) error {
	args, after := splitDash(c, s.typed)
	o, err := readMeasureFlags(s, c, after)
	if err != nil {
		return err
	}
	o.Packages = session.PackagesOf(args)
	store, repo, err := openHistory(c)
	if err != nil {
		return err
	}
	live := s.live(c.Bool("v"), c.Duration("total"))
	defer live.Close()
	out, err := history.Run(ctx, history.Spec{Session: o, Store: store, Repo: repo, Revision: c.String("commit"),
		Against: c.StringSlice("against"), Total: c.Duration("total"), Now: time.Now}, live)
	live.Close()
	if werr := report.RecordedText(s.out, out); err == nil {
		err = werr
	}
	if err == nil && out.Empty() {
		return &exitError{code: exitFailed}
	}
	return err
}

func importStudies(ctx context.Context, s streams, c *cli.Command) error {
	if !c.Args().Present() {
		return usagef("import needs studies: tare history import .tare")
	}
	store, repo, err := openHistory(c)
	if err != nil {
		return err
	}
	added, err := history.Import(ctx, store, repo, c.Args().Slice(), time.Now())
	if werr := report.ImportedText(s.out, added.Rows, added.Known, added.Left); err == nil {
		err = werr
	}
	if err == nil && added.Rows+added.Known == 0 {
		return &exitError{code: exitFailed}
	}
	return err
}

func checkHistory(ctx context.Context, s streams, c *cli.Command) error {
	store, repo, err := openHistory(c)
	if err != nil {
		return err
	}
	g, skipped, err := repo.Load(ctx, store)
	if err != nil {
		return err
	}
	all := g.Contradictions(history.Alpha)
	if err := report.HistoryCheckText(s.out, g, all, skipped); err != nil {
		return err
	}
	if len(all) > 0 || len(skipped) > 0 {
		return &exitError{code: exitFound}
	}
	return nil
}

func acceptChange(ctx context.Context, s streams, c *cli.Command) error {
	if c.Args().Len() != 1 || c.String("why") == "" {
		return usagef("accept needs a commit and a reason: tare history accept COMMIT -why TEXT")
	}
	store, repo, err := openHistory(c)
	if err != nil {
		return err
	}
	commit, changed, err := repo.Accept(ctx, store, c.Args().First(), c.String("why"), time.Now())
	if err != nil {
		return err
	}
	return report.AcceptedText(s.out, commit, changed)
}

// exchange pushes or fetches the ref of the history.
func exchange(do func(history.Ref, context.Context, string) error) func(context.Context, streams, *cli.Command) error {
	return func(ctx context.Context, _ streams, c *cli.Command) error {
		store, _, err := openHistory(c)
		if err != nil {
			return err
		}
		ref, ok := store.(history.Ref)
		if !ok {
			return usagef("flag -store: %s is shared as it is: only git is pushed and fetched", c.String("store"))
		}
		remote := c.Args().First()
		if remote == "" {
			remote = "origin"
		}
		return do(ref, ctx, remote)
	}
}
