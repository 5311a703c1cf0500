package main

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/history"
	"github.com/tarebench/tare/cmd/tare/internal/process"
	"github.com/tarebench/tare/cmd/tare/internal/report"
	"github.com/tarebench/tare/cmd/tare/internal/report/html"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

func historyCommand(s streams) *command {
	root := verb(s, "history", showHistory, flags("bench against format json o", formatFlags("text", "json", "html")...))
	add := func(name, arguments, text string, run func(context.Context, streams, *command) error, flags ...*option) {
		v := verb(s, name, run, flags)
		v.arguments, v.summary = arguments, text
		root.verbs = append(root.verbs, v)
	}
	add("record", "[packages]", "compare a commit with its parent and with the last tag, then measure candidates for a change", recordHistory,
		flags("variant=HEAD against exec bench budget="+session.CompareBudget.String()+" total delta blocks="+strconv.Itoa(session.CompareBlocks)+" tags v lock")...)
	add("push", "[REMOTE]", "publish refs/tare/history, merged with the files of other writers", exchange(history.Ref.Push))
	add("fetch", "[REMOTE]", "merge refs/tare/history of a remote into the history", exchange(history.Ref.Fetch))
	return root
}

// keeper adds comparisons to the history. It is nil without -record. It reports
// omitted rows, with the reason, on standard error.
func keeper(ctx context.Context, s streams, c *command) func(result.Comparison) error {
	if !c.is("record") {
		return nil
	}
	store, repo := openHistory()
	return func(comparison result.Comparison) error {
		_, left, err := history.Keep(ctx, store, repo, comparison, time.Now())
		for _, why := range left {
			s.say("tare: not recorded: %s", words.Printable(why))
		}
		return err
	}
}

func openHistory() (history.Ref, history.Repository) {
	return history.OpenRef(process.GitIn(".")), history.Repository{Git: process.GitIn(".")}
}

func showHistory(ctx context.Context, s streams, c *command) error {
	format, err := readFormat(c, "text", "json", "html")
	if err != nil {
		return err
	}
	match, err := regexp.Compile(c.text("bench"))
	if err != nil {
		return usagef("flag -bench: %v", err)
	}
	store, repo := openHistory()
	g, skipped, err := repo.Load(ctx, store)
	if err != nil {
		return err
	}
	reference := 0
	if commits := c.texts("against"); len(commits) > 0 {
		if reference, err = repo.Find(ctx, g, commits[len(commits)-1]); err != nil {
			return err
		}
	}
	h := report.NewHistory(g, skipped, reference, match.MatchString)
	if len(g.Keys()) > 0 && len(h.Series) == 0 {
		return fmt.Errorf("show history: no benchmark matches -bench %q", c.text("bench"))
	}
	write := map[string]func(io.Writer, report.History) error{"text": report.HistoryText, "json": report.HistoryJSON, "html": html.WriteHistory}[format]
	return writeFile(s.out, c.text("o"), func(w io.Writer) error { return write(w, h) })
}

func recordHistory(ctx context.Context, s streams, c *command) error {
	args, after := c.split()
	o, err := readMeasureFlags(s, c, after)
	if err != nil {
		return err
	}
	if err := o.CheckExec(); err != nil {
		return asUsage(err)
	}
	o.Packages = session.PackagesOf(args)
	store, repo := openHistory()
	live := s.live(c.is("v"), c.duration("total"))
	defer live.Close()
	out, err := history.Run(ctx, history.Spec{Session: o, Store: store, Repo: repo, Revision: c.text("variant"),
		Against: c.texts("against"), Total: c.duration("total"), Now: time.Now}, live)
	live.Close()
	if werr := report.RecordedText(s.out, out); err == nil {
		err = werr
	}
	if err == nil && out.Empty() {
		return &exitError{code: exitFailed}
	}
	return err
}

// exchange pushes or fetches the ref of the history.
func exchange(do func(history.Ref, context.Context, string) error) func(context.Context, streams, *command) error {
	return func(ctx context.Context, _ streams, c *command) error {
		store, _ := openHistory()
		return do(store, ctx, append(c.args, "origin")[0])
	}
}
