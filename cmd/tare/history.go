package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tarebench/tare/internal/axis"
	"github.com/tarebench/tare/internal/history"
	"github.com/tarebench/tare/internal/recorder"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/session"
)

func historyCommand(s streams) *cli.Command {
	store := func() cli.Flag {
		return &cli.StringFlag{Name: "store", Value: "git:tare", Usage: "where the history is: git:BRANCH of this repository, or a folder"}
	}
	root := &cli.Command{
		DisableSliceFlagSeparator: true,

		Name:      "history",
		Usage:     "comparisons over the years: levels of all commits, and the changes among them",
		ArgsUsage: "[record|check|accept COMMIT|push|fetch]",
		Description: `Stores comparisons of commits, not times, so that a new machine or a new release
of Go does not break the curve. Without a verb it shows the levels of all
commits relative to the oldest, and the changes confirmed so far.

Example: after every commit on main, in CI:

   tare history fetch && tare history record -total 5m ./... && tare history push

Example: the curve of one benchmark:

   tare history -bench Decode`,
		Flags: []cli.Flag{
			store(),
			&cli.StringFlag{Name: "bench", Value: ".", Usage: "show benchmarks that match `REGEXP`"},
			&cli.StringFlag{Name: "since", Usage: "show levels relative to `COMMIT`; by default the oldest one"},
			&cli.StringFlag{Name: "format", Usage: "text, json or csv (default: what the ending of -o says, else text)"},
			&cli.BoolFlag{Name: "json", Usage: "short for -format json"},
			&cli.StringFlag{Name: "o", Usage: "write to `FILE`, not to standard output"},
		},
		Action: func(ctx context.Context, c *cli.Command) error { return showHistory(ctx, s, c) },
	}
	root.Commands = []*cli.Command{
		{
			Name: "record", Usage: "compare a commit with its parent and with the last tag, then measure candidates for a change", ArgsUsage: "[packages]",
			DisableSliceFlagSeparator: true,
			Flags: append(measureFlags(session.CompareBudget, session.CompareBlocks), store(),
				&cli.StringFlag{Name: "commit", Value: "HEAD", Usage: "the commit to record"},
				&cli.StringSliceFlag{Name: "against", Usage: "compare with this `COMMIT`, not with the last tag; may be repeated"},
				&cli.DurationFlag{Name: "total", Usage: "begin no further comparison after this time"},
				&cli.StringFlag{Name: "delta", Value: "2%", Usage: "changes smaller than this are the same"}),
			Action: func(ctx context.Context, c *cli.Command) error { return recordHistory(ctx, s, c) },
		},
		{
			Name: "check", Usage: "report comparisons that the rest of the history contradicts",
			Flags:  []cli.Flag{store()},
			Action: func(ctx context.Context, c *cli.Command) error { return checkHistory(ctx, s, c) },
		},
		{
			Name: "accept", Usage: "note why a change is accepted", ArgsUsage: "COMMIT",
			Flags:  []cli.Flag{store(), &cli.StringFlag{Name: "why", Usage: "the reason"}},
			Action: func(ctx context.Context, c *cli.Command) error { return acceptChange(ctx, s, c) },
		},
		{
			Name: "push", Usage: "publish the branch of the history; files of other writers are merged", ArgsUsage: "[REMOTE]",
			Flags: []cli.Flag{store()},
			Action: func(ctx context.Context, c *cli.Command) error {
				return exchange(ctx, c, history.Branch.Push)
			},
		},
		{
			Name: "fetch", Usage: "merge the branch of a remote into the history", ArgsUsage: "[REMOTE]",
			Flags: []cli.Flag{store()},
			Action: func(ctx context.Context, c *cli.Command) error {
				return exchange(ctx, c, history.Branch.Fetch)
			},
		},
	}
	for _, c := range root.Commands {
		c.OnUsageError = func(_ context.Context, _ *cli.Command, err error, _ bool) error { return &exitError{exitUsage, err} }
	}
	return root
}

// openStore opens what -store names.
func openStore(c *cli.Command) (history.Store, error) {
	name := c.String("store")
	branch, ok := strings.CutPrefix(name, "git:")
	switch {
	case name == "" || ok && branch == "":
		return nil, usagef("flag -store: %q is neither git:BRANCH nor a folder", name)
	case ok:
		return history.OpenBranch(history.RunGit("."), branch), nil
	}
	return history.OpenFolder(name), nil
}

func repository() (recorder.Repository, error) {
	dir, err := os.Getwd()
	if err != nil {
		return recorder.Repository{}, fmt.Errorf("find working folder: %w", err)
	}
	return recorder.Repository{Dir: dir, Run: axis.Run}, nil
}

