package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tarebench/tare/internal/axis"
	"github.com/tarebench/tare/internal/history"
	"github.com/tarebench/tare/internal/recorder"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/formats"
	"github.com/tarebench/tare/internal/report/timeline"
	"github.com/tarebench/tare/internal/report/words"
	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/internal/session"
)

func historyCommand(s streams) *cli.Command {
	store := storeFlag
	root := &cli.Command{
		DisableSliceFlagSeparator: true,

		Name: "history",
		Flags: append(formatFlags("text", "json", "csv", "html"),
			store(),
			&cli.StringFlag{Name: "bench", Value: ".", Usage: "show benchmarks that match `REGEXP`"},
			&cli.StringFlag{Name: "since", Usage: "show levels relative to `COMMIT`; by default the oldest one"},
		),
		Action: func(ctx context.Context, c *cli.Command) error { return showHistory(ctx, s, c) },
	}
	root.Commands = []*cli.Command{
		{
			Name: "record", Usage: "compare a commit with its parent and with the last tag, then measure candidates for a change", ArgsUsage: "[packages]",
			DisableSliceFlagSeparator: true,
			Flags: append(measureFlags(session.CompareBudget, session.CompareBlocks), store(),
				&cli.StringFlag{Name: "commit", Value: "HEAD", Usage: "the commit to record"},
				&cli.StringSliceFlag{Name: "against", Usage: "compare with this `COMMIT`, not with the last tag; may be repeated"},
				deltaFlag()),
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
	return root
}

func storeFlag() cli.Flag {
	return &cli.StringFlag{Name: "store", Value: "git:tare", Usage: "where the history is: git:BRANCH of this repository, a folder, or postgres://host/database"}
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
	store, err := openStore(c)
	if err != nil {
		return nil, err
	}
	repo, err := repository()
	if err != nil {
		return nil, err
	}
	return func(comparison result.Comparison) error {
		_, left, err := recorder.Keep(ctx, store, repo, comparison, time.Now())
		for _, why := range left {
			fmt.Fprintf(s.err, "tare: not recorded: %s\n", words.Printable(why))
		}
		return err
	}, nil
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
	if scheme, _, ok := strings.Cut(name, "://"); ok {
		return openProgram(strings.Replace(scheme, "postgresql", "postgres", 1), name)
	}
	return history.OpenFolder(name), nil
}

// schemes are those that a program may keep histories for.
var schemes = regexp.MustCompile(`^[a-z][a-z0-9]*$`)

// openProgram opens a store after the program tare-store-SCHEME.
func openProgram(scheme, address string) (history.Store, error) {
	if !schemes.MatchString(scheme) {
		return nil, usagef("flag -store: %q is neither git:BRANCH, a folder nor an address such as postgres://host/database", address)
	}
	path, err := exec.LookPath("tare-store-" + scheme)
	if err != nil {
		hint := ""
		if scheme == "postgres" {
			hint = ": go install github.com/tarebench/tare/cmd/tare-store-postgres@latest"
		}
		return nil, fmt.Errorf("open store %s://: the program tare-store-%s is not on the path%s", scheme, scheme, hint)
	}
	return history.OpenProgram(path, address), nil
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
		return unknownVerb(c, c.Args().First())
	}
	format, err := readFormat(c, "text", "json", "csv", "html")
	if err != nil {
		return err
	}
	write := map[string]func(io.Writer, report.History) error{"text": report.HistoryText, "json": report.HistoryJSON, "csv": report.HistoryCSV,
		"html": func(w io.Writer, h report.History) error { return timeline.Write(w, h, remote(ctx)) }}[format]
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
	return formats.WriteFile(s.out, c.String("o"), func(w io.Writer) error { return write(w, h) })
}

// remote is the address of the repository's remote, empty where there is none.
func remote(ctx context.Context) string {
	repo, err := repository()
	if err != nil {
		return ""
	}
	return repo.Remote(ctx)
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
	o.Packages = packagesOf(args)
	o.Args, o.Command, o.Host = after, s.typed, s.host
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
		Against: c.StringSlice("against"), Total: o.Total, Now: time.Now}, watch)
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
		return usagef("flag -store: %s is shared as it is: only git:BRANCH is pushed and fetched", c.String("store"))
	}
	remote := c.Args().First()
	if remote == "" {
		remote = "origin"
	}
	return do(branch, ctx, remote)
}