// loadHistory reads the store, with the commits in the order of the branch
// that is checked out, or by time outside of a repository.
func loadHistory(ctx context.Context, c *cli.Command) (*history.Graph, []history.Skipped, error) {
	store, err := openStore(c)
	if err != nil {
		return nil, nil, err
	}
	files, skipped, err := history.Load(ctx, store)
	if err != nil {
		return nil, nil, err
	}
	repo, err := repository()
	if err != nil {
		return nil, nil, err
	}
	line, _ := repo.Line(ctx, "HEAD") // none outside of a repository
	return history.NewGraph(files, recorder.Hashes(line)), skipped, nil
}

func showHistory(ctx context.Context, s streams, c *cli.Command) error {
	if c.Args().Present() {
		return usagef("history has no verb %q: see tare history -help", c.Args().First())
	}
	format := c.String("format")
	switch file := c.String("o"); {
	case c.Bool("json"), format == "" && strings.HasSuffix(file, ".json"):
		format = "json"
	case format == "" && strings.HasSuffix(file, ".csv"):
		format = "csv"
	case format == "":
		format = "text"
	}
	write, ok := map[string]func(io.Writer, report.History) error{"text": report.HistoryText, "json": report.HistoryJSON, "csv": report.HistoryCSV}[format]
	if !ok {
		return usagef("flag -format: %q is none of text, json, csv", format)
	}
	match, err := regexp.Compile(c.String("bench"))
	if err != nil {
		return usagef("flag -bench: %v", err)
	}
	g, skipped, err := loadHistory(ctx, c)
	if err != nil {
		return err
	}
	h := report.History{Graph: g, Skipped: skipped}
	if since := c.String("since"); since != "" {
		if h.Reference, err = findCommit(ctx, g, since); err != nil {
			return err
		}
	}
	for _, key := range g.Keys() {
		if match.MatchString(key.Name) {
			h.Series = append(h.Series, g.Series(key, h.Reference))
		}
	}
	if len(g.Keys()) > 0 && len(h.Series) == 0 {
		return fmt.Errorf("show history: no benchmark matches -bench %q", c.String("bench"))
	}
	return writeTo(s.out, c.String("o"), func(w io.Writer) error { return write(w, h) })
}

// findCommit finds a commit of the history by its hash or by a revision.
func findCommit(ctx context.Context, g *history.Graph, name string) (int, error) {
	if i := g.Find(name); i >= 0 {
		return i, nil
	}
	repo, err := repository()
	if err != nil {
		return 0, err
	}
	if commit, err := repo.Commit(ctx, name); err == nil {
		if i := g.Find(commit.Hash); i >= 0 {
			return i, nil
		}
	}
	return 0, fmt.Errorf("find commit %s: it is not in the history: tare history record -commit %s adds it", name, name)
}

func recordHistory(ctx context.Context, s streams, c *cli.Command) error {
	args, after := splitDash(c, s.typed)
	o, err := readMeasureFlags(c)
	if err != nil {
		return err
	}
	if o.Delta, err = readDelta(c); err != nil {
		return err
	}
	if o.Packages = args; len(args) == 0 {
		o.Packages = []string{"."}
	}
	o.Args, o.Command, o.Host, o.MeasureAll = after, s.typed, s.host, true
	store, err := openStore(c)
	if err != nil {
		return err
	}
	repo, err := repository()
	if err != nil {
		return err
	}
	watch := newWatcher(s.err, c.Bool("v"))
	defer watch.live.Close()
	out, err := recorder.Run(ctx, recorder.Spec{Session: o, Store: store, Repo: repo, Revision: c.String("commit"),
		Against: c.StringSlice("against"), Total: c.Duration("total"), Now: time.Now}, watch)
	watch.live.Close()
	if werr := report.RecordedText(s.out, out.Commit, out.Edges, out.Decisions, out.Open, out.Skipped); err == nil {
		err = werr
	}
	return err
}

func checkHistory(ctx context.Context, s streams, c *cli.Command) error {
	g, skipped, err := loadHistory(ctx, c)
	if err != nil {
		return err
	}
	all := g.Contradictions(recorder.Alpha)
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
	g, _, err := loadHistory(ctx, c)
	if err != nil {
		return err
	}
	i, err := findCommit(ctx, g, c.Args().First())
	if err != nil {
		return err
	}
	store, err := openStore(c)
	if err != nil {
		return err
	}
	now := time.Now()
	_, err = history.Add(ctx, store, history.Entry{Acceptance: &history.Acceptance{Created: now.UTC(), Commit: g.Commits[i].Hash, Why: c.String("why")}}, now)
	return err
}

// exchange pushes or fetches the branch of the history.
func exchange(ctx context.Context, c *cli.Command, do func(history.Branch, context.Context, string) error) error {
	store, err := openStore(c)
	if err != nil {
		return err
	}
	branch, ok := store.(history.Branch)
	if !ok {
		return usagef("flag -store: %s is a folder, which is shared as a folder: only git:BRANCH is pushed and fetched", c.String("store"))
	}
	remote := c.Args().First()
	if remote == "" {
		remote = "origin"
	}
	return do(branch, ctx, remote)
}
